package io.sluice.jcstress.core;

import io.sluice.core.bytes.SafeBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory off the heap for the states of tests. Each gets a part of one slab, which is used again many states later: jcstress keeps
 * 10,240 states at most. To allocate for each state would take most of the time that a test has.
 */
final class Slab {
    private static final int LENGTH = SafeBuffer.ALLOCATED_ALIGNMENT;
    private static final int PARTS = 1 << 16;
    private static final SafeBuffer ALL = SafeBuffer.allocateDirect(PARTS * LENGTH);
    private static final AtomicInteger NEXT = new AtomicInteger();

    private Slab() {}

    /** A buffer of 128 zeros, two cache lines of its own. */
    static SafeBuffer part() {
        int part = NEXT.getAndIncrement() & (PARTS - 1);
        SafeBuffer buffer = new SafeBuffer(ALL, part * LENGTH, LENGTH);
        buffer.setMemory(0, LENGTH, (byte) 0);
        return buffer;
    }
}
