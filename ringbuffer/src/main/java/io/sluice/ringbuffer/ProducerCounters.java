package io.sluice.ringbuffer;

import io.sluice.core.OpaqueCounters;
import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/*
 * The counters of a producer that has met a full ring. Its thread writes, monitors read. Once its producer is closed or its thread
 * has ended, the next producer that needs counters takes these over and goes on counting. So a ring keeps no more of them than it
 * had producers at once, and sums over all of them never fall.
 */

/** The counters of a producer that has met a full ring. Its thread writes; any thread reads, each figure is recent. */
public final class ProducerCounters {
    private static final int STALLS = 0;
    private static final int STALLED_NANOS = 1;
    private static final int REFUSED = 2;
    private static final int DROPPED = 3;
    private static final int WAITS_FOR = 4;
    private static final int WAITS_SINCE = 5;
    private static final int SIZE = 6;

    /** The result of {@link #waitsFor} while the producer does not wait. */
    public static final long NOT_WAITING = -1;

    private final OpaqueCounters counts = new OpaqueCounters(SIZE);

    private Thread thread;

    // under the lock of AllProducerCounters
    private Producer<?> user;

    ProducerCounters(Thread thread, Producer<?> user) {
        this.thread = thread;
        this.user = user;
        counts.set(WAITS_FOR, NOT_WAITING);
    }

    // under the lock of AllProducerCounters

    void takeOver(Thread next, Producer<?> nextUser) {
        user = nextUser;
        counts.set(WAITS_FOR, NOT_WAITING);
        THREAD.setRelease(this, next); // release: the thread's name, to monitors
    }

    boolean isUsedBy(Producer<?> producer) {
        return user == producer;
    }

    // the producer's thread

    void stallBegins(long wanted, long now) {
        counts.add(STALLS, 1);
        counts.set(WAITS_SINCE, now);
        counts.set(WAITS_FOR, wanted);
    }

    void stallEnds(long waited) {
        counts.set(WAITS_FOR, NOT_WAITING);
        counts.add(STALLED_NANOS, waited);
    }

    void refused() {
        counts.add(REFUSED, 1);
    }

    void dropped(long events) {
        counts.add(DROPPED, events);
    }

    /**
     * Whether it waits for room now.
     *
     * @return a recent value
     */
    public boolean isWaiting() {
        return waitsFor() != NOT_WAITING;
    }

    // monitors

    /**
     * The thread of the producer that uses these counters now.
     *
     * @return the thread
     */
    public Thread thread() {
        return (Thread) THREAD.getAcquire(this); // acquire: sees the thread's name
    }

    /**
     * How often it had to wait for room.
     *
     * @return 0 or more; never falls
     */
    public long stalls() {
        return counts.get(STALLS);
    }

    /**
     * How long it has waited for room, without a wait that has not ended.
     *
     * @return nanoseconds, 0 or more; never falls
     */
    public long stalledNanos() {
        return counts.get(STALLED_NANOS);
    }

    /**
     * How many claims got no room: at once, or within their time.
     *
     * @return 0 or more; never falls
     */
    public long refusals() {
        return counts.get(REFUSED);
    }

    /**
     * How many events it has dropped as the newest.
     *
     * @return 0 or more; never falls
     */
    public long drops() {
        return counts.get(DROPPED);
    }

    /**
     * The sequence for which the producer waits until there is room.
     *
     * @return the sequence, {@link #NOT_WAITING} if it does not wait
     */
    public long waitsFor() {
        return counts.get(WAITS_FOR);
    }

    /**
     * Since when it waits.
     *
     * @return a time of {@link System#nanoTime()}; of the last wait if it does not wait now
     */
    public long waitsSince() {
        return counts.get(WAITS_SINCE);
    }

    private static final VarHandle THREAD =
            VarHandles.field(MethodHandles.lookup(), ProducerCounters.class, "thread", Thread.class);
}
