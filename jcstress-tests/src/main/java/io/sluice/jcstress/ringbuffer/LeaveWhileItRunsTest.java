package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.Sequence;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A consumer is taken out while another thread runs it: it finishes its batch first. So it never sees events published into
 * the slots that it gave up. Results: whether it left within the time, how many events its handler saw changing or out of
 * order, and whether it left in the midst of the events.
 */
@JCStressTest
@Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "left before the first event, or behind the last")
@Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "left while it was running")
@Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "not run any more: it has not left")
@Outcome(expect = FORBIDDEN, desc = "the handler saw an event that was overwritten, or the wrong one")
@Proof(
        claim = "a consumer leaves between two batches",
        overlap = {"1, 0, 1"},
        twins = {"leave-inside-a-batch"})
@State
public class LeaveWhileItRunsTest {
    private static final int EVENTS = 8;
    private static final int SPINS = 20;

    private final Sequence gone = new Sequence(0);
    private final Pipeline<Event> pipeline;
    private final Producer<Event> producer;
    private final EventHandler<Event> handler = this::handle;
    private final EventProcessor leaver;

    // the leaver's thread
    private int handled;
    private int wrong;

    /** A full ring. */
    public LeaveWhileItRunsTest() {
        RingBuffer<Event> ring = RingFixtures.single(EVENTS);
        pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(pipeline.consumer("leaver", handler).batchLimit(1));
        leaver = pipeline.startProcessors().get(0);
        producer = RingFixtures.producerBehind(ring, EVENTS);
    }

    private void handle(Event event, long sequence, boolean endOfBatch) {
        if (sequence != handled || event.version() != sequence + 1) {
            wrong++;
        }
        handled++;
        for (int i = 0; i < SPINS; i++) {
            Thread.onSpinWait();
        }
        if (event.version() != sequence + 1) {
            wrong++;
        }
    }

    /** Handles until it has left. */
    @Actor
    public void leaver() {
        leaver.onStart();
        for (int i = 0; i < RingFixtures.MANY_ATTEMPTS && gone.getAcquire() == 0; i++) { // acquire: it is out
            leaver.doWork();
        }
    }

    /**
     * Takes it out, and publishes into the slots that it gave up.
     *
     * @param r whether it left
     */
    @Actor
    public void remover(III_Result r) {
        if (pipeline.consumer(handler).remove(RingFixtures.JOIN_LIMIT_NANOS) == Removal.LEFT) {
            r.r1 = 1;
            for (int i = 0; i < EVENTS; i++) {
                RingFixtures.publish(producer);
            }
        }
        gone.setRelease(1); // release: it is out
    }

    /**
     * Looks.
     *
     * @param r what was wrong, and where it left
     */
    @Arbiter
    public void end(III_Result r) {
        r.r2 = wrong;
        r.r3 = r.r1 == 1 && handled > 0 && handled < EVENTS ? 1 : 0;
    }
}
