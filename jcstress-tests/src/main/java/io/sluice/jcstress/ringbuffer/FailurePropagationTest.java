package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Cause;
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
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * When a consumer fails, its dependents handle all events that it had finished and no others, and then end. If not, a
 * finished event would be lost, or an event that failed upstream would be handled. Results: how many events the
 * dependent handled in its first poll and in the next, and how many in the end.
 */
@JCStressTest
@Outcome(id = "0, 0, 1", expect = ACCEPTABLE, desc = "the dependent came first")
@Outcome(id = "0, 1, 1", expect = ACCEPTABLE, desc = "the event came between the polls")
@Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "the upstream came first")
@Outcome(
        expect = FORBIDDEN,
        desc = "the failed event was handled, a finished one was lost, or the dependent did not end")
@Proof(
        claim = "dependents of a failed consumer handle what it finished, then end",
        overlap = {"0, 1, 1"},
        twins = {"loop-progress-early", "poller-end-recheck"})
@State
public class FailurePropagationTest {
    private final Cause cause = new Cause();
    private final RingBuffer<Event> ring = RingFixtures.single(4); // batches of one
    private final EventProcessor upstream;
    private final EventPoller<Event> dependent;
    private final Checker checker = new Checker();

    /** Two events, published; the second one will fail. */
    public FailurePropagationTest() {
        Pipeline<Event> pipeline = Pipeline.on(ring).errorHandler(told -> {}); // no log line a sample
        dependent = pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
                    if (sequence == 1) {
                        throw cause;
                    }
                })
                .thenPoller("dependent");
        upstream = pipeline.startProcessors().get(0);
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
     * Polls twice.
     *
     * @param r how many events each time
     */
    @Actor
    public void dependent(III_Result r) {
        RingFixtures.poll(dependent, checker, 4);
        r.r1 = (int) checker.handled();
        RingFixtures.poll(dependent, checker, 4);
        r.r2 = (int) checker.handled() - r.r1;
    }

    /**
     * Polls to the end.
     *
     * @param r how many events in all
     */
    @Arbiter
    public void end(III_Result r) {
        for (int i = 0; i < 4 && !dependent.isDone(); i++) {
            RingFixtures.poll(dependent, checker, 4);
        }
        r.r3 = dependent.isDone() && ring.failure() == cause ? (int) checker.handled() : -1;
    }
}
