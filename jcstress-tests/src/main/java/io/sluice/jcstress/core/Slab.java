package io.sluice.jcstress.core;

import io.sluice.core.bytes.SafeBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Memory off the heap for the states of tests: one buffer, of which each state gets a part. A part is used again many states later:
 * jcstress keeps 10,240 states at most.
 *
 * <p>jcstress makes its states within the time that a test has, in code that no compiler has seen yet. So a state holds one number, and
 * four writes clear the part that it stands for: a buffer for each state, cleared as a whole, took all of that time.
 */
final class Slab {
    /** Where the second cache line of a part is, from its begin. */
    static final int OTHER = 64;

    private static final int LENGTH = 2 * OTHER;
    private static final int PARTS = 1 << 15;

    /** All parts. */
    static final SafeBuffer BUFFER = SafeBuffer.allocateDirect(PARTS * LENGTH);

    private static final AtomicInteger NEXT = new AtomicInteger();

    private Slab() {}

    /** Where a part begins: two cache lines of its own, each with 16 bytes of zeros at its begin. */
    static int part() {
        int part = (NEXT.getAndIncrement() & (PARTS - 1)) * LENGTH;
        BUFFER.putLong(part, 0);
        BUFFER.putLong(part + Long.BYTES, 0);
        BUFFER.putLong(part + OTHER, 0);
        BUFFER.putLong(part + OTHER + Long.BYTES, 0);
        return part;
    }
}
