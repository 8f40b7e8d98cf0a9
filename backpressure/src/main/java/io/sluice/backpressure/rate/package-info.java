/**
 * Limits how many messages are sent in a second. {@link io.sluice.backpressure.rate.RateLimiter} grants permits at a rate that any
 * thread may change at any time. {@link io.sluice.backpressure.rate.PacedPublisher} takes a permit for each message before it
 * publishes the message.
 *
 * <p>Guarantees: a rate is exact over any length of time, and a burst never exceeds its bound. A change of rate neither loses
 * permits nor makes new ones. An acquire takes no lock and allocates nothing; without a limit it reads no clock.
 *
 * <p>This package uses none of the other packages of the module.
 */
@NullMarked
package io.sluice.backpressure.rate;

import org.jspecify.annotations.NullMarked;
