package io.sluice.ringbuffer;

import io.sluice.core.SequenceView;
import io.sluice.core.Sequences;
import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/** The sequences that producers must not overtake by more than the capacity. Any thread. Changes take a lock, reads take none. */
public final class GatingSequences {
    private static final SequenceView[] NONE = {};

    private SequenceView[] list = NONE;

    GatingSequences() {}

    /**
     * The lowest gating sequence. Costs an acquire read for each.
     *
     * @param none what to return if there is none, or all are beyond
     * @return the lowest sequence, or {@code none}
     */
    public long minimum(long none) {
        for (; ; ) {
            SequenceView[] before = listAcquire();
            long minimum = Sequences.minimum(before, none); // acquire inside
            if (listAcquire() == before) { // acquire, after the sequences: a list that changed meanwhile is read again
                return minimum;
            }
        }
    }

    SequenceView[] listAcquire() {
        return (SequenceView[]) LIST.getAcquire(this); // acquire: sees the members' start
    }

    /**
     * Lets sequences gate.
     *
     * @param added the sequences, none of which is there
     */
    public synchronized void add(SequenceView... added) {
        SequenceView[] next = Arrays.copyOf(list, list.length + added.length);
        System.arraycopy(added, 0, next, list.length, added.length);
        LIST.setRelease(this, next); // release: the members' start
    }

    /**
     * Lets producers pass a sequence.
     *
     * @param removed the sequence
     * @return whether it was there
     */
    public synchronized boolean remove(SequenceView removed) {
        for (int i = 0; i < list.length; i++) {
            if (list[i] == removed) {
                SequenceView[] next = new SequenceView[list.length - 1];
                System.arraycopy(list, 0, next, 0, i);
                System.arraycopy(list, i + 1, next, i, next.length - i);
                LIST.setRelease(this, next); // release: nothing more of the removed one is waited for
                return true;
            }
        }
        return false;
    }

    /**
     * How many there are.
     *
     * @return a recent value
     */
    public int size() {
        return listAcquire().length;
    }

    /**
     * Whether a sequence gates. Allocates nothing.
     *
     * @param sequence the sequence
     * @return a recent value
     */
    public boolean contains(SequenceView sequence) {
        for (SequenceView one : listAcquire()) {
            if (one == sequence) {
                return true;
            }
        }
        return false;
    }

    private static final VarHandle LIST =
            VarHandles.field(MethodHandles.lookup(), GatingSequences.class, "list", SequenceView[].class);
}
