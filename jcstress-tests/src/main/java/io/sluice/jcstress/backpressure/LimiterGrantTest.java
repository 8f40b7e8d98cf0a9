package io.sluice.jcstress.backpressure;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.backpressure.rate.RateLimiter;
import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZZ_Result;

/**
 * Two permits, four requests: two get one, the first by the clock and the second from the stock that it leaves. If a permit were
 * granted twice, the rate would be higher than was set.
 */
@JCStressTest
@Outcome(
        id = {"true, true, false, false", "false, false, true, true"},
        expect = ACCEPTABLE,
        desc = "one actor took both")
@Outcome(id = "true, false, true, false", expect = ACCEPTABLE, desc = "each took one")
@Outcome(expect = FORBIDDEN, desc = "more or fewer than two were granted, or one came back")
@Proof(
        claim = "the multi-writer limiter grants each permit once",
        overlap = {"true, false, true, false"},
        twins = {"limiter-grant", "limiter-stock"})
@State
public class LimiterGrantTest {
    private static final long SECOND = 1_000_000_000;

    private long now;
    private final RateLimiter limiter = RateLimiter.multiWriter(() -> now, 4);

    /** Earns two permits. */
    public LimiterGrantTest() {
        limiter.setRate(2);
        now = SECOND;
    }

    /**
     * Asks twice.
     *
     * @param r the first two results
     */
    @Actor
    public void first(ZZZZ_Result r) {
        r.r1 = limiter.tryAcquire(1);
        r.r2 = limiter.tryAcquire(1);
    }

    /**
     * Asks twice.
     *
     * @param r the last two results
     */
    @Actor
    public void second(ZZZZ_Result r) {
        r.r3 = limiter.tryAcquire(1);
        r.r4 = limiter.tryAcquire(1);
    }
}
