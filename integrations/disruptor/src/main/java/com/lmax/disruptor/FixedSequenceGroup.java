package com.lmax.disruptor;

import com.lmax.disruptor.util.Util;
import io.sluice.core.check.Check;
import java.util.Arrays;

/** The lowest of several sequences, to be read only. The group does not change. */
public final class FixedSequenceGroup extends Sequence {
    private final Sequence[] sequences;

    /**
     * Creates a group.
     *
     * @param sequences its members; the array is copied
     * @throws NullPointerException if one of them is null
     */
    public FixedSequenceGroup(Sequence[] sequences) {
        this.sequences = sequences.clone();
        for (Sequence sequence : this.sequences) {
            Check.notNull(sequence, "sequences");
        }
    }

    /**
     * The lowest value of the members. One acquire read for each.
     *
     * @return it; {@link Long#MAX_VALUE} if there are none
     */
    @Override
    public long get() {
        return Util.getMinimumSequence(sequences);
    }

    @Override
    public String toString() {
        return Arrays.toString(sequences);
    }

    /**
     * Refused.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    public void set(long value) {
        throw refused();
    }

    /**
     * Refused.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    public boolean compareAndSet(long expectedValue, long newValue) {
        throw refused();
    }

    /**
     * Refused.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    public long incrementAndGet() {
        throw refused();
    }

    /**
     * Refused.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    public long addAndGet(long increment) {
        throw refused();
    }

    private static UnsupportedOperationException refused() {
        return new UnsupportedOperationException("the sequence must be that of one consumer, but was a fixed group");
    }
}
