package io.sluice.ringbuffer.pipeline;

import io.sluice.ringbuffer.SlotMarks;

/*
 * What a consumer passes over that follows consumers which may finish events: what producers have aborted, and what those
 * consumers, each in its own marks, have finished. Marks are written before the progress that the consumer acquires. A class
 * of its own, so that loops of rings without such consumers stay as they are: only once this class is loaded the compiler
 * has two to tell apart, once a batch.
 */
final class CombinedMarks extends SlotMarks {
    private final SlotMarks aborted;
    private final SlotMarks[] finished;

    CombinedMarks(int capacity, SlotMarks aborted, SlotMarks[] finished) {
        super(capacity);
        this.aborted = aborted;
        this.finished = finished.clone();
    }

    @Override
    public boolean anyFrom(long sequence) {
        for (SlotMarks marks : finished) {
            if (marks.anyFrom(sequence)) {
                return true;
            }
        }
        return aborted.anyFrom(sequence);
    }

    @Override
    public boolean isSkipped(long sequence) {
        for (SlotMarks marks : finished) {
            if (marks.isSkipped(sequence)) {
                return true;
            }
        }
        return aborted.isSkipped(sequence);
    }
}
