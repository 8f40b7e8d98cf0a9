package io.sluice.jcstress.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.jcstress.Meeting;
import org.agrona.concurrent.IdleStrategy;

/** How a publisher waits for room in a test: it spins, and gives up a good while after nobody can come any more. */
final class GivingUpIdle implements IdleStrategy {
    /** A publisher was left waiting. */
    static final class LeftWaitingException extends RuntimeException {
        private static final long serialVersionUID = 1;

        LeftWaitingException() {
            super("left waiting", null, false, false);
        }
    }

    private static final int MOST = 1_000;

    private final Meeting meeting = new Meeting();
    private final Sequence over = new Sequence(0);

    // the publisher's thread only
    private int waited;
    private int waitedInVain;

    /** Called by a thread that is about to end the wait: the wait has begun, unless the publisher takes long. */
    void begun() {
        meeting.other();
    }

    /** Called when all threads that could end the wait have done so. */
    void over() {
        over.setRelease(1); // release: what ended the wait comes before
    }

    /** 1 if the publisher had to wait, else 0. */
    int waited() {
        return waited;
    }

    @Override
    public void idle() {
        if (waited == 0) {
            waited = 1;
            meeting.one();
        }
        if (over.getAcquire() == 1 && ++waitedInVain > MOST) { // acquire: so the end is visible in all that follows
            throw new LeftWaitingException();
        }
        Thread.onSpinWait();
    }

    @Override
    public void idle(int workCount) {
        if (workCount == 0) {
            idle();
        }
    }

    @Override
    public void reset() {}
}
