package io.sluice.ringbuffer;

/**
 * Told what was dropped because the ring was full.
 *
 * @param <E> the events' type
 */
@FunctionalInterface
public interface DropHandler<E> {
    /**
     * An event is dropped. Called by the thread that drops it. What it throws reaches that thread's caller; the event stays
     * dropped, and counted.
     *
     * @param event the event, filled; valid only during the call
     */
    void onDrop(E event);
}
