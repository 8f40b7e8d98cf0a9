package io.sluice.jcstress.ordered;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.Sequence;
import io.sluice.jcstress.Proof;
import io.sluice.ordered.OrderedScheduler;
import java.util.concurrent.atomic.AtomicReference;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * J12. A drainer at its batch limit hands the rest to an executor, which runs the task twice, on two threads: one of them
 * delivers the rest, once. Results: what was delivered, and whether the executor's thread had the task while the giver was still there.
 */
@JCStressTest
@Outcome(id = "12, 0", expect = ACCEPTABLE, desc = "the executor's thread came too late")
@Outcome(id = "12, 1", expect = ACCEPTABLE, desc = "both ran the task")
@Outcome(expect = FORBIDDEN, desc = "two drainers, or none")
@Proof(
        claim = "the drainer's role is handed over to exactly one thread",
        overlap = {"12, 1"},
        twins = {"ordered-hand-over-cas"})
@State
public class HandOverTest {
    private final Log log = new Log();
    private final AtomicReference<Runnable> handed = new AtomicReference<>();
    private final Sequence ended = new Sequence(0);
    private final OrderedScheduler<Integer> scheduler = SchedulerFixtures.taken(
            OrderedScheduler.builder(log).window(2).batchLimit(1, handed::set).build(), 2);

    private void runHanded() {
        Runnable task = handed.get();
        if (task != null) {
            try {
                task.run();
            } catch (RuntimeException broken) {
                log.add(SchedulerFixtures.BROKEN);
            }
        }
    }

    /** Delivers one, hands the other over, and runs the task itself. */
    @Actor
    public void giver() {
        SchedulerFixtures.complete(scheduler, 1, 2);
        SchedulerFixtures.complete(scheduler, 0, 1);
        runHanded();
        ended.setRelease(1); // release: after its run
    }

    /**
     * Runs the task as soon as it is there.
     *
     * @param r whether the other was still at it
     */
    @Actor
    public void executor(II_Result r) {
        for (int i = 0; handed.get() == null && i < SchedulerFixtures.ATTEMPTS; i++) {
            Thread.onSpinWait();
        }
        r.r2 = handed.get() != null && ended.getAcquire() == 0 ? 1 : 0; // acquire: the giver is over
        runHanded();
    }

    /**
     * Looks.
     *
     * @param r what was delivered
     */
    @Arbiter
    public void look(II_Result r) {
        r.r1 = log.digits();
    }
}
