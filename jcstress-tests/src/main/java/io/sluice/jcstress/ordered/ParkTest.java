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
 * J10. The window is full and a taker parks; the head is completed: the taker is woken, or finds the room itself, and never
 * sleeps on. Results: the ticket it got (-3: it slept for its whole time), and whether it parked.
 */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "there was room before it parked")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "woken")
@Outcome(expect = FORBIDDEN, desc = "left asleep while there was room")
@Proof(
        claim = "a ticket taker that parks is woken when there is room",
        overlap = {"1, 1"},
        twins = {"ordered-wakes-nobody"})
@State
public class ParkTest {
    private static final int SPINS = 60;
    private static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(500);

    private final Sequence ended = new Sequence(0);
    private final OrderedScheduler<Integer> scheduler = SchedulerFixtures.scheduler(new Log(), 1, 1);

    /**
     * Takes a ticket.
     *
     * @param r which, and whether it had to park
     */
    @Actor
    public void taker(JI_Result r) {
        long began = System.nanoTime();
        long ticket = scheduler.next(LONGEST, TimeUnit.NANOSECONDS);
        long roomSince = ended.getAcquire(); // acquire: the time when there was room for certain; 0 before
        boolean leftAsleep = roomSince != 0 && System.nanoTime() - Math.max(began, roomSince) > LONGEST / 2;
        r.r1 = leftAsleep ? OrderedScheduler.TIMED_OUT : ticket;
        r.r2 = scheduler.snapshot().parks() > 0 ? 1 : 0;
    }

    /** Completes the head, at about the time when the taker has spun enough. */
    @Actor
    public void finisher() {
        for (int i = 0; i < SPINS && scheduler.snapshot().parks() == 0; i++) {
            Thread.onSpinWait();
        }
        SchedulerFixtures.complete(scheduler, 0, 1);
        ended.setRelease(System.nanoTime() | 1); // release: after the completion
    }
}
