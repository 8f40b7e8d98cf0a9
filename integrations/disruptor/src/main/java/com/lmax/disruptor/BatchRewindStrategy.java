package com.lmax.disruptor;

/** Decides whether a batch is handed out again. Called by the processor's thread. */
public interface BatchRewindStrategy {
    /**
     * Decides.
     *
     * @param e what the handler threw
     * @param attempts how often this batch has failed now, from 1
     * @return what is to be done
     */
    RewindAction handleRewindException(RewindableException e, int attempts);
}
