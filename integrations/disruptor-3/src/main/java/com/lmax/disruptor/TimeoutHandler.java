package com.lmax.disruptor;

/** A handler that is told when its wait strategy has timed out. */
public interface TimeoutHandler {
    /**
     * Called by the processor's thread.
     *
     * @param sequence the last sequence that was handled
     * @throws Exception whatever goes to the exception handler
     */
    void onTimeout(long sequence) throws Exception;
}
