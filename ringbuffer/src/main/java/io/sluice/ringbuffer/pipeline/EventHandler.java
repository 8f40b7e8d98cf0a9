package io.sluice.ringbuffer.pipeline;

/**
 * Handles events, one at a time, in the order of their sequences. The one thread that runs the handler's processor calls all methods but
 * {@link #extendsBatch}, which the thread calls that makes the processor.
 *
 * @param <E> the events' type
 */
@FunctionalInterface
public interface EventHandler<E> {
    /**
     * Handles one event. Dependents and producers see progress after the batch, or earlier by {@link ConsumerHandle#progress}. Until then
     * a failure policy may hand the batch over again.
     *
     * @param event the event in its slot; the slot is reused later, so nothing of it may be kept
     * @param sequence the slot's sequence
     * @param endOfBatch whether this is the last live event of the batch
     * @throws Exception if it fails; the consumer's {@link io.sluice.core.FailurePolicy} decides what happens then
     */
    void onEvent(E event, long sequence, boolean endOfBatch) throws Exception;

    /**
     * Whether the processor looks for further events before it delivers the last one of a batch, and makes them part of the
     * same batch, up to its limit. For handlers whose end of a batch is expensive, such as a send or a {@code force}: then a
     * batch does not end while there is more to add. Progress comes that much later. Asked once, when the processor is
     * made. Each look costs one acquire read of what is available. Workers and stages divided by key ignore it.
     *
     * @return whether batches are extended; by default not
     */
    default boolean extendsBatch() {
        return false;
    }

    /**
     * Called before the first event of a batch, and again when a batch is rewound.
     *
     * @param size how many sequences the batch spans, aborted ones included; it may grow if batches are extended. On a ring of
     *     messages it counts from the batch's first message, which is handled next, and all messages of the batch begin within it
     * @param available how many sequences were available when the batch was cut, at least {@code size}
     */
    default void onBatchStart(long size, long available) {}

    /**
     * Called after the last event of a batch, also when that event was skipped, and before progress is published. Not
     * called for a batch of which the handler gets no event.
     *
     * @param sequence the last sequence of the batch
     * @throws Exception if it fails; the consumer's {@link io.sluice.core.FailurePolicy} decides what happens then
     */
    default void onBatchEnd(long sequence) throws Exception {}

    /**
     * Called when nothing was available for the consumer's {@linkplain NewConsumer#timeout(java.time.Duration) time-out}, once until the
     * next batch; and whenever the time of {@link #timeoutAfterNanos()} is over before the next batch. If it throws and the consumer's
     * {@link io.sluice.core.FailurePolicy} retries, the consumer calls it again: when {@link #timeoutAfterNanos()} says, or after 100 µs.
     *
     * @param sequence the last sequence handled
     */
    default void onTimeout(long sequence) {}

    /**
     * How long from now until the handler wants {@link #onTimeout} if no event comes before, whatever time-out the processor
     * has. For handlers that owe something after a batch, such as a {@code force}. The consumer asks once when nothing is available
     * after a batch, and after each {@code onTimeout}. It asks while it is paused too, while a {@link
     * ControlledMessageHandler} answers {@code ABORT}, behind a batch of which the handler gets nothing, and on a failed ring until it
     * has ended. Neither a pause nor such a batch puts the time off.
     *
     * @return nanoseconds, 0 or less for now; {@link Long#MAX_VALUE}, the default, if it is not wanted
     */
    default long timeoutAfterNanos() {
        return Long.MAX_VALUE;
    }

    /** Called once, before the first event. Not called if the consumer was {@linkplain ConsumerHandle#remove removed} before it began. */
    default void onStart() {}

    /** Called once, after the last event, whatever ended the processor. Not called if the consumer was removed before it began. */
    default void onShutdown() {}
}
