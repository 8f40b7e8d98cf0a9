package io.sluice.core;

import io.sluice.core.access.VarHandles;
import io.sluice.core.check.Check;
import io.sluice.core.check.FlightRecording;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;

/*
 * The idle word.
 *
 *            runner, after empty cycles               a waker, by CAS
 *   RUNNING ----------------------------------> WAITING ---------------> SIGNALLED
 *      ^                                           |  runner, by CAS         |  runner
 *      +---- runner: found work, or woke ----------+-------------------------+
 *
 * The runner's thread makes all moves but WAITING -> SIGNALLED, which one waker makes by CAS. Every waker that does not find RUNNING
 * unparks, also where it finds SIGNALLED: a stack overflow or a lack of memory may keep the waker that has made the move from its unpark.
 *
 * Exact. The runner stores WAITING, then a full fence, then runs one more complete cycle over everything it serves, and
 * parks only if that cycle was empty and the word still is WAITING. A waker publishes, then a full fence, then reads the
 * word. Of two threads that store, fence, and read the other's store, at least one sees the other: either the cycle finds
 * the publication, or the waker finds WAITING and unparks. unpark before park is kept as a permit, so the order of those
 * two does not matter. Between WAITING and the fence the runner raises the word of each of its groups. Their wakers read that
 * word in place of this one: see SignalGroup.
 *
 * Timed. The waker's fence is left out. Then a wake-up can be missed, and the park's time limit is the net: it starts at
 * minParkNanos and doubles to maxParkNanos while nothing happens, which is also the worst staleness.
 *
 * Not promised: that a signal without a publication makes the runner run (a signal sent while it runs is dropped); that a virtual thread
 * is ever woken if its unpark was cut off behind the permit: the JDK takes it for woken then.
 */

/**
 * An idle strategy that parks its thread and can be woken. Parks only after a complete empty duty cycle that began after the
 * intention to park was announced; so a waker that publishes first and signals second is never missed ({@linkplain #exact()
 * exact}), or is missed for at most a stated time ({@linkplain #timed(long, long) timed}).
 *
 * <p>One object serves one runner. {@link #idle(int)}, {@link #idle()}, {@link #reset()} and {@link #deadline(long)} belong
 * to the runner's thread; {@link #signal()} to any. The caller of {@code idle} must run a <em>complete</em> duty cycle
 * between two calls: {@link Runner} does. Nothing allocates.
 *
 * <p>Source of the protocol: the store-buffering litmus test as solved by Dekker; see also the parking of {@code
 * java.util.concurrent.locks.LockSupport}.
 */
public final class SignalledIdle implements IdleStrategy, Signal {
    /** How many empty cycles are spun through before the thread yields, and then parks, unless said otherwise: {@value}. */
    public static final int DEFAULT_SPINS = 200;

    /** How many cycles with a yield follow, {@value}: where threads share cores, others may then find work for this one. */
    public static final int YIELDS = 50;

    /** No deadline. */
    public static final long NO_DEADLINE = Long.MAX_VALUE;

    private static final SignalGroup[] NO_GROUPS = {};

    private static final int RUNNING = 0;
    private static final int WAITING = 1;
    private static final int SIGNALLED = 2;

    private final boolean exact;
    private final int spins;
    private final int spinsAndYields;
    private final long minParkNanos;
    private final long maxParkNanos;

    // written by the runner's thread only
    private int empty;
    private long parkNanos;
    private long deadline = NO_DEADLINE;
    private long parks;
    private long parkedSince = NO_DEADLINE;

    // shared: see the overview
    private int word;

    private @Nullable Thread waiter;

    // written by those who add this to a group or take it out, under its monitor
    private SignalGroup[] groups = NO_GROUPS;

    private SignalledIdle(boolean exact, int spins, long minParkNanos, long maxParkNanos) {
        this.exact = exact;
        this.spins = spins;
        this.spinsAndYields = spins == 0 ? 0 : (int) Math.min((long) spins + YIELDS, Integer.MAX_VALUE);
        this.minParkNanos = minParkNanos;
        this.maxParkNanos = maxParkNanos;
        this.parkNanos = minParkNanos;
    }

    /**
     * Good for consumers that sleep and must be woken at once: no wake-up is ever missed. Each signal costs the waker one full
     * fence. Spins through {@link #DEFAULT_SPINS} empty cycles, then yields, before it parks.
     *
     * @return a new idle strategy
     */
    public static SignalledIdle exact() {
        return exact(DEFAULT_SPINS);
    }

