package com.lmax.disruptor;

/** Gives the slot of a {@link WorkHandler}'s event back before the handler returns. */
public interface EventReleaser {
    /** Gives the slot back: the producer may use the event again from now on. Called by the handler's thread. */
    void release();
}
