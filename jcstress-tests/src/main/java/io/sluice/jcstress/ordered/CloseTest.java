package io.sluice.jcstress.ordered;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Meeting;
import io.sluice.jcstress.Proof;
import io.sluice.ordered.OrderedScheduler;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * J11. The scheduler is closed while two tickets are completed, the second first: each accepted ticket is delivered or
 * discarded, once, and in order; the others are refused. Results: which were accepted (1: the first ticket, 2: the
 * second), what was handed out (6 and 7: the first and the second discarded), and whether the account says the same.
 */
@JCStressTest
@Outcome(id = "0, 0, 1", expect = ACCEPTABLE, desc = "closed before")
@Outcome(id = "2, 7, 1", expect = ACCEPTABLE, desc = "closed between the two: the one that waited was discarded")
@Outcome(id = "3, 67, 1", expect = ACCEPTABLE, desc = "closed before the first was delivered")
@Outcome(id = "3, 17, 1", expect = ACCEPTABLE, desc = "closed between the two deliveries")
@Outcome(id = "3, 12, 1", expect = ACCEPTABLE, desc = "closed afterwards")
@Outcome(expect = FORBIDDEN, desc = "accepted, and then neither delivered nor discarded")
@Proof(
        claim = "whatever is accepted is delivered or discarded, whenever close comes",
        overlap = {"2, 7, 1"},
        twins = {"ordered-kill-untold"})
@State
public class CloseTest {
    private final Log log = new Log();
    private final Meeting meeting = new Meeting();
    private final OrderedScheduler<Integer> scheduler = SchedulerFixtures.scheduler(log, 2, 2);

    /**
     * Completes both.
     *
     * @param r which were accepted
     */
    @Actor
    public void finisher(III_Result r) {
        meeting.one();
        int second = SchedulerFixtures.complete(scheduler, 1, 2) >= 0 ? 2 : 0;
        int first = SchedulerFixtures.complete(scheduler, 0, 1) >= 0 ? 1 : 0;
        r.r1 = first + second;
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
    public void look(III_Result r) {
        r.r2 = log.digits();
        var account = scheduler.totals();
        int handed = (int) (account.delivered() + account.discarded());
        r.r3 = account.settled() && handed == Integer.bitCount(r.r1) ? 1 : 0;
    }
}
