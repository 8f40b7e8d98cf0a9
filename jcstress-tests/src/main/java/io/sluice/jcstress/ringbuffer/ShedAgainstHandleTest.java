package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.DroppingProducer;
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
 * A publisher asks for room while a consumer works on a full ring: each event is handled or shed, once, in order, and the slot
 * of an event is not given away while its handler is inside. If not, an event would be lost without a count, counted and
 * handled, or changed under its handler. Results: whether the publisher got room (1) or not (0), how many events were shed, 0 if
 * each was handled or shed once, whole and in order, else -9.
 */
@JCStressTest
@Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "the consumer was quicker")
@Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "the oldest was shed")
@Outcome(
        id = {"0, 0, 0", "0, 1, 0"},
        expect = ACCEPTABLE,
        desc = "the publisher gave up")
@Outcome(expect = FORBIDDEN, desc = "an event twice, or not at all, or changed while it was handled")
@Proof(
        claim = "each event is handled or shed, once, and never under its handler",
        overlap = {"1, 1, 0", "1, 0, 0"},
        twins = {"shedding-progress-early"})
@State
public class ShedAgainstHandleTest {
    private static final int CAPACITY = 8;

    private final EventProcessor processor;
    private final DroppingProducer<Event> producer;
    private long next;
    private long shed;
    private boolean wrong;

    /** A full ring; batches of two. */
    public ShedAgainstHandleTest() {
        RingBuffer<Event> ring = RingFixtures.builder(CAPACITY)
                .singleProducer()
                .shedding((consumer, event, sequence) -> {
                    passed(event, sequence);
                    shed++;
                })
                .build();
        Pipeline<Event> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
            passed(event, sequence);
            wrong |= event.version() != sequence + 1; // still
        });
        processor = pipeline.startProcessors().get(0);
        producer = DroppingProducer.dropOldest(RingFixtures.producerBehind(ring, CAPACITY), 0);
    }

    private long publish() {
        return producer.publishEvent((event, sequence) -> event.fill(sequence + 1));
    }

    private void passed(Event event, long sequence) {
        wrong |= sequence != next++ || event.version() != sequence + 1;
    }

    /** Goes on with two batches. */
    @Actor
    public void consumer() {
        processor.doWork();
        processor.doWork();
    }

    /**
     * Asks until there is room, a bounded number of times.
     *
     * @param r whether there was
     */
    @Actor
    public void publisher(JJI_Result r) {
        for (int i = 0; i < RingFixtures.ATTEMPTS && r.r1 == 0; i++) {
            r.r1 = publish() >= 0 ? 1 : 0;
        }
    }

    /**
     * Handles the rest.
     *
     * @param r what came
     */
    @Arbiter
    public void end(JJI_Result r) {
        while (processor.doWork() > 0) {
            // until there is nothing
        }
        r.r2 = shed;
        r.r3 = wrong || next != CAPACITY + r.r1 ? -9 : 0;
    }
}
