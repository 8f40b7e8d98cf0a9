package io.sluice.core;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The idle strategies that one publisher, or one stage of a graph, wakes: one fence for all of them, and none if the group
 * is timed. Members are added under a lock, off the hot path.
 *
 * <p>An exact group makes its fence before it reads the list of members. So a member that was not in the list yet had not
 * been added when the fence was made, and its runner, started after that, finds in its first cycle what was published.
 */
public final class SignalGroup implements Signal {
    private static final SignalledIdle[] NONE = {};

    private final boolean exact;

    private SignalledIdle[] members = NONE;

    /**
     * Creates an empty group.
     *
     * @param exact whether members may be exact; then each signal makes a full fence
     */
    public SignalGroup(boolean exact) {
        this.exact = exact;
    }

    /**
     * Another group of the same kind.
     *
     * @return an empty group, exact if this one is
     */
    public SignalGroup empty() {
        return new SignalGroup(exact);
    }

    /**
     * Adds a member; one that is in already is not added twice. Any thread; locks. To be called before the member's runner
     * starts.
     *
     * @param idle the member
     * @throws IllegalArgumentException if the member is exact and the group is not: its wake-ups would be missed
     */
    public synchronized void add(SignalledIdle idle) {
        if (idle.isExact() && !exact) {
            throw new IllegalArgumentException("idle " + idle + ": this group makes no fence, allowed are timed ones");
        }
        SignalledIdle[] now = members;
        for (SignalledIdle member : now) {
            if (member == idle) {
                return;
            }
        }
        SignalledIdle[] next = Arrays.copyOf(now, now.length + 1);
        next[now.length] = idle;
        MEMBERS.setVolatile(this, next); // volatile: before the first cycle of the member's runner
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
    }

    /**
     * Wakes every member that waits. Any thread, after it has published. Cost: one full fence if the group is exact, then
     * one acquire read for the list and one for each member; an unpark for each that waits.
     */
    @Override
    public void signal() {
        if (exact) {
            VarHandle.fullFence(); // full: the caller's publication | the reads of the list and of the idle words
        }
        SignalledIdle[] now = (SignalledIdle[]) MEMBERS.getAcquire(this); // acquire: sees the members' fields
        for (SignalledIdle member : now) {
            member.signalAfterFence();
        }
    }

    private static final VarHandle MEMBERS;

    static {
        try {
            MEMBERS = MethodHandles.lookup().findVarHandle(SignalGroup.class, "members", SignalledIdle[].class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
