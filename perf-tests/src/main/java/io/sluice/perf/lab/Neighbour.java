package io.sluice.perf.lab;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** A thread beside the ring: it replaces live objects, again and again, by new ones, or writes the same values into the old ones. */
final class Neighbour {
    private static final int LIVING = 1 << 18;
    private static final int A_TURN = 8_192;
    private static final int WORDS = 12;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The kinds of its work. */
    enum Kind {
        /** Makes an object of about 112 bytes for each that it replaces. */
        MAKES_GARBAGE,
        /** The same, and asks for a collection at its beginning. */
        ASKS_FOR_A_COLLECTION,
        /** Writes into the objects that are there. */
        REUSES
    }

    private final Kind kind;
    private final long[][] living = new long[LIVING][];
    private final AtomicBoolean ended = new AtomicBoolean();
    private final Thread thread;

    Neighbour(Kind kind) {
        this.kind = kind;
        for (int i = 0; i < LIVING; i++) {
            living[i] = new long[WORDS];
        }
        thread = ToAndFro.platform().start(this::run);
    }

    private void run() {
        SplittableRandom random = new SplittableRandom(1);
        if (kind == Kind.ASKS_FOR_A_COLLECTION) {
            LockSupport.parkNanos(10 * PAUSE_NANOS); // the ring is at work by then
            System.gc();
        }
        while (!ended.getOpaque()) { // opaque: seen some time soon, orders nothing
            for (int i = 0; i < A_TURN; i++) {
                int at = random.nextInt(LIVING);
                long[] next = kind == Kind.REUSES ? living[at] : new long[WORDS];
                next[0] = i;
                living[at] = next;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    /** Ends it, and waits until it has ended. */
    void end() throws InterruptedException {
        ended.setOpaque(true); // opaque: as above
        thread.join();
    }
}
