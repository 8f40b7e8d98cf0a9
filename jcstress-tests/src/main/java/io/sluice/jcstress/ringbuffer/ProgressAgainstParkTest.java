package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJI_Result;

/**
 * A dependent that is about to park sees the progress of its upstream, or is woken. If not, it would sleep beside an
 * event that it could handle. Results: what the runner saw before it announced its park, what in the complete cycle
 * after that, and whether it would then sleep for ever.
 */
@JCStressTest
@Outcome(id = "-1, -1, 0", expect = ACCEPTABLE, desc = "it saw nothing, and was woken")
@Outcome(id = "-1, 0, 0", expect = ACCEPTABLE, desc = "it came between the two looks")
@Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "it was there before")
@Outcome(expect = FORBIDDEN, desc = "a lost wake-up")
@Proof(
        claim = "progress is seen by a dependent or wakes it",
        overlap = {"-1, 0, 0"},
        twins = {"signal-publisher-fence"})
@State
public class ProgressAgainstParkTest extends ProgressParkState {
    /** One event, published, for a consumer that has a dependent. */
    public ProgressAgainstParkTest() {
        super((pipeline, handler) -> pipeline.handleEventsWith(handler));
    }

    /**
     * The runner: announces its park, then runs one more cycle.
     *
     * @param r what it saw
     */
    @Actor
    public void runner(JJI_Result r) {
        park(r);
    }

    /** Handles an event. */
    @Actor
    public void upstream() {
        processor.doWork();
    }

    /**
     * Notes whether the runner would sleep next, if it has seen nothing.
     *
     * @param r whether it would sleep
     */
    @Arbiter
    public void end(JJI_Result r) {
        r.r3 = sleeps(r.r2);
    }
}
