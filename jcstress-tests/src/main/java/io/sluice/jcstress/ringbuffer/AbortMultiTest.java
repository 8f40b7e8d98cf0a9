package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * On a ring for many producers, an aborted slot is never delivered, and the one published behind it is. If not, a
 * consumer would handle what a producer gave back half-filled. Results: how many sequences the first poll that found
 * any went on, and the sum of the versions delivered in the end.
 */
@JCStressTest
@Outcome(id = "0, 2", expect = ACCEPTABLE, desc = "nothing was published yet")
@Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "the abort was seen alone")
@Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "both were seen at once")
@Outcome(expect = FORBIDDEN, desc = "the aborted slot was delivered, or the other one was not")
@Proof(
        claim = "an aborted slot is never delivered (many producers)",
        overlap = {"1, 2"},
        twins = {"abort-mark-late-multi"})
@State
public class AbortMultiTest extends AbortState {
    /** An empty ring. */
    public AbortMultiTest() {
        super(Stand.multi(4));
    }

    /** Aborts and publishes. */
    @Actor
    public void producer() {
        abortAndPublish();
    }

    /**
     * Polls.
     *
     * @param r how far
     */
    @Actor
    public void consumer(JJ_Result r) {
        r.r1 = pollSoon();
    }

    /**
     * Polls the rest.
     *
     * @param r the sum
     */
    @Arbiter
    public void end(JJ_Result r) {
        r.r2 = delivered();
    }
}
