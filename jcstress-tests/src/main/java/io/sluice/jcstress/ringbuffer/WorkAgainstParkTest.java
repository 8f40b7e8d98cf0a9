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
 * A consumer that follows a worker, and is about to park, sees the event that the worker hands on, or is woken. If not, it
 * would sleep beside an event that it could handle. Results: what the runner saw before it announced its park, what in the
 * complete cycle after that, and whether it would then sleep for ever.
 */
@JCStressTest
@Outcome(id = "-1, -1, 0", expect = ACCEPTABLE, desc = "it saw nothing, and was woken")
@Outcome(id = "-1, 0, 0", expect = ACCEPTABLE, desc = "it came between the two looks")
@Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "it was there before")
@Outcome(expect = FORBIDDEN, desc = "a lost wake-up")
@Proof(
        claim = "what a worker hands on is seen by a follower or wakes it",
        overlap = {"-1, 0, 0"},
        twins = {"work-signal-left-out"})
@State
public class WorkAgainstParkTest extends ProgressParkState {
    /** One event, published, for a worker that somebody follows. */
    public WorkAgainstParkTest() {
        super((pipeline, handler) -> pipeline.handleEventsWithWorkerPool(handler));
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

    /** Handles the event. */
    @Actor
    public void worker() {
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
