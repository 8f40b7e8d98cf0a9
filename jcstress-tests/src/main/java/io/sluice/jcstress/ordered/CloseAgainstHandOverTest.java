package io.sluice.jcstress.ordered;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Meeting;
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
 * A drainer has handed the rest to an executor; its thread begins with it while the scheduler is closed: the executor's thread or
 * the closer has the role, and the rest is delivered or discarded, once. Results: what was handed out (7: the second one
 * discarded), and whether the account says the same.
 */
@JCStressTest
@Outcome(id = "12, 1", expect = ACCEPTABLE, desc = "the executor's thread delivered it")
@Outcome(id = "17, 1", expect = ACCEPTABLE, desc = "it was discarded")
@Outcome(expect = FORBIDDEN, desc = "two drainers, or none")
@Proof(
        claim = "of a closer and an executor one has the role that was handed over",
        overlap = {"12, 1"},
        twins = {"ordered-hand-over-cas"})
@State
public class CloseAgainstHandOverTest {
    private final Log log = new Log();
    private final Meeting meeting = new Meeting();
    private final AtomicReference<Runnable> handed = new AtomicReference<>();
    private final OrderedScheduler<Integer> scheduler = SchedulerFixtures.taken(
            OrderedScheduler.builder(log).window(2).batchLimit(1, handed::set).build(), 2);

    /** One delivered, the other one on its way to the executor. */
    public CloseAgainstHandOverTest() {
        SchedulerFixtures.complete(scheduler, 1, 2);
        SchedulerFixtures.complete(scheduler, 0, 1);
    }

    /** Runs the task. */
    @Actor
    public void executor() {
        meeting.one();
        try {
            java.util.Objects.requireNonNull(handed.get(), "the task").run();
        } catch (RuntimeException broken) {
            log.add(SchedulerFixtures.BROKEN);
        }
    }

    /** Closes. */
    @Actor
    public void closer() {
        meeting.other();
        scheduler.close();
    }

    /**
     * Looks.
     *
     * @param r what was handed out, and the account
     */
    @Arbiter
    public void look(II_Result r) {
        r.r1 = log.digits();
        var account = scheduler.totals();
        r.r2 = account.settled() && account.delivered() + account.discarded() == 2 ? 1 : 0;
    }
}
