package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.conflation.LatestByKey;
import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * Two values are offered for one key while the consumer polls: the second is delivered, and the first is delivered or
 * conflated, one of the two. If not, a consumer would be left with an old price for good.
 */
@JCStressTest
@Outcome(id = "0, 2, 1", expect = ACCEPTABLE, desc = "the consumer came too early; the first was conflated")
@Outcome(id = "2, 0, 1", expect = ACCEPTABLE, desc = "the consumer came late; the first was conflated")
@Outcome(id = "1, 2, 0", expect = ACCEPTABLE, desc = "the consumer came in between; both were delivered")
@Outcome(expect = FORBIDDEN, desc = "the newest value lost, or one both delivered and conflated, or neither")
@Proof(
        claim = "the newest value of a key is delivered, an older one delivered or conflated",
        overlap = "1, 2, 0",
        twins = {"conflation-offer-exchange", "conflation-drain-exchange"})
@State
public class ConflationNewestTest {
    private final LatestByKey<Integer> latest = new LatestByKey<>(1, value -> {});

    private int taken;

    /** Offers two values. */
    @Actor
    public void producer() {
        latest.offer(0, 1);
        latest.offer(0, 2);
    }

    /**
     * Comes once.
     *
     * @param r what it got, 0 for nothing
     */
    @Actor
    public void consumer(III_Result r) {
        latest.drain((key, value) -> taken = value, 1);
        r.r1 = taken;
    }

    /**
     * Comes again.
     *
     * @param r what it gets, and what was conflated
     */
    @Arbiter
    public void end(III_Result r) {
        taken = 0;
        latest.drain((key, value) -> taken = value, 1);
        r.r2 = taken;
        r.r3 = (int) latest.conflated();
    }
}
