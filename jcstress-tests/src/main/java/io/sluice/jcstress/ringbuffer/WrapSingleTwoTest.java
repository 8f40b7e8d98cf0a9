package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.EventPoller;
import io.sluice.ringbuffer.Pipeline;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * On a ring of capacity 2 for one producer, four events go round: each is seen whole, once, in order, and never again
 * after its slot was reused. If not, a consumer would lose events or handle one twice. Results: how many events the
 * consumer handled while the producer ran, then how many were missing in the end.
 */
@JCStressTest
@Outcome(
        id = {"0, 0", "1, 0", "2, 0", "3, 0", "4, 0"},
        expect = ACCEPTABLE,
        desc = "so many were handled at the same time, the rest later")
@Outcome(expect = FORBIDDEN, desc = "an event torn, out of order, doubled or lost")
@Proof(
        claim = "slots are reused only after they were read (capacity 2, one producer)",
        overlap = {"4, 0"},
        twins = {"poller-progress-early", "single-claim-room"})
@State
public class WrapSingleTwoTest {
    private static final int EVENTS = 4;

    private final Producer<Event> producer;
    private final EventPoller<Event> poller;
    private final Checker checker = new Checker();
    private long published;

    /** An empty ring. */
    public WrapSingleTwoTest() {
        RingBuffer<Event> ring = Stand.single(2);
        poller = Pipeline.on(ring).poller("poller");
        producer = ring.producer();
    }

    /** Publishes events as long as room comes soon. */
    @Actor
    public void producer() {
        for (int i = 0; i < EVENTS; i++) {
            if (Stand.publishSoon(producer) < 0) {
                return;
            }
            published++;
        }
    }

    /**
     * Handles events as long as they come soon.
     *
     * @param r how many
     */
    @Actor
    public void consumer(JJ_Result r) {
        for (int i = 0; i < EVENTS && checker.handled() < EVENTS; i++) {
            if (Stand.pollSoon(poller, checker, EVENTS) == 0) {
                break;
            }
        }
        r.r1 = checker.handled();
    }

    /**
     * Handles the rest.
     *
     * @param r how many are missing
     */
    @Arbiter
    public void end(JJ_Result r) {
        while (Stand.poll(poller, checker, EVENTS) > 0) {
            // the handler counts
        }
        r.r2 = published - checker.handled();
    }
}
