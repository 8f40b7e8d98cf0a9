package io.sluice.core;

import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counters of one writer, for monitors. Each is written with one opaque store, so counting orders nothing and costs no more than a
 * move. A monitor reads recent values; the counters of one writer need not fit together. The array keeps 128 bytes free on both
 * sides: a monitor's reads take no cache line of the writer's other work.
 */
public final class OpaqueCounters {
    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

    /** Longs that keep neighbours away. */
    private static final int PADDING = 16;

    private final long[] counts;

    /**
     * All counters are 0.
     *
     * @param size how many, from 1 to 2147483615
     * @throws IllegalArgumentException if it is out of its range
     */
    public OpaqueCounters(int size) {
        Check.inRange(size, 1, Integer.MAX_VALUE - 2 * PADDING, "size");
        counts = new long[PADDING + size + PADDING];
    }

    /**
     * Adds. The writer only.
     *
     * @param which the counter, from 0
     * @param n what to add
     */
    public void add(int which, long n) {
        COUNT.setOpaque(
                counts, PADDING + which, counts[PADDING + which] + n); // opaque: a counter for monitors, no order
    }

    /**
     * Sets. The writer only.
     *
     * @param which the counter, from 0
     * @param value its new value
     */
    public void set(int which, long value) {
        COUNT.setOpaque(counts, PADDING + which, value); // opaque: for monitors, no order
    }

    /**
     * A recent value. Any thread.
     *
     * @param which the counter, from 0
     * @return its value
     */
    public long get(int which) {
        return (long) COUNT.getOpaque(counts, PADDING + which); // opaque: a counter for monitors, no order
    }
}
