package io.sluice.ringbuffer.pipeline;

import io.sluice.ringbuffer.SlotMarks;

/*
 * Union of aborted events and events finished upstream; the reader skips both. Each upstream consumer has its own marks, written
 * before the progress that the reader acquires. This is a class of its own so that loops of rings without such consumers stay as
 * they are: only once it is loaded does the compiler have two to tell apart, once a batch.
 */
final class CombinedMarks extends SlotMarks {
    private final SlotMarks aborted;
    private final SlotMarks[] finished;

    CombinedMarks(SlotMarks aborted, SlotMarks[] finished) {
        super(1); // no marks of its own
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
