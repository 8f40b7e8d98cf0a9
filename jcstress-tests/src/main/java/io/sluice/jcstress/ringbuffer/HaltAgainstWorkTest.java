package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJI_Result;

/**
 * A consumer that is halted ends between two batches: it has handled exactly the events up to its progress. If not, an event would
 * be handled twice, or lost, when somebody takes over. Results: how many events it handled, its progress, and whether it has ended.
 */
@JCStressTest
@Outcome(id = "0, -1, 1", expect = ACCEPTABLE, desc = "halted before the first")
@Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "halted between the two")
@Outcome(id = "2, 1, 1", expect = ACCEPTABLE, desc = "halted after both")
@Outcome(expect = FORBIDDEN, desc = "progress that does not fit, or a consumer that does not end")
@Proof(
        claim = "a halted consumer ends between batches, its progress exact",
        overlap = {"1, 0, 1"},
        twins = {"loop-halt-unseen"})
@State
public class HaltAgainstWorkTest {
    private final EventProcessor processor;
    private long handled;

    /** Two events, published. */
    public HaltAgainstWorkTest() {
        RingBuffer<Event> ring = RingFixtures.single(4); // batches of one
        Pipeline<Event> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> handled++);
        processor = pipeline.startProcessors().get(0);
        Producer<Event> producer = ring.producer();
        RingFixtures.publish(producer);
        RingFixtures.publish(producer);
    }

    /** Handles what it may. */
    @Actor
    public void consumer() {
        processor.doWork();
        processor.doWork();
    }

    /** Halts the consumer. */
    @Actor
    public void halting() {
        processor.halt();
    }

    /**
     * Where it ended.
     *
     * @param r the result
     */
    @Arbiter
    public void end(JJI_Result r) {
        processor.doWork();
        r.r1 = handled;
        r.r2 = processor.sequence().get();
        r.r3 = processor.isDone() ? 1 : 0;
    }
}
