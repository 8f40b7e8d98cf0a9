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
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * A slot is claimed again only once its event has been emptied. If not, the clearing consumer would empty an event that a
 * publisher has just filled. Results: the version that the publisher found in its slot, 0 for an empty event, -2 if there
 * was no room; what was delivered in the end.
 */
@JCStressTest
@Outcome(id = "0, 7", expect = ACCEPTABLE, desc = "emptied, then filled")
@Outcome(id = "-2, 0", expect = ACCEPTABLE, desc = "there was no room yet")
@Outcome(expect = FORBIDDEN, desc = "the slot was given away before it was empty")
@Proof(
        claim = "a slot is reused only after its event was cleared",
        overlap = {"0, 7"},
        twins = {"clearing-progress-early"})
@State
public class ClearAgainstReuseTest {
    private final EventProcessor clearing;
    private final EventPoller<Event> poller;
    private final Producer<Event> producer;
    private long delivered;

    /** A full ring, handled and not cleared. */
    public ClearAgainstReuseTest() {
        RingBuffer<Event> ring = RingFixtures.single(1);
        Pipeline<Event> pipeline = Pipeline.on(ring);
        poller = pipeline.poller("poller");
        pipeline.clearEventsWith(event -> event.fill(0));
        clearing = pipeline.startProcessors().get(0);
        producer = RingFixtures.producerBehind(ring, 1);
        RingFixtures.poll(poller, (event, sequence, endOfBatch) -> {}, 1);
    }

    /** Clears. */
    @Actor
    public void clear() {
        clearing.doWork();
    }

    /**
     * Claims the slot, fills it, publishes.
     *
     * @param r what was in it
     */
    @Actor
    public void publisher(JJ_Result r) {
        long sequence = producer.tryNext(1);
        for (int i = 0; sequence < 0 && i < RingFixtures.ATTEMPTS; i++) {
            Thread.onSpinWait();
            sequence = producer.tryNext(1);
        }
        if (sequence < 0) {
            r.r1 = sequence;
            return;
        }
        Event event = producer.get(sequence);
        r.r1 = event.version();
        event.fill(7);
        producer.publish(sequence, sequence);
    }

    /**
     * Polls.
     *
     * @param r what came
     */
    @Arbiter
    public void end(JJ_Result r) {
        RingFixtures.poll(poller, (event, sequence, endOfBatch) -> delivered += event.version(), 1);
        r.r2 = delivered;
    }
}
