package io.sluice.ringbuffer.pipeline;

/**
 * Empties events that every consumer has finished, so that the ring keeps nothing alive that they refer to. See {@link
 * Pipeline#clearEventsWith}.
 *
 * @param <E> the events' type
 */
@FunctionalInterface
public interface EventClearer<E> {
    /**
     * Empties an event. Called once for each sequence, in their order, aborted ones included, on one thread.
     *
     * @param event the event, in whatever state it is
     * @throws Exception which goes to the failure policy
     */
    void clear(E event) throws Exception;

    /**
     * Empties the event of a sequence. For events that need the sequence to tell which slot it is; by default {@link #clear(Object)}.
     *
     * @param event the event, in whatever state it is
     * @param sequence its sequence
     * @throws Exception which goes to the failure policy
     */
    default void clear(E event, long sequence) throws Exception {
        clear(event);
    }
}
