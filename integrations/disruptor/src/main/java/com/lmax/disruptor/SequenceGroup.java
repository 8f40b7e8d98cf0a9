package com.lmax.disruptor;

import com.lmax.disruptor.util.Util;
import io.sluice.core.access.VarHandles;
import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/** The lowest of several sequences, which come and go. Any thread; changes copy an array. */
public final class SequenceGroup extends Sequence {
    private static final Sequence[] NONE = {};
    private static final VarHandle MEMBERS =
            VarHandles.field(MethodHandles.lookup(), SequenceGroup.class, "members", Sequence[].class);

    private Sequence[] members = NONE;

    /** Creates an empty group. */
    public SequenceGroup() {}

    /**
     * The lowest value of the members. One acquire read for each.
     *
     * @return it; {@link Long#MAX_VALUE} if there are none
     */
    @Override
    public long get() {
        return Util.getMinimumSequence(members());
    }

    /**
     * Sets all members.
     *
     * @param value the new value
     */
    @Override
    public void set(long value) {
        for (Sequence member : members()) {
            member.set(value);
        }
    }

    /**
     * Adds a member at the value it has. While a ring runs, {@link #addWhileRunning} is the right way.
     *
     * @param sequence the member
     */
    public void add(Sequence sequence) {
        Check.notNull(sequence, "sequence");
        Sequence[] now;
        Sequence[] next;
        do {
            now = members();
            next = Arrays.copyOf(now, now.length + 1);
            next[now.length] = sequence;
        } while (!MEMBERS.compareAndSet(this, now, next));
    }

    /**
     * Takes a member out, wherever it stands.
     *
     * @param sequence the member
     * @return whether it was one
     */
    public boolean remove(Sequence sequence) {
        Sequence[] now;
        Sequence[] next;
        do {
            now = members();
            next = Gating.without(now, sequence);
            if (next.length == now.length) {
                return false;
            }
        } while (!MEMBERS.compareAndSet(this, now, next));
        return true;
    }

    /**
     * How many members there are.
     *
     * @return the number
     */
    public int size() {
        return members().length;
    }

    /**
     * Adds a member while a ring runs: sets it to the cursor, adds it, and sets it again, so that it does not hold back claims
     * that were made in between.
     *
     * @param cursored the ring
     * @param sequence the member
     */
    public void addWhileRunning(Cursored cursored, Sequence sequence) {
        sequence.set(cursored.getCursor());
        add(sequence);
        sequence.set(cursored.getCursor());
    }

    private Sequence[] members() {
        return (Sequence[]) MEMBERS.getVolatile(this); // volatile: pairs with the CAS of add and remove
    }
}
