package io.sluice.ringbuffer;

/**
 * Told each event that was dropped because the ring was full.
 *
 * @param <E> the events' type
 */
@FunctionalInterface
public interface DropHandler<E> {
    /**
     * An event is dropped. Called by the thread that drops it. An exception of the handler reaches that thread's caller; the event
     * stays dropped, and counted.
     *
     * @param event the event, filled; valid only during the call
     */
    void onDrop(E event);
}
