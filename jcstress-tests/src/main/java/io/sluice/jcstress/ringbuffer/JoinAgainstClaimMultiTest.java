package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A consumer joins a full ring for many producers while it is looked for room: between the producer's read of the list of
 * gating sequences and of the sequences the consumer joins, and the one it rested for goes on. From its join point on it
 * sees each event once, whole. If not, the producer would overwrite events that it has been promised. Results: the join
 * point, how many events were missing in the end, and whether the join came between the two reads.
 */
@JCStressTest
@Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "joined before or after the look")
@Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "joined in the middle of it")
@Outcome(expect = FORBIDDEN, desc = "an event overwritten, doubled or lost")
@Proof(
        claim = "nothing is overwritten for a consumer that joins during a claim (many producers)",
        overlap = {"1, 0, 1"},
        twins = {"gating-second-look"})
@State
public class JoinAgainstClaimMultiTest extends JoinAgainstClaimState {
    /** A full ring. */
    public JoinAgainstClaimMultiTest() {
        super(Stand.multi(2));
    }

    /** Publishes two more. */
    @Actor
    public void producer() {
        publishTwo();
    }

    /**
     * Joins.
     *
     * @param r the join point
     */
    @Actor
    public void joiner(III_Result r) {
        r.r1 = join();
    }

    /**
     * Handles the rest.
     *
     * @param r how many events are missing, and whether they met
     */
    @Arbiter
    public void end(III_Result r) {
        r.r2 = missing(r.r1);
        r.r3 = met();
    }
}
