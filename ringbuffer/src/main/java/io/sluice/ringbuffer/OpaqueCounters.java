package io.sluice.ringbuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/*
 * Some counters of one writer, for monitors. Each is written with one opaque store, so that counting orders nothing and costs
 * no more than a move; what a monitor reads is recent, and the counters of one writer need not fit together. The array keeps
 * 128 bytes free on both sides, so that a monitor's reads take no cache line of the writer's other work.
 */
final class OpaqueCounters {
    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

    /** Longs that keep neighbours away. */
    private static final int PADDING = 16;

    private final long[] counts;

    OpaqueCounters(int size) {
        counts = new long[PADDING + size + PADDING];
    }

    /** Adds. The writer only. */
    void add(int which, long n) {
        COUNT.setOpaque(
                counts, PADDING + which, counts[PADDING + which] + n); // opaque: a counter for monitors, no order
    }

    /** Sets. The writer only. */
    void set(int which, long value) {
        COUNT.setOpaque(counts, PADDING + which, value); // opaque: for monitors, no order
    }

    /** A recent value. Any thread. */
    long get(int which) {
        return (long) COUNT.getOpaque(counts, PADDING + which); // opaque: a counter for monitors, no order
    }
}
