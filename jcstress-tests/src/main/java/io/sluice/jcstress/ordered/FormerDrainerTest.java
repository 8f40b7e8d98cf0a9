package io.sluice.jcstress.ordered;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Meeting;
import io.sluice.jcstress.Proof;
import io.sluice.ordered.Turns;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A former drainer looks whether it still is the drainer, as a thread that waits for room does, while another one takes the
 * turn. Results: whether it was taken for the drainer, and whether it looked both before and after the other had come.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "looked before or after")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "looked while the other took the turn")
@Outcome(expect = FORBIDDEN, desc = "taken for the drainer")
@Proof(
        claim = "a thread that was the drainer is not taken for it while another one is",
        overlap = {"0, 1"},
        twins = {"ordered-former-drainer"})
@State
public class FormerDrainerTest {
    private final Meeting meeting = new Meeting();
    private final Turns turns = new Turns(2);

    /**
     * Completes the first ticket, and then looks.
     *
     * @param r what it saw
     */
    @Actor
    public void former(II_Result r) {
        turns.complete(0);
        meeting.one();
        long first = turns.head();
        for (int i = 0; i < SchedulerFixtures.ATTEMPTS; i++) {
            if (turns.isMine()) {
                r.r1 = 1;
            }
        }
        r.r2 = first < turns.head() ? 1 : 0;
    }

    /** Completes the second ticket. */
    @Actor
    public void present() {
        meeting.other();
        turns.complete(1);
    }
}
