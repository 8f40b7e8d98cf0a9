package io.sluice.jcstress.ringbuffer;

import io.sluice.core.SignalledIdle;
import io.sluice.jcstress.Meeting;
import org.openjdk.jcstress.infra.results.JJI_Result;

/**
 * A runner that is about to park, and another thread that does the thing that it waits for. The two meet just before
 * the runner announces its park, and the other one does it: so the steps that fences must order happen at the same time.
 */
abstract class ParkState {
    /** How many spins the runner may come late: the other one takes longer in one test than in another. */
    private static final int SPINS = 3;

    final SignalledIdle idle = SignalledIdle.exact(0);

    /** The one is the runner; the other comes here when it is about to do it. */
    final Meeting meeting = new Meeting();

    /** The runner's view: less than 0 for nothing. */
    abstract long look();

    /** Looks, announces the park, and looks again, as the complete cycle after that does. */
    final void park(JJI_Result r) {
        r.r1 = look();
        meeting.one();
        for (long i = System.nanoTime() & SPINS; i > 0; i--) {
            Thread.onSpinWait();
        }
        idle.idle();
        r.r2 = look();
    }

    /** Whether the runner would sleep next: 1 if it would although the other one is done, else 0. */
    final int sleeps(long seen) {
        return seen < 0 && RingFixtures.wouldSleep(idle) ? 1 : 0;
    }
}
