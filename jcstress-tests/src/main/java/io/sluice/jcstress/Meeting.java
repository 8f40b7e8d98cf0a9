package io.sluice.jcstress;

import io.sluice.core.Sequence;

/** Lets two actors go on at about the same time, so that a race of a few instructions is met often. */
public final class Meeting {
    private static final int ATTEMPTS = 200;

    private final Sequence one = new Sequence(0);
    private final Sequence other = new Sequence(0);

    /** A meeting to which nobody has come yet. */
    public Meeting() {}

    /** The one is here, and waits a little for the other. */
    public void one() {
        meet(one, other);
    }

    /** The other is here, and waits a little for the one. */
    public void other() {
        meet(other, one);
    }

    private static void meet(Sequence own, Sequence others) {
        own.setRelease(1); // release: here
        for (int i = 0; i < ATTEMPTS && others.getAcquire() == 0; i++) { // acquire: the other one, too
            Thread.onSpinWait();
        }
    }
}
