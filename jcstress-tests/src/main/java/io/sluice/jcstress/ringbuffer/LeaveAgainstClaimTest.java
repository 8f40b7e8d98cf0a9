package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A dependent leaves a full ring while a claim looks for room: its upstream gates as before. So no event is overwritten
 * that the upstream has yet to read, and a consumer that has left does not hold up the ring. Results: how many events the
 * upstream missed in the end, whether there was room then, and whether the dependent left in the middle of a look.
 */
@JCStressTest
@Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "left before or after the look")
@Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "left in the middle of it")
@Outcome(expect = FORBIDDEN, desc = "an event overwritten or lost, or the ring held up by one who has left")
@Proof(
        claim = "the upstream of one who leaves goes on gating",
        overlap = {"0, 1, 1"},
        twins = {"leave-upstream-does-not-gate", "leave-still-gates"})
@State
public class LeaveAgainstClaimTest {
    private final SlowGate slow = new SlowGate();
    private final RingBuffer<Event> ring = RingFixtures.single(2); // batches of one
    private final Pipeline<Event> pipeline;
    private final Producer<Event> producer;
    private final Checker checker = new Checker();
    private final EventHandler<Event> leaving = (event, sequence, endOfBatch) -> {};
    private final EventProcessor upstream;
    private final EventProcessor leaver;
    private long published;

    /** A full ring. */
    public LeaveAgainstClaimTest() {
        ring.addGating(slow);
        pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(checker).then(leaving);
        List<EventProcessor> processors = pipeline.startProcessors();
        upstream = processors.get(0);
        leaver = processors.get(1);
        producer = RingFixtures.producerBehind(ring, 2);
        published = 2;
        slow.arm();
    }

    private void publishTwo(Producer<Event> by) {
        for (int i = 0; i < 2 && RingFixtures.publishSoon(by) >= 0; i++) {
            published++;
        }
        by.close(); // the next one who publishes is another thread
    }

    /** Publishes two more as soon as there is room. */
    @Actor
    public void producer() {
        publishTwo(producer);
    }

    /** Both handle an event; then the dependent leaves. */
    @Actor
    public void leaver() {
        upstream.doWork();
        leaver.doWork();
        pipeline.consumer(leaving).remove(0);
        slow.happened();
    }

    /**
     * Handles the rest, and two more.
     *
     * @param r what was missing, whether there was room, and whether they met
     */
    @Arbiter
    public void end(III_Result r) {
        while (upstream.doWork() > 0) {
            // the handler counts
        }
        r.r3 = slow.met(); // before another look
        long before = published;
        publishTwo(ring.producer());
        while (upstream.doWork() > 0) {
            // the handler counts
        }
        r.r1 = (int) (published - checker.handled());
        r.r2 = published == before + 2 ? 1 : 0;
    }
}
