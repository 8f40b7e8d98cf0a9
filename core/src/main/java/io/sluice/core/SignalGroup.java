package io.sluice.core;

import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/*
 * Publishers read one word, `waiting`, however many members there are, and it changes only when one of them is about to park.
 * It says too whether the group is exact, so that a timed one that is quiet costs one read and one comparison.
 *
 *   RAISED   by a member, after it has stored WAITING in its idle word, before its last cycle; by the thread that adds a member
 *   lowered  by the waker that found it raised, before it looks at the members' idle words
 *
 * Both by an exchange, so that each sees what the one before it did: a waker that lowers what a member has raised sees that
 * member's WAITING, and a member that raises after it sees what that waker has published. A member that is added while it
 * waits has not raised the word here; so it is raised for it, and the next waker looks at all.
 *
 * A waker that is cut off raises the word again. A member that it could not unpark is not RUNNING, so the next waker unparks it. Another
 * waker, which has lowered this word meanwhile or another group's, relies on nobody: it unparks each member that is not RUNNING itself.
 *
 * Not promised: that another waker wakes the members while the one that has lowered the word is descheduled before it looks at
 * them. If that one is cut off then, the word is raised again, and the next signal wakes them: see WakeUps in the ring.
 *
 * The word has the line to itself and what publishers read with it, since what lies beside the object may change at each event.
 */
abstract class SignalGroupBefore {
    @SuppressWarnings("unused")
    private int p00; // fills what the header leaves, so that no field below does

    @SuppressWarnings("unused")
    private long p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15, p16;
}

abstract class SignalGroupFields extends SignalGroupBefore {
    static final VarHandle WAITING =
            VarHandles.field(MethodHandles.lookup(), SignalGroupFields.class, "waiting", int.class);
    static final VarHandle MEMBERS =
            VarHandles.field(MethodHandles.lookup(), SignalGroupFields.class, "members", SignalledIdle[].class);

    private static final SignalledIdle[] NONE = {};

    int waiting;

    SignalledIdle[] members = NONE;
}

/**
 * The idle strategies that one publisher, or one stage of a graph, wakes: one fence for all of them, and none if the group
 * is timed. Members are added under a lock, off the hot path.
 *
 * <p>An exact group makes its fence before it looks whether a member waits. So a member that had not been added when the fence
 * was made finds in its next cycle what was published.
 */
public final class SignalGroup extends SignalGroupFields implements Signal {
    private static final int TIMED = 0;
    private static final int EXACT = 1;
    private static final int RAISED = 2;

    /** The word while nobody waits: {@link #TIMED} or {@link #EXACT}. */
    private final int quiet;

    @SuppressWarnings("unused")
    private long q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15, q16;

    /**
     * Creates an empty group.
     *
     * @param exact whether members may be exact; then each signal makes a full fence
     */
    public SignalGroup(boolean exact) {
        quiet = exact ? EXACT : TIMED;
        WAITING.setRelease(this, quiet); // release: whoever is handed the group sees whether it is exact
    }

    /**
     * Another group of the same kind.
     *
     * @return an empty group, exact if this one is
     */
    public SignalGroup empty() {
        return new SignalGroup(quiet == EXACT);
    }

    /**
     * Adds a member; one that is in already is not added twice. Any thread; locks.
     *
     * @param idle the member
     * @throws IllegalArgumentException if the member is exact and the group is not: its wake-ups would be missed
     */
    public synchronized void add(SignalledIdle idle) {
        checkAdmits(idle);
        SignalledIdle[] now = members;
        for (SignalledIdle member : now) {
            if (member == idle) {
                return;
            }
        }
        SignalledIdle[] next = Arrays.copyOf(now, now.length + 1);
        next[now.length] = idle;
        MEMBERS.setVolatile(this, next); // volatile: before the member, and the next waker, can be told
        try {
            idle.joined(this);
        } catch (Throwable t) { // no memory: it has not been added
            MEMBERS.setVolatile(this, now); // volatile: as above
            throw t;
        }
        raise(); // it may wait already
    }

    /**
     * Refuses what {@link #add} would refuse. Any thread.
     *
     * @param idle the member that would be added
     * @throws IllegalArgumentException if it is exact and the group is not: its wake-ups would be missed
     */
    public void checkAdmits(SignalledIdle idle) {
        if (idle.isExact() && quiet != EXACT) {
            throw new IllegalArgumentException(
                    "idle must be a timed strategy, since this group makes no fence, but was " + idle);
        }
    }

    /**
     * Takes a member out. Any thread; locks. A signal under way may still wake it.
     *
     * @param idle the member; one that is not in is no error
     */
    public synchronized void remove(SignalledIdle idle) {
        // volatile: as add
        MEMBERS.setVolatile(
                this, Arrays.stream(members).filter(member -> member != idle).toArray(SignalledIdle[]::new));
        idle.left(this);
    }

    /** A member is about to park, and has said so in its idle word. */
    void raise() {
        WAITING.getAndSet(
                this, quiet | RAISED); // exchange: after the idle word; sees what the last waker has published
    }

    /**
     * Wakes every member that waits. Any thread, after it has published. Cost: one full fence if the group is exact, then
     * one read of a word that changes only when a member is about to park; after that, one read for each member, and an unpark
     * for each that is not awake.
     */
    @Override
    public void signal() {
        if ((int) WAITING.getOpaque(this) == TIMED) { // opaque: all that a timed group needs
            return;
        }
        if (quiet == EXACT) {
            VarHandle.fullFence(); // full: the caller's publication | the read of the word; see SignalledIdle.idle
            if ((int) WAITING.getOpaque(this) == EXACT) { // opaque: ordered by the fence, and by the exchange in wake
                return;
            }
        }
        wakeAll();
    }

    /** If it is cut off, as by a stack overflow, it raises the word again: the next waker looks at all once more. */
    private void wakeAll() {
        try {
            wake();
        } catch (Throwable t) {
            waiting = quiet | RAISED; // plain, which takes no stack: a word that is raised in vain costs a look
            for (SignalledIdle member : (SignalledIdle[]) MEMBERS.getAcquire(this)) { // acquire: as in wake
                try {
                    member.signalAfterFence();
                } catch (Throwable again) {
                    // the next waker does it; the others are woken all the same
                }
            }
            throw t;
        }
    }

    private void wake() {
        WAITING.getAndSet(this, quiet); // exchange: before the idle words, which were stored before it was raised
        SignalledIdle[] now = (SignalledIdle[]) MEMBERS.getAcquire(this); // acquire: sees the members' fields
        for (SignalledIdle member : now) {
            member.signalAfterFence();
        }
    }
}
