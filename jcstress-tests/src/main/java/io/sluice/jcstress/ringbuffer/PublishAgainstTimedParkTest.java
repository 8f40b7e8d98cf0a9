package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.SequenceBarrier;
import io.sluice.core.SignalledIdle;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * With the timed variant a wake-up may be missed, but the sleep ends by its own limit; and a wake-up that arrives
 * shows the publication. If not, a consumer would sleep on, or look too early and sleep again. Results: what the runner
 * saw in the complete cycle after its announcement; then whether it slept, -1 if it had no need; then what it saw.
 */
@JCStressTest
@Outcome(id = "0, -1, 0", expect = ACCEPTABLE, desc = "it saw the event")
@Outcome(id = "-1, 0, 0", expect = ACCEPTABLE, desc = "it was woken, and saw the event")
@Outcome(
        id = {"-1, 1, -1", "-1, 1, 0"},
        expect = ACCEPTABLE,
        desc = "it slept until the limit: the event came later, or its wake-up was missed")
@Outcome(expect = FORBIDDEN, desc = "woken, and nothing to be seen")
@Proof(
        claim = "a wake-up of the timed variant shows what was published; a sleep ends by its limit",
        overlap = {"-1, 0, 0"},
        twins = {"signal-before-publication"})
@State
public class PublishAgainstTimedParkTest {
    private final SignalledIdle idle = SignalledIdle.timed(1, 1);
    private final Producer<Event> producer;
    private final SequenceBarrier barrier;

    /** An empty ring with one consumer, connected but not run, that has spun and yielded all it may. */
    public PublishAgainstTimedParkTest() {
        RingBuffer<Event> ring = RingFixtures.builder(2)
                .singleProducer()
                .consumersIdle(() -> idle)
                .build();
        RingFixtures.connect(ring);
        barrier = ring.newBarrier();
        producer = ring.producer();
        for (int i = 0; i < SignalledIdle.DEFAULT_SPINS + SignalledIdle.YIELDS; i++) {
            idle.idle();
        }
    }

    /**
     * The runner: announces its park, runs one more cycle, and parks if that found nothing.
     *
     * @param r what it saw
     */
    @Actor
    public void runner(JJJ_Result r) {
        idle.idle();
        r.r1 = barrier.available(0);
        if (r.r1 >= 0) {
            r.r2 = -1;
        } else {
            idle.idle();
            r.r2 = idle.parks();
            r.r3 = barrier.available(0);
        }
    }

    /** Publishes an event. */
    @Actor
    public void producer() {
        RingFixtures.publish(producer);
    }
}
