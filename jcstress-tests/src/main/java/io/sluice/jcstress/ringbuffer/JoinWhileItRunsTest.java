package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.Sequence;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A consumer joins while another thread publishes and runs the gating one: that one rests until the newcomer gates, too. So
 * the newcomer sees each event from its join point on, once, whole. If not, it would join at events that are being
 * overwritten. Results: whether it joined within the time, how many events were missing in the end, and whether the other
 * thread had handled some before.
 */
@JCStressTest
@Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "joined before the other began")
@Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "joined while the other was running")
@Outcome(
        id = {"0, 0, 0"},
        expect = ACCEPTABLE,
        desc = "the other was over: nothing joined")
@Outcome(expect = FORBIDDEN, desc = "an event overwritten, doubled or lost")
@Proof(
        claim = "the gating consumer rests while another joins",
        overlap = {"1, 0, 1"},
        twins = {"hold-not-awaited", "poller-hold-not-kept"})
@State
public class JoinWhileItRunsTest {
    private static final int MORE = 8;

    private final Sequence joined = new Sequence(0);
    private final Pipeline<Event> pipeline;
    private final Producer<Event> producer;
    private final EventPoller<Event> gate;
    private final Checker checker = new Checker();
    private long published;
    private EventPoller<Event> late;

    /** An empty ring. */
    public JoinWhileItRunsTest() {
        RingBuffer<Event> ring = RingFixtures.single(4);
        pipeline = Pipeline.on(ring);
        gate = pipeline.poller("gate");
        late = gate;
        pipeline.startProcessors();
        producer = ring.producer();
    }

    private void work() {
        if (RingFixtures.publish(producer) >= 0) {
            published++;
        }
        RingFixtures.poll(gate, checker, 1);
    }

    /** Publishes and handles until the other has joined, and a little longer. */
    @Actor
    public void runner() {
        for (int i = 0; i < RingFixtures.MANY_ATTEMPTS && joined.getAcquire() == 0; i++) { // acquire: it has joined
            work();
        }
        for (int i = 0; i < MORE; i++) {
            work();
        }
    }

    /**
     * Joins.
     *
     * @param r whether it did
     */
    @Actor
    public void joiner(III_Result r) {
        EventPoller<Event> own = RingFixtures.join(pipeline.joinPoller("late"));
        if (own != null) {
            late = own;
            r.r1 = 1;
        }
        joined.setRelease(1); // release: it has joined
    }

    /**
     * Handles the rest.
     *
     * @param r how many events are missing, and where it joined
     */
    @Arbiter
    public void end(III_Result r) {
        if (r.r1 == 1) {
            long from = late.consumer().joinedFrom();
            Checker lateChecker = Checker.from(from);
            int work;
            do {
                work = RingFixtures.poll(late, lateChecker, 1) + RingFixtures.poll(gate, checker, 1);
            } while (work > 0);
            r.r2 = (int) (2 * published - checker.handled() - lateChecker.handled());
            r.r3 = from > 0 ? 1 : 0;
        }
    }
}