    /**
     * Good for consumers that sleep and must be woken at once: no wake-up is ever missed. Each signal costs the waker one full
     * fence.
     *
     * @param spins empty cycles to spin through before the thread yields, and then parks; 0 to park at once
     * @return a new idle strategy
     * @throws IllegalArgumentException if {@code spins} is negative
     */
    public static SignalledIdle exact(int spins) {
        return new SignalledIdle(true, checkedSpins(spins), NO_DEADLINE, NO_DEADLINE);
    }

    /**
     * Good for publishers that must not pay a fence, where an event may now and then wait. A signal costs the waker no fence. So a
     * wake-up may be missed; then the thread wakes at the end of its park: after 50 µs at first, doubling to 50 ms while nothing
     * happens.
     *
     * @return a new idle strategy
     */
    public static SignalledIdle timed() {
        return timed(50_000, 50_000_000);
    }

    /**
     * Good for publishers that must not pay a fence, where an event may now and then wait. A signal costs the waker no fence. So a
     * wake-up may be missed; then the thread wakes at the end of its park.
     *
     * @param minParkNanos the first park's limit in nanoseconds, at least 1
     * @param maxParkNanos the limit it doubles to while nothing happens: the worst staleness; at least {@code
     *     minParkNanos}
     * @return a new idle strategy
     * @throws IllegalArgumentException if a limit is out of its range
     */
    public static SignalledIdle timed(long minParkNanos, long maxParkNanos) {
        if (minParkNanos < 1 || maxParkNanos < minParkNanos) {
            throw new IllegalArgumentException(
                    "park times must be 1 <= minParkNanos <= maxParkNanos, but minParkNanos was " + minParkNanos
                            + " and maxParkNanos " + maxParkNanos);
        }
        return new SignalledIdle(false, DEFAULT_SPINS, minParkNanos, maxParkNanos);
    }

    /**
     * As {@link #timed(long, long)}.
     *
     * @param minPark the first park's limit, at least 1 ns
     * @param maxPark the limit it doubles to while nothing happens, at least {@code minPark}
     * @return a new idle strategy
     * @throws IllegalArgumentException as there
     */
    public static SignalledIdle timed(Duration minPark, Duration maxPark) {
        return timed(Check.nanos(minPark, "minPark"), Check.nanos(maxPark, "maxPark"));
    }

    private static int checkedSpins(int spins) {
        Check.inRange(spins, 0, Integer.MAX_VALUE, "spins");
        return spins;
    }

    /**
     * Whether no wake-up is ever missed.
     *
     * @return true for {@link #exact()}, false for {@link #timed()}
     */
    public boolean isExact() {
        return exact;
    }

    /**
     * The longest time for which a wake-up can be missed.
     *
     * @return nanoseconds; 0 if exact
     */
    public long worstStalenessNanos() {
        return exact ? 0 : maxParkNanos;
    }

    /**
     * How often the thread has parked. Any thread; a recent value.
     *
     * @return the number of parks
     */
    public long parks() {
        return (long) PARKS.getOpaque(this); // opaque: a counter for monitors
    }

    /**
     * Since when the thread is parked. Any thread; a recent value.
     *
     * @return a time of {@link System#nanoTime()}; {@link #NO_DEADLINE} while it is not parked
     */
    public long parkedSince() {
        return (long) PARKED_SINCE.getOpaque(this); // opaque: for monitors
    }

    @Override
    public void idle(int workCount) {
        if (workCount > 0) {
            reset();
        } else {
            idle();
        }
    }

    @Override
    public void reset() {
        if ((int) WORD.getOpaque(this) != RUNNING) { // opaque: only this thread leaves the other states for RUNNING
            WORD.setOpaque(this, RUNNING); // opaque: a waker that still sees WAITING unparks in vain, no more
        }
        empty = 0;
        parkNanos = minParkNanos;
        deadline = NO_DEADLINE;
    }

    /**
     * Limits the next park: it ends at this time at the latest. Several calls keep the nearest time; the next {@link
     * #reset()} or park forgets it. Runner's thread only.
     *
     * @param nanoTime a time of {@link System#nanoTime()}; {@link #NO_DEADLINE} for none
     */
    public void deadline(long nanoTime) {
        if (nanoTime != NO_DEADLINE && (deadline == NO_DEADLINE || nanoTime - deadline < 0)) {
            deadline = nanoTime;
        }
    }

