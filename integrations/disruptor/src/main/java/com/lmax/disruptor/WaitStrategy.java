package com.lmax.disruptor;

/** How a consumer waits for the next event. Programs may bring their own. One object may serve several consumers. */
public interface WaitStrategy {
    /**
     * Waits until a sequence is reached. Called by consumers' threads.
     *
     * @param sequence the sequence
     * @param cursor the ring's cursor
     * @param dependentSequence whom the consumer follows: the cursor, or the lowest of other consumers
     * @param barrier whose {@link SequenceBarrier#checkAlert} is to be called while it waits
     * @return how far the dependent sequence has come; it may be lower than asked for
     * @throws AlertException if the barrier is alerted
     * @throws InterruptedException if the thread is interrupted
     * @throws TimeoutException if a time limit of the strategy has passed
     */
    long waitFor(long sequence, Sequence cursor, Sequence dependentSequence, SequenceBarrier barrier)
            throws AlertException, InterruptedException, TimeoutException;

    /** Wakes all threads that wait. Called after each publication by the producer's thread, and by an alert. */
    void signalAllWhenBlocking();
}
