package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.EventPoller;
import io.sluice.ringbuffer.Pipeline;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * A publisher that waits on a full ring goes on when the consumer that holds it up leaves. If not, its thread would wait for
 * ever. Results: what the claim gave, and whether it had to wait.
 */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "left before the claim")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "left while it waited")
@Outcome(
        expect = FORBIDDEN,
        desc = "a publisher left waiting (-99), or told that a consumer had ended that had left (-98)")
@Proof(
        claim = "a consumer that leaves releases a publisher that waits for room",
        overlap = {"1, 1"},
        twins = {"leave-still-gates", "leave-told-as-an-end"})
@State
public class WaitingPublisherLeaveTest {
    private final Patience patience = new Patience();
    private final Producer<Event> producer;
    private final EventPoller<Event> leaver;

    /** A full ring. */
    public WaitingPublisherLeaveTest() {
        RingBuffer<Event> ring =
                Stand.builder(1).producersIdle(() -> patience).singleProducer().build();
        Pipeline<Event> pipeline = Pipeline.on(ring);
        leaver = pipeline.poller("leaves");
        pipeline.startProcessors();
        producer = ring.producer();
        Stand.publish(producer);
    }

    /**
     * Waits for room.
     *
     * @param r what it got
     */
    @Actor
    public void producer(JJ_Result r) {
        try {
            r.r1 = producer.next(1, TimeUnit.HOURS.toNanos(1));
        } catch (Patience.LeftWaitingException e) {
            r.r1 = -99;
        } catch (IllegalStateException e) {
            r.r1 = -98;
        }
        r.r2 = patience.waited();
    }

    /** Leaves. */
    @Actor
    public void leaver() {
        leaver.consumer().pause();
        Stand.poll(leaver, (event, sequence, endOfBatch) -> {}, 1); // this thread's own from now on
        leaver.consumer().remove(0);
        patience.over();
    }
}
