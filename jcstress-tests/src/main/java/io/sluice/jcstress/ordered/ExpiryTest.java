package io.sluice.jcstress.ordered;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.Sequence;
import io.sluice.jcstress.Meeting;
import io.sluice.jcstress.Proof;
import io.sluice.ordered.OrderedScheduler;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * J8. A ticket's time is over: it is expired by a watchdog while its owner completes it. Exactly one of them has it. Results:
 * what the owner was told (1 delivered, -3 expired), how many the watchdog expired, what was handed out (9: the expiry),
 * and whether the watchdog had come to its end when the owner was told.
 */
@JCStressTest
@Outcome(
        id = {"1, 0, 1, [01]"},
        expect = ACCEPTABLE,
        desc = "the owner came first")
@Outcome(id = "-3, 1, 9, 1", expect = ACCEPTABLE, desc = "expired before")
@Outcome(id = "-3, 1, 9, 0", expect = ACCEPTABLE, desc = "the owner came while it was being expired")
@Outcome(expect = FORBIDDEN, desc = "both, or none")
@Proof(
        claim = "of expiry and completion exactly one has the ticket",
        overlap = {"-3, 1, 9, 0"},
        twins = {"ordered-turn-by-store"})
@State
public class ExpiryTest {
    private final Log log = new Log();
    private final Meeting meeting = new Meeting();
    private final Sequence ended = new Sequence(0);
    private final OrderedScheduler<Integer> scheduler = SchedulerFixtures.taken(
            OrderedScheduler.builder(log).window(2).timeLimit(1).build(), 1);

    /**
     * Completes it.
     *
     * @param r what it was told
     */
    @Actor
    public void owner(IIII_Result r) {
        meeting.one();
        r.r1 = SchedulerFixtures.complete(scheduler, 0, 1);
        r.r4 = (int) ended.getAcquire(); // acquire: the watchdog is over
    }

    /**
     * Expires it.
     *
     * @param r how many it expired
     */
    @Actor
    public void watchdog(IIII_Result r) {
        meeting.other();
        try {
            r.r2 = scheduler.expireOverdue();
        } catch (RuntimeException broken) {
            r.r2 = SchedulerFixtures.BROKEN;
        }
        ended.setRelease(1); // release: after the expiry
    }

    /**
     * Looks.
     *
     * @param r what was handed out
     */
    @Arbiter
    public void look(IIII_Result r) {
        r.r3 = log.digits();
    }
}