    /**
     * Called after a complete cycle without work: spins at first, then yields, then announces the park and returns for one
     * more cycle, then parks. An interrupt ends a park, or prevents it; its flag stays set for the caller. A loop that is to go on
     * after an interrupt clears the flag itself, as {@link Runner} does. Else it does not park again.
     */
    @Override
    @SuppressWarnings("ThreadPriorityCheck") // no order depends on the yields
    public void idle() {
        if (empty < spinsAndYields) {
            if (empty++ < spins) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
            return;
        }
        if ((int) WORD.getOpaque(this) == RUNNING) { // opaque: only this thread makes it RUNNING or WAITING
            WAITER.setOpaque(this, Thread.currentThread()); // opaque: released by the word's store below
            WORD.setVolatile(this, WAITING); // volatile: before the groups are read; with the fence, before the sources
            // volatile: a group that is not seen yet was joined after WAITING, and is raised by the thread that adds
            for (SignalGroup group : (SignalGroup[]) GROUPS.getVolatile(this)) {
                group.raise();
            }
            VarHandle.fullFence(); // full: pairs with the waker's fence in SignalGroup; store words | read sources
            return;
        }
        if ((int) WORD.getAcquire(this) == WAITING) { // acquire: SIGNALLED pairs with the waker's CAS
            park();
        }
        WORD.setOpaque(this, RUNNING); // opaque: the next cycle comes first, then a new announcement
        deadline = NO_DEADLINE;
    }

    /** Adds a group, to be told when this is about to park. Called by the group. */
    synchronized void joined(SignalGroup group) {
        SignalGroup[] next = Arrays.copyOf(groups, groups.length + 1);
        next[groups.length] = group;
        GROUPS.setVolatile(this, next); // volatile: before the group's word is raised for this
    }

    /** Takes a group out. Called by the group. */
    synchronized void left(SignalGroup group) {
        // volatile: as joined
        GROUPS.setVolatile(
                this, Arrays.stream(groups).filter(other -> other != group).toArray(SignalGroup[]::new));
    }

    /** In how many groups it is: each park costs an exchange for each of them. For tests. */
    int groups() {
        return ((SignalGroup[]) GROUPS.getVolatile(this)).length; // volatile: as idle()
    }

    private void park() {
        long limit = parkNanos;
        long now = System.nanoTime();
        if (deadline != NO_DEADLINE) {
            limit = Math.min(limit, deadline - now);
            if (limit <= 0) {
                return;
            }
        }
        if (Thread.currentThread().isInterrupted()) {
            // The flag is the caller's. If it were cleared, a stop of a loop by an interrupt would wait for ever.
            return;
        }
        PARKS.setOpaque(this, parks + 1); // opaque: a counter for monitors
        PARKED_SINCE.setOpaque(this, now); // opaque: for monitors
        @Nullable ParkEvent event = FlightRecording.isUsed() ? ParkEvent.begun() : null;
        if (limit == NO_DEADLINE) {
            LockSupport.park(this);
        } else {
            LockSupport.parkNanos(this, limit);
        }
        PARKED_SINCE.setOpaque(this, NO_DEADLINE); // opaque: for monitors
        if (event != null) {
            event.ended(exact, (int) WORD.getOpaque(this) == SIGNALLED); // opaque: for the event
        }
        parkNanos = parkNanos > maxParkNanos / 2 ? maxParkNanos : parkNanos * 2;
    }

    /** Wakes the runner if it waits. Any thread, after it has published; costs a full fence, and an unpark unless it is awake. */
    @Override
    public void signal() {
        VarHandle.fullFence(); // full: what the caller published | the read of the word; pairs with idle()
        signalAfterFence();
    }

    /** {@link #signal()} for a caller that has made the full fence, or is content with the timed variant's bound. */
    void signalAfterFence() {
        int seen = (int) WORD.getAcquire(this); // acquire: sees the waiter; the order is made by the fences
        if (seen != RUNNING) {
            if (seen == WAITING) {
                WORD.compareAndSet(
                        this, WAITING, SIGNALLED); // CAS: a runner that has gone on is not marked as signalled
            }
            LockSupport.unpark((Thread) WAITER.getAcquire(this)); // acquire: released with WAITING
        }
    }

    @Override
    public String alias() {
        return exact ? "signalled-exact" : "signalled-timed";
    }

    @Override
    public String toString() {
        return exact
                ? "SignalledIdle{exact, spins " + spins + "}"
                : "SignalledIdle{timed, " + minParkNanos + " to " + maxParkNanos + " ns}";
    }

    private static final VarHandle WORD =
            VarHandles.field(MethodHandles.lookup(), SignalledIdle.class, "word", int.class);
    private static final VarHandle WAITER =
            VarHandles.field(MethodHandles.lookup(), SignalledIdle.class, "waiter", Thread.class);
    private static final VarHandle GROUPS =
            VarHandles.field(MethodHandles.lookup(), SignalledIdle.class, "groups", SignalGroup[].class);
    private static final VarHandle PARKS =
            VarHandles.field(MethodHandles.lookup(), SignalledIdle.class, "parks", long.class);
    private static final VarHandle PARKED_SINCE =
            VarHandles.field(MethodHandles.lookup(), SignalledIdle.class, "parkedSince", long.class);
}
