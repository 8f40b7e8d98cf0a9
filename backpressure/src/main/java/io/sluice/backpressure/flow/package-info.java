/**
 * Connects rings and rate limits with {@link java.util.concurrent.Flow}. {@link io.sluice.backpressure.flow.RingFlowPublisher}
 * gives the events of a ring to a subscriber. {@link io.sluice.backpressure.flow.PacedFlowSubscriber} gives the items of any
 * publisher to a {@link io.sluice.backpressure.rate.PacedPublisher}.
 *
 * <p>Guarantees: both pass the Reactive Streams TCK. A subscriber gets no more than it requested; the rest waits in the ring. Both
 * are agents without threads of their own, and neither blocks by itself.
 *
 * <p>Of the other packages of the module, this one uses {@link io.sluice.backpressure.rate} only.
 */
@NullMarked
package io.sluice.backpressure.flow;

import org.jspecify.annotations.NullMarked;
