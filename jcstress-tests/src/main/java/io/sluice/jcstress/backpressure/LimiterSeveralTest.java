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

/** Four permits in stock, four requests for two each: two get them. If permits were granted twice, the rate would be too high. */
@JCStressTest
@Outcome(
        id = {"true, true, false, false", "false, false, true, true"},
        expect = ACCEPTABLE,
        desc = "one actor took all")
@Outcome(id = "true, false, true, false", expect = ACCEPTABLE, desc = "each took two")
@Outcome(expect = FORBIDDEN, desc = "more or fewer than two were served, or permits came back")
@Proof(
        claim = "several permits of the stock are granted once",
        overlap = {"true, false, true, false"},
        twins = {"limiter-several-of-the-stock"})
@State
public class LimiterSeveralTest {
    private static final long SECOND = 1_000_000_000;

    private long now;
    private final RateLimiter limiter = RateLimiter.multiWriter(() -> now, 10);

    /** Earns five permits and takes one. */
    public LimiterSeveralTest() {
        limiter.setRate(5);
        now = SECOND;
        limiter.tryAcquire(1);
    }

    /**
     * Asks twice.
     *
     * @param r the first two results
     */
    @Actor
    public void first(ZZZZ_Result r) {
        r.r1 = limiter.tryAcquire(2);
        r.r2 = limiter.tryAcquire(2);
    }

    /**
     * Asks twice.
     *
     * @param r the last two results
     */
    @Actor
    public void second(ZZZZ_Result r) {
        r.r3 = limiter.tryAcquire(2);
        r.r4 = limiter.tryAcquire(2);
    }
}
