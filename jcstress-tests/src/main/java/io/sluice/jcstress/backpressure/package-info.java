/** The claims about {@code io.sluice.backpressure}. */
@NullMarked
package io.sluice.jcstress.backpressure;

import org.jspecify.annotations.NullMarked;
