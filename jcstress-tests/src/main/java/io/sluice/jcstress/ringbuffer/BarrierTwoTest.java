package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.EventPoller;
import io.sluice.ringbuffer.EventProcessor;
import io.sluice.ringbuffer.Pipeline;
import io.sluice.ringbuffer.RingBuffer;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A consumer behind two others sees an event only after both have finished it. If not, it would act on an event that
 * one of them has not handled. Results: how many events the dependent handled in its first and in its second poll, -9
 * if one was unfinished.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "not finished yet")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "finished between the polls")
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "finished before")
@Outcome(expect = FORBIDDEN, desc = "an event that one of the two had not finished")
@Proof(
        claim = "a dependent of two never overtakes either",
        overlap = {"0, 1"},
        twins = {"barrier-last-only"})
@State
public class BarrierTwoTest {
    private final EventProcessor one;
    private final EventProcessor other;
    private final EventPoller<Event> dependent;
    private long doneByOne;
    private long doneByOther;
    private long seen;

    /** One event, published. */
    public BarrierTwoTest() {
        RingBuffer<Event> ring = Stand.single(4);
        Pipeline<Event> pipeline = Pipeline.on(ring);
        dependent = pipeline.handleEventsWith(
                        (event, sequence, endOfBatch) -> doneByOne = 1,
                        (event, sequence, endOfBatch) -> doneByOther = 1)
                .thenPoller("dependent");
        List<EventProcessor> upstream = pipeline.startProcessors();
        one = upstream.get(0);
        other = upstream.get(1);
        Stand.publish(ring.producer());
    }

    private void look(Event event, long sequence, boolean endOfBatch) {
        seen = doneByOne + doneByOther;
    }

    /** Handles the event in both, one after the other. */
    @Actor
    public void upstream() {
        other.doWork();
        one.doWork();
    }

    /**
     * Polls twice.
     *
     * @param r how many events each time
     */
    @Actor
    public void dependent(II_Result r) {
        r.r1 = Stand.poll(dependent, this::look, 4);
        r.r2 = Stand.poll(dependent, this::look, 4);
        if (r.r1 + r.r2 > 0 && seen != 2) {
            r.r2 = -9;
        }
    }
}
