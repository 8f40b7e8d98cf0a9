package io.sluice.jcstress.core;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.Sequence;
import io.sluice.core.SignalledIdle;
import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJI_Result;

/**
 * A thread that is about to park sees a publication before a signal, or is woken by the signal. If not, it would sleep
 * beside its work. Results: what the runner saw before it announced its park, what in the complete cycle after that,
 * and whether it would then sleep for ever.
 */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "it saw nothing, and was woken")
@Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "the publication came between the two looks")
@Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "the publication was there before")
@Outcome(expect = FORBIDDEN, desc = "a lost wake-up")
@Proof(
        claim = "a signal after a publication is never missed (exact variant)",
        overlap = {"0, 1, 0"},
        twins = {"idle-signal-fence", "signal-runner-fence", "idle-word-recheck"})
@State
public class SignalledIdleTest {
    private final SignalledIdle idle = SignalledIdle.exact(0);
    private final Sequence source = new Sequence(0);

    /**
     * The runner: announces its park, then runs one more cycle.
     *
     * @param r what it saw
     */
    @Actor
    public void runner(JJI_Result r) {
        r.r1 = source.getAcquire();
        idle.idle();
        r.r2 = source.getAcquire();
    }

    /** Publishes, then signals. */
    @Actor
    public void waker() {
        source.setRelease(1);
        idle.signal();
    }

    /**
     * Notes whether the runner would sleep next, if it has seen nothing.
     *
     * @param r whether it would sleep
     */
    @Arbiter
    public void end(JJI_Result r) {
        long before = idle.parks();
        if (r.r2 == 0) {
            idle.deadline(System.nanoTime() + 1_000_000); // a bound, should it sleep
            idle.idle();
        }
        r.r3 = (int) (idle.parks() - before);
    }
}
