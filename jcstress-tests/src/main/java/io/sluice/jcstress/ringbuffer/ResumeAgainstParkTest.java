package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.SignalledIdle;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Wiring;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A paused consumer that is about to park sees that it is resumed, or is woken. If not, it would sleep beside events that
 * nobody announces again. Results: what the runner handled before it announced its park, what in the complete cycle after
 * that, and whether it would then sleep for ever.
 */
@JCStressTest
@Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "it saw nothing, and was woken")
@Outcome(id = "0, 1, 0", expect = ACCEPTABLE, desc = "resumed between the two looks")
@Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "resumed before")
@Outcome(expect = FORBIDDEN, desc = "a lost wake-up, or an event handled twice")
@Proof(
        claim = "a resumption is seen or wakes",
        overlap = {"0, 1, 0"},
        twins = {"resume-wakes-nobody"})
@State
public class ResumeAgainstParkTest {
    private final SignalledIdle idle = SignalledIdle.exact(0);
    private final EventHandler<Event> handler = (event, sequence, endOfBatch) -> {};
    private final Pipeline<Event> pipeline;
    private final EventProcessor processor;

    /** One event, for a consumer that is paused. */
    public ResumeAgainstParkTest() {
        RingBuffer<Event> ring = RingFixtures.builder(4)
                .singleProducer()
                .consumersIdle(() -> SignalledIdle.exact(0))
                .build();
        Wiring.wakeWithAll(ring, idle);
        pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(handler);
        processor = pipeline.startProcessors().get(0);
        pipeline.consumer(handler).pause();
        RingFixtures.publish(ring.producer());
    }

    /**
     * The runner: announces its park, then runs one more cycle.
     *
     * @param r what it handled
     */
    @Actor
    public void runner(III_Result r) {
        r.r1 = processor.doWork();
        if (r.r1 == 0) {
            idle.idle();
            r.r2 = processor.doWork();
        }
    }

    /** Resumes. */
    @Actor
    public void resumer() {
        pipeline.consumer(handler).resume();
    }

    /**
     * Notes whether the runner would sleep next, if it has seen nothing.
     *
     * @param r whether it would sleep
     */
    @Arbiter
    public void end(III_Result r) {
        r.r3 = r.r1 + r.r2 == 0 && RingFixtures.wouldSleep(idle) ? 1 : 0;
    }
}
