/** A ring and an ordered scheduler, joined. */
@NullMarked
package io.sluice.examples.ordered;

import org.jspecify.annotations.NullMarked;
