package io.sluice.perf.flow;

import io.sluice.core.bytes.SafeBuffer;

/** Slots of bytes side by side in a {@link BareRing}; the payload is written and read through the same flyweight as elsewhere. */
public final class BareSlots extends BareRing {
    private final SafeBuffer buffer;
    private final int length;
    private final int mask;
    private final Figures figures;

    /**
     * Starts the consumer, on core 1.
     *
     * @param capacity how many slots, a power of two
     * @param length how many bytes a slot holds, a multiple of 8
     */
    public BareSlots(int capacity, int length) {
        super(capacity);
        this.length = length;
        mask = capacity - 1;
        buffer = SafeBuffer.allocateDirect(capacity * length);
        figures = new Figures(length, buffer);
        start("bare-slots");
    }

    @Override
    void write(long at, long value) {
        Figures.encode(buffer, ((int) at & mask) * length, length, value, 0);
    }

    @Override
    long read(long from, long end) {
        Figures figures = this.figures;
        SafeBuffer buffer = this.buffer;
        int length = this.length;
        int mask = this.mask;
        long all = 0;
        for (long at = from; at < end; at++) {
            all += figures.wrap(buffer, ((int) at & mask) * length).sum();
        }
        return all;
    }
}
