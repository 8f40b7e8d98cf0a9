package com.lmax.disruptor;

/**
 * Gives the event of a sequence.
 *
 * @param <T> the type of the events
 */
public interface DataProvider<T> {
    /**
     * The event that stands in the slot of a sequence. The caller must own the sequence: it has claimed it, or a barrier has
     * returned it.
     *
     * @param sequence the sequence
     * @return the event
     */
    T get(long sequence);
}
