package com.lmax.disruptor;

/** A loop that takes events from a ring. A thread runs it. */
public interface EventProcessor extends Runnable {
    /**
     * How far it has come. Any thread.
     *
     * @return its progress, always the same object
     */
    Sequence getSequence();

    /** Asks the loop to end after the batch in hand. Any thread; does not wait for the end. */
    void halt();

    /**
     * Whether it runs. Any thread.
     *
     * @return true from the start of {@link #run} to its end
     */
    boolean isRunning();
}
