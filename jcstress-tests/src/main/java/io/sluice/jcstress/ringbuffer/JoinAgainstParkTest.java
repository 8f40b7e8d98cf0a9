package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.Sequence;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SignalledIdle;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.concurrent.TimeoutException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJI_Result;

/**
 * A consumer joins and is about to park while an event is published: it sees the event, or is woken. If not, it would sleep
 * beside it until the next one came. Results: what its runner saw before it announced its park, what in the complete
 * cycle after that, and whether it would then sleep for ever.
 */
@JCStressTest
@Outcome(id = "-1, -1, 0", expect = ACCEPTABLE, desc = "it saw nothing, and was woken")
@Outcome(id = "-1, 0, 0", expect = ACCEPTABLE, desc = "it came between the two looks")
@Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "it was there before")
@Outcome(expect = FORBIDDEN, desc = "a lost wake-up")
@Proof(
        claim = "a publication is seen by a consumer that joins, or wakes it",
        overlap = {"-1, 0, 0"},
        twins = {"join-not-signalled"})
@State
public class JoinAgainstParkTest {
    private static final int SPINS = 15;

    private final SignalledIdle idle = SignalledIdle.exact(0);
    private final Sequence joining = new Sequence(0);
    private final Sequence joined = new Sequence(0);
    private final Pipeline<Event> pipeline;
    private final EventPoller<Event> gate;
    private final Producer<Event> producer;
    private final SequenceBarrier barrier;

    /** An empty ring with a consumer that is polled. */
    public JoinAgainstParkTest() {
        RingBuffer<Event> ring = RingFixtures.builder(2)
                .singleProducer()
                .consumersIdle(() -> SignalledIdle.exact(0))
                .build();
        pipeline = Pipeline.on(ring);
        gate = pipeline.poller("gate");
        pipeline.threads(RingFixtures.Unstarted::new);
        pipeline.start();
        barrier = ring.newBarrier();
        producer = ring.producer();
    }

    private long look() {
        return barrier.available(0);
    }

    /**
     * Joins; then the runner announces its park, and runs one more cycle.
     *
     * @param r what it saw
     */
    @Actor
    public void joiner(JJI_Result r) {
        gate.consumer().pause();
        RingFixtures.poll(gate, (event, sequence, endOfBatch) -> {}, 1); // at rest from now on: this thread's own
        joining.setRelease(1); // release: now
        try {
            pipeline.join((event, sequence, endOfBatch) -> {}).idle(() -> idle).start(0);
        } catch (TimeoutException e) {
            throw new IllegalStateException(e);
        }
        joined.setRelease(1); // release: now
        r.r1 = look();
        idle.idle();
        r.r2 = look();
    }

    /** Publishes an event, during the join or about the time of the two looks. */
    @Actor
    public void producer() {
        long dice = System.nanoTime() >>> 4;
        Sequence sign = (dice & 1) == 0 ? joining : joined;
        for (int i = 0; i < RingFixtures.MANY_ATTEMPTS && sign.getAcquire() == 0; i++) { // acquire: now
            Thread.onSpinWait();
        }
        for (long i = (dice >>> 1) & SPINS; i > 0; i--) {
            Thread.onSpinWait();
        }
        RingFixtures.publish(producer);
    }

    /**
     * Notes whether the runner would sleep next, if it has seen nothing.
     *
     * @param r whether it would sleep
     */
    @Arbiter
    public void end(JJI_Result r) {
        r.r3 = r.r2 == -1 && RingFixtures.wouldSleep(idle) ? 1 : 0;
    }
}
