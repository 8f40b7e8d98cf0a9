package com.lmax.disruptor;

import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/*
 * The threads that sleep until the cursor moves. The word of a waiting thread is a SignalledIdle of a group: it announces
 * that it will park, looks at the cursor once more, and parks only if nothing has come. A publisher publishes, makes a full
 * fence, and reads one word, which is raised only while somebody waits. So a publication takes no lock if nobody waits for it.
 *
 * A thread borrows a SignalledIdle for one wait and gives it back. There are as many as ever waited at once.
 *
 * Before it sleeps, a thread looks for its event for about 2.5 us. Where the publisher shares the thread's core, the event cannot
 * come meanwhile, and each look keeps the publisher from going on. So after FEW sleeps in a row only one in MANY begins with a look.
 * A look that sees its event come makes each sleep begin with a look again. An event that is there at once says nothing about looks.
 */
final class Sleepers {
    static final long NO_LIMIT = SignalledIdle.NO_DEADLINE;

    static final int LOOKS = 100;
    static final int FEW = 4;
    static final int MANY = 16;

    private final SignalGroup group = new SignalGroup(true);

    /**
     * How many sleeps there were since a look last saw its event come. A hint: all threads that wait
     * write it, and may overwrite each other's.
     */
    private final Sequence sleepsInARow = new Sequence(0);

    private final Deque<SignalledIdle> free = new ArrayDeque<>();

    /**
     * Waits until the cursor has reached a sequence, and then until the sequences that the consumer follows have.
     *
     * @param limitNanos how long the cursor may take; {@link #NO_LIMIT} for any time
     */
    long waitFor(long sequence, Sequence cursor, Sequence dependent, SequenceBarrier barrier, long limitNanos)
            throws AlertException, InterruptedException, TimeoutException {
        if (!comes(sequence, cursor, barrier)) {
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

    /** Whether the cursor has reached a sequence, or reaches it while this thread looks. */
    private boolean comes(long sequence, Sequence cursor, SequenceBarrier barrier) throws AlertException {
        long before = sleepsInARow.get(); // acquire: a hint
        int looks = before < FEW || before % MANY == 0 ? LOOKS : 0;
        int looked = 0;
        for (; looked < looks && cursor.get() < sequence; looked++) {
            barrier.checkAlert();
            Thread.onSpinWait();
        }
        boolean comes = cursor.get() >= sequence;
        if (!comes || looked > 0) {
            sleepsInARow.set(comes ? 0 : before + 1); // release: a hint
        }
        return comes;
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
