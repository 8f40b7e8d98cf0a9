package io.sluice.jcstress.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.core.SequenceView;

/**
 * A gating sequence of the user's own that holds nobody back, but takes its time to be read: until something has happened
 * elsewhere, or for so long. Declared first, it stands between a producer's read of the gating list and of the sequences.
 */
final class SlowGate implements SequenceView {
    private final Sequence happened = new Sequence(0);
    private boolean slow;

    // the producer's thread only
    private int met;

    /** Begins to take its time. Before the actors begin. */
    void arm() {
        slow = true;
    }

    /** The event that the reader waits for has happened. */
    void happened() {
        happened.setRelease(1); // release: what happened comes before
    }

    /** 1 if it happened while a producer was between the list and the sequences, else 0. */
    int met() {
        return met;
    }

    @Override
    public long get() {
        if (slow && happened.getAcquire() == 0) { // acquire: what happened
            for (int i = 0; i < RingFixtures.ATTEMPTS && met == 0; i++) {
                Thread.onSpinWait();
                met = (int) happened.getAcquire(); // acquire: what happened
            }
        }
        return Long.MAX_VALUE;
    }
}
