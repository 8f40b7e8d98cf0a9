package io.sluice.ringbuffer;

import io.sluice.core.SequenceBarrier;

/** Follows the stamps in slots of bytes; remembers how far it has seen, so that a cut batch is not scanned twice. */
final class SlotBarrier implements SequenceBarrier {
    private final SlotStamps stamps;

    // the consumer's thread only
    private long seen = -1;

    SlotBarrier(SlotStamps stamps) {
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
