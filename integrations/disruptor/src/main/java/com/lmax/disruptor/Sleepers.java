package com.lmax.disruptor;

import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/*
 * Who sleeps until the cursor moves. The word of a waiting thread is a SignalledIdle of a group: it announces that it will
 * park, looks at the cursor once more, and parks only if nothing has come. A publisher publishes, makes a full fence, and
 * reads one word, which is raised only while somebody waits. So a publication that nobody waits for takes no lock.
 *
 * A thread borrows a SignalledIdle for one wait and gives it back. There are as many as ever waited at once.
 */
final class Sleepers {
    static final long NO_LIMIT = SignalledIdle.NO_DEADLINE;

    private static final int SPINS = 100;

    private final SignalGroup group = new SignalGroup(true);
    private final Deque<SignalledIdle> free = new ArrayDeque<>();

    /**
     * Waits until the cursor has reached a sequence, and then until those whom the consumer follows have.
     *
     * @param limitNanos how long the cursor may take; {@link #NO_LIMIT} for any time
     */
    long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier, long limitNanos)
            throws AlertException, InterruptedException, TimeoutException {
        for (int i = 0; i < SPINS && cursor.get() < sequence; i++) {
            barrier.checkAlert();
            Thread.onSpinWait();
        }
        if (cursor.get() < sequence) {
            SignalledIdle idle = borrow();
            try {
                sleep(idle, sequence, cursor, barrier, limitNanos);
            } finally {
                giveBack(idle);
            }
        }
        long available = dependent.get();
        for (int attempt = 0; available < sequence; available = dependent.get()) {
            barrier.checkAlert();
            attempt = RoomPause.pause(attempt); // nobody signals when a consumer moves on
        }
        return available;
    }

    private static void sleep(
            SignalledIdle idle, long sequence, Sequence cursor, SequenceBarrier barrier, long limitNanos)
            throws AlertException, InterruptedException, TimeoutException {
        long start = limitNanos == NO_LIMIT ? 0 : System.nanoTime();
        while (cursor.get() < sequence) {
            barrier.checkAlert();
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (limitNanos != NO_LIMIT) {
                if (System.nanoTime() - start >= limitNanos) {
                    throw TimeoutException.INSTANCE;
                }
                idle.deadline(start + limitNanos);
            }
            idle.idle();
        }
    }

    /** Wakes all. Any thread, after it has published; a full fence and one read while nobody waits. */
    void signal() {
        group.signal();
    }

    private SignalledIdle borrow() {
        synchronized (free) {
            @Nullable SignalledIdle idle = free.poll();
            if (idle != null) {
                return idle;
            }
        }
        SignalledIdle idle = SignalledIdle.exact(0);
        group.add(idle);
        return idle;
    }

    private void giveBack(SignalledIdle idle) {
        idle.reset();
        synchronized (free) {
            free.push(idle);
        }
    }
}
