package io.sluice.jcstress.ordered;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.Sequence;
import io.sluice.jcstress.Proof;
import io.sluice.ordered.OrderedScheduler;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JI_Result;

/**
 * The window is full, the head's owner does not come, and a taker parks without a limit; the scheduler is closed: the taker
 * sees it before it parks, or is woken. Results: what it got (-3: it slept for its whole time), and whether it parked.
 */
@JCStressTest
@Outcome(id = "-4, 0", expect = ACCEPTABLE, desc = "closed before it parked")
@Outcome(id = "-4, 1", expect = ACCEPTABLE, desc = "woken")
@Outcome(expect = FORBIDDEN, desc = "left asleep beside a closed scheduler")
@Proof(
        claim = "a ticket taker that parks is woken by a close",
        overlap = {"-4, 1"},
        twins = {"ordered-close-wakes-nobody"})
@State
public class CloseAgainstParkTest {
    private static final int SPINS = 60;
    private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(500);

    private final Sequence ended = new Sequence(0);
    private final OrderedScheduler<Integer> scheduler = SchedulerFixtures.scheduler(new Log(), 1, 1);

    /**
     * Takes a ticket.
     *
     * @param r what it got, and whether it had to park
     */
    @Actor
    public void taker(JI_Result r) {
        long began = System.nanoTime();
        long ticket = scheduler.next(LONGEST, TimeUnit.NANOSECONDS);
        long closedSince = ended.getAcquire(); // acquire: the time when it was closed for certain; 0 before
        boolean parked = scheduler.snapshot().parks() > 0;
        boolean leftAsleep =
                parked && closedSince != 0 && System.nanoTime() - Math.max(began, closedSince) > LONGEST / 2;
        boolean late = ticket == OrderedScheduler.TIMED_OUT && !leftAsleep; // the closer did not run for all that time
        r.r1 = late ? OrderedScheduler.CLOSED : leftAsleep ? OrderedScheduler.TIMED_OUT : ticket;
        r.r2 = parked ? 1 : 0;
    }

    /** Closes, at about the time when the taker has spun enough. */
    @Actor
    public void closer() {
        for (int i = 0; i < SPINS && scheduler.snapshot().parks() == 0; i++) {
            Thread.onSpinWait();
        }
        scheduler.close();
        ended.setRelease(System.nanoTime() | 1); // release: after the close
    }
}
