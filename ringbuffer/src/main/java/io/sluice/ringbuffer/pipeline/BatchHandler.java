package io.sluice.ringbuffer.pipeline;

import io.sluice.ringbuffer.RingBuffer;

/**
 * Handles a range of events at once and owns the loop over them. Called by the one thread that runs the handler's processor.
 *
 * @param <E> the events' type
 */
@FunctionalInterface
public interface BatchHandler<E> {
    /**
     * Handles events. The range holds live events only: where slots were aborted, the batch is handed over in parts.
     *
     * @param ring where the events are: {@link RingBuffer#get}
     * @param lo the first sequence
     * @param hi the last sequence, inclusive
     * @return the last sequence that is done, from {@code lo - 1} (none) to {@code hi}; the rest is handed over again: at once
     *     if some were done, else after the runner's idle strategy; a {@link io.sluice.core.SignalledIdle} does not park for more
     *     than 100 µs then, the default one for up to 1 ms
     * @throws Exception if it fails; the consumer's {@link io.sluice.core.FailurePolicy} decides what happens then: SKIP passes over
     *     the whole range, RETRY_EVENT hands it over again
     */
    long onBatch(RingBuffer<E> ring, long lo, long hi) throws Exception;
}
