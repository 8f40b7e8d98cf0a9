package com.lmax.disruptor;

/**
 * Makes the events that a ring is filled with.
 *
 * @param <T> the type of the events
 */
public interface EventFactory<T> {
    /**
     * Makes one event. Called once for each slot, by the thread that creates the ring.
     *
     * @return a new event
     */
    T newInstance();
}
