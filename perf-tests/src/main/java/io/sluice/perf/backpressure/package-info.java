/** {@code ./sluice bench limiter}: what a rate limit costs an acquire and how exact it is, beside the limiters of others. */
@NullMarked
package io.sluice.perf.backpressure;

import org.jspecify.annotations.NullMarked;
