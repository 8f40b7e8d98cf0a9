package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy;

/**
 * How one consumer of a pipeline works. Set before the pipeline starts, by the thread that builds it.
 *
 * @param <E> the events' type
 */
public interface ConsumerSettings<E> {
    /** The batch limit of a consumer that others depend on, unless set: {@value}. */
    long DEPENDED_ON_BATCH_LIMIT = 128;

    /**
     * Names the consumer.
     *
     * @param name unique in the pipeline; the default is the handler's class, or {@code consumer-N}
     * @return this
     * @throws IllegalArgumentException if another consumer has the name
     * @throws IllegalStateException if the pipeline has started
     */
    ConsumerSettings<E> name(String name);

    /**
     * Decides what happens when the handler throws. The default is the pipeline's.
     *
     * @param policy the policy
     * @return this
     * @throws IllegalStateException if the pipeline has started
     */
    ConsumerSettings<E> onFailure(FailurePolicy<? super E> policy);

    /**
     * Limits batches, so that dependents and producers see progress soon. A batch is never longer than a quarter of the
     * ring.
     *
     * @param limit 1 or more sequences; the default is {@value #DEPENDED_ON_BATCH_LIMIT} where something depends on the
     *     consumer, none elsewhere
     * @return this
     * @throws IllegalArgumentException if the limit is below 1
     * @throws IllegalStateException if the pipeline has started
     */
    ConsumerSettings<E> batchLimit(long limit);

    /**
     * Calls {@link EventHandler#onTimeout} once whenever nothing was available for this time.
     *
     * @param nanos 1 or more nanoseconds; the default is never
     * @return this
     * @throws IllegalArgumentException if the time is below 1
     * @throws IllegalStateException if the pipeline has started
     */
    ConsumerSettings<E> timeout(long nanos);

    /**
     * Allows the handler to {@linkplain ConsumerHandle#finish finish} events for those who follow. They then look at each event of a
     * batch, instead of once a batch, wherever there may be a finished one.
     *
     * @return this
     * @throws IllegalArgumentException if it has no handler that could
     * @throws IllegalStateException if the pipeline has started, the ring has handed out claims, or its consumers shed
     */
    ConsumerSettings<E> finishesEvents();

    /**
     * Runs the consumer on a named thread; consumers that name the same share it, and are called in the order of their
     * declaration.
     *
     * @param thread the thread's name; the default is the consumer's own name, a thread of its own
     * @return this
     * @throws IllegalStateException if the pipeline has started
     */
    ConsumerSettings<E> thread(String thread);
}
