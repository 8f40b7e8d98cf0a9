package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Cause;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
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
 * As {@link FailurePropagationTest}, for a dependent with a loop of its own in place of a poller. Results: how many events it
 * handled in its first cycle and in the next, and how many in the end.
 */
@JCStressTest
@Outcome(id = "0, 0, 1", expect = ACCEPTABLE, desc = "the dependent came first")
@Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "the event came between the cycles")
@Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "the upstream came first")
@Outcome(
        expect = FORBIDDEN,
        desc = "the failed event was handled, a finished one was lost, or the dependent did not end")
@Proof(
        claim = "a dependent loop of a failed consumer handles what that one finished, then ends",
        overlap = {"0, 1, 1"},
        twins = {"loop-end-recheck"})
@State
public class FailureBehindALoopTest {
    private final Cause cause = new Cause();
    private final RingBuffer<Event> ring = RingFixtures.single(4); // batches of one
    private final EventProcessor upstream;
    private final EventProcessor dependent;
    private final Checker checker = new Checker();

    /** Two events, published; the second one will fail. */
    public FailureBehindALoopTest() {
        Pipeline<Event> pipeline = Pipeline.on(ring).errorHandler(told -> {}); // no log line a sample
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
                    if (sequence == 1) {
                        throw cause;
                    }
                })
                .then(checker);
        List<EventProcessor> processors = pipeline.startProcessors();
        upstream = processors.get(0);
        dependent = processors.get(1);
        Producer<Event> producer = ring.producer();
        RingFixtures.publish(producer);
        RingFixtures.publish(producer);
    }

    /** Handles one event and fails at the other. */
    @Actor
    public void upstream() {
        upstream.doWork();
        upstream.doWork();
    }

    /**
     * Two cycles.
     *
     * @param r how many events each time
     */
    @Actor
    public void dependent(III_Result r) {
        dependent.doWork();
        r.r1 = (int) checker.handled();
        dependent.doWork();
        r.r2 = (int) checker.handled() - r.r1;
    }

    /**
     * Goes on to the end.
     *
     * @param r how many events in all
     */
    @Arbiter
    public void end(III_Result r) {
        for (int i = 0; i < 4 && !dependent.isDone(); i++) {
            dependent.doWork();
        }
        r.r3 = dependent.isDone() && ring.failure() == cause ? (int) checker.handled() : -1;
    }
}
