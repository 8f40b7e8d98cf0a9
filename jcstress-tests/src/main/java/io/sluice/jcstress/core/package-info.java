/** The claims about {@code io.sluice.core}. */
@NullMarked
package io.sluice.jcstress.core;

import org.jspecify.annotations.NullMarked;
