package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayList;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * A publisher that waits on a full ring goes on when the consumers that hold it up leave, and is never told that one of them
 * had ended. If not, its thread would wait for ever, or its user would be told of a failure that is none. Results: what the
 * claim gave, and whether it had to wait.
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
public class WaitingPublisherLeaveTest extends WaitingPublisherState {
    private static final int LEAVERS = 4;

    private final List<EventPoller<Event>> leavers = new ArrayList<>();

    /** A full ring. */
    public WaitingPublisherLeaveTest() {
        super(RingFixtures.builder(1).singleProducer());
        Pipeline<Event> pipeline = Pipeline.on(ring);
        for (int i = 0; i < LEAVERS; i++) {
            leavers.add(pipeline.poller("leaver " + i));
        }
        pipeline.startProcessors();
        producer = RingFixtures.producerBehind(ring, 1);
    }

    /**
     * Waits for room.
     *
     * @param r what it got
     */
    @Actor
    public void producer(JJ_Result r) {
        r.r1 = claim();
        r.r2 = idle.waited();
    }

    /** All leave, one after another. */
    @Actor
    public void leaver() {
        for (EventPoller<Event> leaver : leavers) {
            leaver.consumer().pause();
            RingFixtures.poll(leaver, (event, sequence, endOfBatch) -> {}, 1); // this thread's own from now on
        }
        idle.begun();
        for (EventPoller<Event> leaver : leavers) {
            leaver.consumer().remove(0);
        }
        idle.over();
    }
}
