package com.lmax.disruptor;

/**
 * Claims and publishes sequences, and gives their events.
 *
 * @param <T> the type of the events
 */
public interface EventSequencer<T> extends DataProvider<T>, Sequenced {}
