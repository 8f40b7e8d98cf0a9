/** {@code ./sluice bench limiter}: the cost of a rate limit for each acquire, and its exactness, beside the limiters of others. */
@NullMarked
package io.sluice.perf.backpressure;

import org.jspecify.annotations.NullMarked;
