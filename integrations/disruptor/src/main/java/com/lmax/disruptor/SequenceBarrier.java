package com.lmax.disruptor;

/** Tells a consumer how far it may read. */
public interface SequenceBarrier {
    /**
     * Waits by the wait strategy until a sequence may be read. Called by the consumer's thread.
     *
     * @param sequence what the consumer wants to read next
     * @return the highest sequence that may be read; it may be lower than asked for
     * @throws AlertException if the barrier is alerted
     * @throws InterruptedException if the thread is interrupted and the wait strategy heeds it
     * @throws TimeoutException if the wait strategy has a time limit that has passed
     */
    long waitFor(long sequence) throws AlertException, InterruptedException, TimeoutException;

    /**
     * The progress of the sequences that it follows. Any thread.
     *
     * @return the lowest of their sequences
     */
    long getCursor();

    /**
     * Whether it is alerted. Any thread.
     *
     * @return whether {@link #waitFor} throws
     */
    boolean isAlerted();

    /** Alerts it and wakes all that wait. Any thread. */
    void alert();

    /** Ends the alert. Any thread. */
    void clearAlert();

    /**
     * Throws if it is alerted. Wait strategies call it while they wait.
     *
     * @throws AlertException if it is alerted
     */
    void checkAlert() throws AlertException;
}
