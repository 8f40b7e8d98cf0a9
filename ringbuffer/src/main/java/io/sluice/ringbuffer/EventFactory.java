package io.sluice.ringbuffer;

/**
 * Makes the events that fill the ring when it is built.
 *
 * @param <E> the events' type
 */
@FunctionalInterface
public interface EventFactory<E> {
    /**
     * Makes one event. Called once a slot, by the thread that builds the ring.
     *
     * @return a new event, never null, never the same twice
     */
    E newInstance();
}
