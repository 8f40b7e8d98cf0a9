package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Meeting;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.pipeline.Sharing;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIJ_Result;

/**
 * Two workers finish neighbouring events at once: progress goes over both, and never back. If it did, dependents and producers
 * would wait for ever for events that are done. Results: whether each of them has moved the progress, and where it stands.
 */
@JCStressTest
@Outcome(id = "1, 1, 1", expect = ACCEPTABLE, desc = "each moved it over its own")
@Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "the second event was done first")
@Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "the second one's worker moved it over both")
@Outcome(expect = FORBIDDEN, desc = "progress stands still, or went back")
@Proof(
        claim = "progress goes over what two workers finish at once, and never back",
        overlap = {"0, 1, 1"},
        twins = {"work-progress-cas"})
@State
public class WorkProgressTest {
    private final Meeting meeting = new Meeting();
    private final Sharing shared = new Sharing(4);

    /**
     * Finishes the first event.
     *
     * @param r whether it moved the progress
     */
    @Actor
    public void first(IIJ_Result r) {
        meeting.one();
        r.r1 = shared.finish(0) ? 1 : 0;
    }

    /**
     * Finishes the second event.
     *
     * @param r whether it moved the progress
     */
    @Actor
    public void second(IIJ_Result r) {
        meeting.other();
        r.r2 = shared.finish(1) ? 1 : 0;
    }

    /**
     * Looks.
     *
     * @param r the progress
     */
    @Arbiter
    public void look(IIJ_Result r) {
        r.r3 = shared.progress();
    }
}
