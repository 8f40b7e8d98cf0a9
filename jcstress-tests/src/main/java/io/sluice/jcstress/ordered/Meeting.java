package io.sluice.jcstress.ordered;

import io.sluice.core.Sequence;

/** Lets two actors begin at about the same time, so that a race of a few instructions is met often. */
final class Meeting {
    private final Sequence one = new Sequence(0);
    private final Sequence other = new Sequence(0);

    /** The one is here, and waits a little for the other. */
    void one() {
        meet(one, other);
    }

    /** The other is here, and waits a little for the one. */
    void other() {
        meet(other, one);
    }

    private static void meet(Sequence own, Sequence others) {
        own.setRelease(1); // release: here
        for (int i = 0; i < Stand.ATTEMPTS && others.getAcquire() == 0; i++) { // acquire: the other one, too
            Thread.onSpinWait();
        }
    }
}
