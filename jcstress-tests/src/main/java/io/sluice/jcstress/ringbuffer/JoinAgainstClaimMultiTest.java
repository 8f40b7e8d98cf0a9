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
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A consumer joins a full ring for many producers while it is looked for room: between the producer's read of the list of
 * gating sequences and of the sequences the consumer joins, and the one it rested for goes on. From its join point on it
 * sees each event once, whole. If not, the producer would overwrite events that it has been promised. Results: the join
 * point, how many events were missing in the end, and whether the join came between the two reads.
 */
@JCStressTest
@Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "joined before or after the look")
@Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "joined in the middle of it")
@Outcome(expect = FORBIDDEN, desc = "an event overwritten, doubled or lost")
@Proof(
        claim = "nothing is overwritten for a consumer that joins during a claim (many producers)",
        overlap = {"1, 0, 1"},
        twins = {"gating-second-look"})
@State
public class JoinAgainstClaimMultiTest {
    private final SlowGate slow = new SlowGate();
    private final Pipeline<Event> pipeline;
    private final Producer<Event> producer;
    private final EventPoller<Event> gate;
    private final Checker checker = new Checker();
    private long published;
    private EventPoller<Event> late;

    /** A full ring. */
    public JoinAgainstClaimMultiTest() {
        RingBuffer<Event> ring = Stand.multi(2);
        ring.addGating(slow);
        pipeline = Pipeline.on(ring);
        gate = pipeline.poller("gate");
        late = gate;
        pipeline.startProcessors();
        producer = ring.producer();
        Stand.publish(producer);
        Stand.publish(producer);
        published = 2;
        slow.arm();
    }

    /** Publishes two more as soon as there is room. */
    @Actor
    public void producer() {
        for (int i = 0; i < 2 && Stand.publishSoon(producer) >= 0; i++) {
            published++;
        }
    }

    /**
     * Handles one event, joins another consumer behind it, and handles the next.
     *
     * @param r the join point
     */
    @Actor
    public void joiner(III_Result r) {
        Stand.poll(gate, checker, 1);
        late = Stand.joinAtOnce(pipeline.joinPoller("late"));
        Stand.poll(gate, checker, 1);
        slow.happened();
        r.r1 = (int) late.consumer().joinedFrom();
    }

    /**
     * Handles the rest.
     *
     * @param r how many events are missing, and whether they met
     */
    @Arbiter
    public void end(III_Result r) {
        Checker lateChecker = Checker.from(r.r1);
        int work;
        do {
            work = Stand.poll(late, lateChecker, 1) + Stand.poll(gate, checker, 1);
        } while (work > 0);
        r.r2 = (int) (2 * published - checker.handled() - lateChecker.handled());
        r.r3 = slow.met();
    }
}
