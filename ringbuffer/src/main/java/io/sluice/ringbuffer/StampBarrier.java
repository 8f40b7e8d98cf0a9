package io.sluice.ringbuffer;

import io.sluice.core.SequenceBarrier;

/** Follows the stamps of a ring of objects with many producers; remembers how far it has seen, so that a cut batch is not scanned twice. */
final class StampBarrier implements SequenceBarrier {
    private final ArrayStamps stamps;

    // the consumer's thread only
    private long seen = -1;

    StampBarrier(ArrayStamps stamps) {
        this.stamps = stamps;
    }

    @Override
    public long available(long next) {
        long highest = seen;
        if (highest < next) {
            highest = stamps.available(next); // acquire inside
            seen = highest;
        }
        return highest;
    }
}
