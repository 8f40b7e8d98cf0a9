/** What back pressure is built from: rate limiters, and receivers that watch their fill and say NAK. */
@NullMarked
package io.sluice.backpressure;

import org.jspecify.annotations.NullMarked;
