package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A consumer behind another one sees an event only after that one has finished it. If not, books would be built from
 * orders whose risk was never checked. Results: how many events the dependent handled in its first and in its second
 * poll, -9 if one of them was unfinished.
 */
@JCStressTest
@Outcome(
        id = {"0, 0", "1, 0", "2, 0"},
        expect = ACCEPTABLE,
        desc = "nothing came between the polls")
@Outcome(
        id = {"0, 1", "0, 2", "1, 1"},
        expect = ACCEPTABLE,
        desc = "the upstream finished a batch between the polls")
@Outcome(expect = FORBIDDEN, desc = "an event that upstream had not finished")
@Proof(
        claim = "a dependent never overtakes its upstream",
        overlap = {"0, 1", "1, 1"},
        twins = {"loop-progress-early"})
@State
public class BarrierOneTest {
    private final EventProcessor upstream;
    private final EventPoller<Event> dependent;
    private final Checker checker = new Checker(10);

    /** Two events, published. */
    public BarrierOneTest() {
        RingBuffer<Event> ring = RingFixtures.single(4); // batches of one
        Pipeline<Event> pipeline = Pipeline.on(ring);
        dependent = pipeline.handleEventsWith((event, sequence, endOfBatch) -> event.fill(sequence + 11))
                .thenPoller("dependent");
        upstream = pipeline.startProcessors().get(0);
        Producer<Event> producer = ring.producer();
        RingFixtures.publish(producer);
        RingFixtures.publish(producer);
    }

    /** Handles both events. */
    @Actor
    public void upstream() {
        upstream.doWork();
        upstream.doWork();
    }

    /**
     * Polls twice.
     *
     * @param r how many events each time
     */
    @Actor
    public void dependent(II_Result r) {
        RingFixtures.poll(dependent, checker, 4);
        r.r1 = (int) checker.handled();
        RingFixtures.poll(dependent, checker, 4);
        r.r2 = (int) (checker.handled() - r.r1);
    }
}
