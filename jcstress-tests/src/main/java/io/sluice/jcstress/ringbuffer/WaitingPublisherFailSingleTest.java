package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Cause;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.EventProcessor;
import io.sluice.ringbuffer.Pipeline;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingException;
import io.sluice.ringbuffer.RingFailedException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LI_Result;

/**
 * A publisher that waits on a full ring for one producer is told of the failure of the consumer that it waits for,
 * with its cause. If not, its thread would wait for ever, or its user would not learn why. Results: what ended the
 * claim, and whether it had to wait.
 */
@JCStressTest
@Outcome(id = "cause, 0", expect = ACCEPTABLE, desc = "failed before the claim")
@Outcome(id = "cause, 1", expect = ACCEPTABLE, desc = "failed while it waited")
@Outcome(expect = FORBIDDEN, desc = "another end than by the cause, or a publisher left waiting")
@Proof(
        claim = "a failure reaches a publisher that waits for room (one producer)",
        overlap = {"cause, 1"},
        twins = {"single-wait-recheck"})
@State
public class WaitingPublisherFailSingleTest {
    private final Patience patience = new Patience();
    private final Cause cause = new Cause();
    private final Producer<Event> producer;
    private final EventProcessor processor;

    /** A full ring, and a consumer that will fail. */
    public WaitingPublisherFailSingleTest() {
        RingBuffer<Event> ring =
                Stand.builder(1).producersIdle(() -> patience).singleProducer().build();
        Pipeline<Event> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
            throw cause;
        });
        processor = pipeline.startProcessors().get(0);
        producer = ring.producer();
        Stand.publish(producer);
    }

    /**
     * Waits for room.
     *
     * @param r what it got
     */
    @Actor
    public void producer(LI_Result r) {
        try {
            r.r1 = "claim " + producer.next(1);
        } catch (RingFailedException e) {
            r.r1 = e.getCause() == cause ? "cause" : "other cause";
        } catch (RingException | Patience.LeftWaitingException e) {
            r.r1 = e.getClass().getSimpleName();
        }
        r.r2 = patience.waited();
    }

    /** Fails. */
    @Actor
    public void consumer() {
        processor.doWork();
        patience.over();
    }
}
