package io.sluice.batching.journal;

/** What a repair or a check found. */
public final class JournalReport {
    private final long firstSequence;
    private final long nextSequence;
    private final int segments;
    private final long tornBytes;
    private final String tornAt;

    JournalReport(long firstSequence, long nextSequence, int segments, long tornBytes, String tornAt) {
        this.firstSequence = firstSequence;
        this.nextSequence = nextSequence;
        this.segments = segments;
        this.tornBytes = tornBytes;
        this.tornAt = tornAt;
    }

    /**
     * The first sequence that the journal holds.
     *
     * @return the sequence; equal to {@link #nextSequence()} if it holds none
     */
    public long firstSequence() {
        return firstSequence;
    }

    /**
     * The sequence after the last one that can be read.
     *
     * @return the sequence that the next record will have
     */
    public long nextSequence() {
        return nextSequence;
    }

    /**
     * How many segments there are.
     *
     * @return the number, 1 or more
     */
    public int segments() {
        return segments;
    }

    /**
     * How many bytes behind the last readable record were not blank.
     *
     * @return from the end of the last readable record to the last byte that was not zero; 0 if the tail is whole
     */
    public long tornBytes() {
        return tornBytes;
    }

    /**
     * Where the torn tail starts.
     *
     * @return file and offset; empty if the tail is whole
     */
    public String tornAt() {
        return tornAt;
    }

    @Override
    public String toString() {
        return "sequences " + firstSequence + " to " + (nextSequence - 1) + " in " + segments + " segments, "
                + (tornBytes == 0 ? "whole tail" : tornBytes + " torn bytes at " + tornAt);
    }
}
