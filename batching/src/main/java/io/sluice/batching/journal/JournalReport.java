package io.sluice.batching.journal;

/**
 * The result of a repair or a check.
 *
 * @param firstSequence the first sequence that the journal holds; equal to {@code nextSequence} if it holds none
 * @param nextSequence the sequence after the last one that can be read, which the next record will have
 * @param segments how many segments there are, 1 or more
 * @param tornBytes how many bytes from the end of the last readable record to the last byte that is not zero; 0 if the tail is whole
 * @param tornAt file and offset where the torn tail starts; empty if the tail is whole
 */
public record JournalReport(long firstSequence, long nextSequence, int segments, long tornBytes, String tornAt) {
    @Override
    public String toString() {
        return "sequences " + firstSequence + " to " + (nextSequence - 1) + " in " + segments + " segments, "
                + (tornBytes == 0 ? "whole tail" : tornBytes + " torn bytes at " + tornAt);
    }
}
