package com.lmax.disruptor.util;

import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.Sequence;
import io.sluice.core.check.Check;

/** Arithmetic on sequences and sizes. Any thread; nothing blocks but {@link #awaitNanos}. */
public final class Util {
    private static final int NANOS_PER_MILLI = 1_000_000;

    /** Creates an object that nobody needs: all methods are static. */
    public Util() {}

    /**
     * The lowest power of two that is not below a number.
     *
     * @param x the number, from 1 to 2^30
     * @return the power of two
     */
    public static int ceilingNextPowerOfTwo(int x) {
        return 1 << (Integer.SIZE - Integer.numberOfLeadingZeros(x - 1));
    }

    /**
     * The lowest of several sequences.
     *
     * @param sequences the sequences
     * @return the lowest value; {@link Long#MAX_VALUE} if there are none
     */
    public static long getMinimumSequence(Sequence[] sequences) {
        return getMinimumSequence(sequences, Long.MAX_VALUE);
    }

    /**
     * The lowest of several sequences and of a number. Reads the last sequence first.
     *
     * @param sequences the sequences
     * @param minimum the highest value that is returned
     * @return the lowest value
     */
    public static long getMinimumSequence(Sequence[] sequences, long minimum) {
        long lowest = minimum;
        // from the last: the claims of a pool stand after its workers, and are read before them
        for (int i = sequences.length - 1; i >= 0; i--) {
            lowest = Math.min(lowest, sequences[i].get()); // acquire: what was done up to it is visible to the caller
        }
        return lowest;
    }

    /**
     * The sequences of several processors.
     *
     * @param processors the processors
     * @return a new array
     */
    public static Sequence[] getSequencesFor(EventProcessor... processors) {
        Sequence[] sequences = new Sequence[processors.length];
        for (int i = 0; i < sequences.length; i++) {
            sequences[i] = processors[i].getSequence();
        }
        return sequences;
    }

    /**
     * The logarithm to the base of two, rounded down.
     *
     * @param value a positive number
     * @return its logarithm
     * @throws IllegalArgumentException if {@code value} is lower than 1
     */
    public static int log2(int value) {
        Check.inRange(value, 1, Integer.MAX_VALUE, "value");
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(value);
    }

    /**
     * Waits on a monitor, which the caller holds.
     *
     * @param mutex the monitor
     * @param timeoutNanos how long, in nanoseconds
     * @return how much of it is left; 0 or lower if it has passed
     * @throws InterruptedException if the thread is interrupted
     */
    @SuppressWarnings({"WaitNotInLoop", "SynchronizeOnNonFinalField"}) // the caller has the loop
    public static long awaitNanos(Object mutex, long timeoutNanos) throws InterruptedException {
        if (timeoutNanos == 0) {
            return 0; // to a monitor that means: without a limit
        }
        long start = System.nanoTime();
        mutex.wait(timeoutNanos / NANOS_PER_MILLI, (int) (timeoutNanos % NANOS_PER_MILLI));
        return timeoutNanos - (System.nanoTime() - start);
    }
}
