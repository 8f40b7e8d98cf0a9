package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.SequenceBarrier;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJI_Result;

/**
 * A consumer that is about to park sees a publication, or is woken. If not, it would sleep beside an event until the
 * next one came. Results: what the runner saw before it announced its park, what in the complete cycle after that,
 * and whether it would then sleep for ever.
 */
@JCStressTest
@Outcome(id = "-1, -1, 0", expect = ACCEPTABLE, desc = "it saw nothing, and was woken")
@Outcome(id = "-1, 0, 0", expect = ACCEPTABLE, desc = "it came between the two looks")
@Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "it was there before")
@Outcome(expect = FORBIDDEN, desc = "a lost wake-up")
@Proof(
        claim = "a publication is seen or wakes: no wake-up is lost",
        overlap = {"-1, 0, 0"},
        twins = {"signal-publisher-fence", "signal-word-not-raised", "idle-word-recheck"})
@State
public class PublishAgainstParkTest extends ParkState {
    private final Producer<Event> producer;
    private final SequenceBarrier barrier;

    /** An empty ring with one consumer, connected but not run. */
    public PublishAgainstParkTest() {
        RingBuffer<Event> ring = RingFixtures.builder(2)
                .singleProducer()
                .consumersIdle(() -> idle)
                .build();
        RingFixtures.connect(ring);
        barrier = ring.newBarrier();
        producer = ring.producer();
    }

    @Override
    long look() {
        return barrier.available(0);
    }

    /**
     * The runner: announces its park, then runs one more cycle.
     *
     * @param r what it saw
     */
    @Actor
    public void runner(JJI_Result r) {
        park(r);
    }

    /** Publishes an event. */
    @Actor
    public void producer() {
        producer.tryPublishEvent((event, sequence) -> {
            event.fill(sequence + 1);
            meeting.other();
        });
    }

    /**
     * Notes whether the runner would sleep next, if it has seen nothing.
     *
     * @param r whether it would sleep
     */
    @Arbiter
    public void end(JJI_Result r) {
        r.r3 = sleeps(r.r2);
    }
}
