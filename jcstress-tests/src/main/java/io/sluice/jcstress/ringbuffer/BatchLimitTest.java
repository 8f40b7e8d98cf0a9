package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.SequenceBarrier;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJI_Result;

/**
 * A long batch is cut at its limit, and its progress is published then, not sooner: a thread that looks sees finished
 * batches only. If not, a dependent would wait for the whole of a long batch, or see an unfinished event. Results: the
 * progress seen at first and then, and -9 if more was seen than handled.
 */
@JCStressTest
@Outcome(
        id = {"-1, -1, 0", "1, 1, 0", "3, 3, 0"},
        expect = ACCEPTABLE,
        desc = "no batch ended between the looks")
@Outcome(
        id = {"-1, 1, 0", "1, 3, 0", "-1, 3, 0"},
        expect = ACCEPTABLE,
        desc = "a batch ended between the looks")
@Outcome(expect = FORBIDDEN, desc = "progress within a batch, or before the events were handled")
@Proof(
        claim = "progress is published at the batch limit, for finished batches only",
        overlap = {"-1, 1, 0", "1, 3, 0"},
        twins = {"loop-progress-early"})
@State
public class BatchLimitTest {
    private final EventProcessor processor;
    private final SequenceBarrier barrier;
    private long handled = -1;

    /** Four events, published; batches of two. */
    public BatchLimitTest() {
        RingBuffer<Event> ring = RingFixtures.single(8);
        Pipeline<Event> pipeline = Pipeline.on(ring);
        EventHandler<Event> handler = (event, sequence, endOfBatch) -> handled = sequence;
        pipeline.handleEventsWith(pipeline.consumer("twos", handler).batchLimit(2));
        processor = pipeline.startProcessors().get(0);
        barrier = ring.newBarrier(processor.sequence());
        Producer<Event> producer = ring.producer();
        for (int i = 0; i < 4; i++) {
            RingFixtures.publish(producer);
        }
    }

    /** Handles two batches. */
    @Actor
    public void upstream() {
        processor.doWork();
        processor.doWork();
    }

    /**
     * Looks twice.
     *
     * @param r what it saw
     */
    @Actor
    public void dependent(JJI_Result r) {
        r.r1 = barrier.available(0);
        r.r2 = barrier.available(0);
        r.r3 = handled >= r.r2 ? 0 : -9;
    }
}
