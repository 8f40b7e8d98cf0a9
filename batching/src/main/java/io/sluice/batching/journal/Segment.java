package io.sluice.batching.journal;

/**
 * One segment of a journal.
 *
 * @param index its number, which is also in its file's name
 * @param firstSequence the sequence of its first record, also if it has none yet
 */
record Segment(long index, long firstSequence) {}
