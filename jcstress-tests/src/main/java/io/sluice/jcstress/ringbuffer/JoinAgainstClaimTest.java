package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A full ring of two slots, whose producer looks slowly for room, and a consumer that joins.
 *
 * <p>A consumer joins a full ring while the producer looks for room: between the producer's reads of the list of gating
 * sequences and of the sequences themselves the consumer joins, and the one that rested for it goes on. From its join point on
 * the newcomer sees each event once, whole. If not, the producer would overwrite events that the newcomer has been promised.
 * Results: the join point, how many events were missing in the end, and whether the join came between the two reads.
 */
@Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "joined before or after the look")
@Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "joined in the middle of it")
@Outcome(expect = FORBIDDEN, desc = "an event overwritten, doubled or lost")
public abstract class JoinAgainstClaimTest {
    private final SlowGate slow = new SlowGate();
    private final Pipeline<Event> pipeline;
    private final Producer<Event> producer;
    private final EventPoller<Event> gate;
    private final Checker checker = new Checker();
    private long published;
    private EventPoller<Event> late;

    JoinAgainstClaimTest(RingBuffer<Event> ring) {
        ring.addGating(slow);
        pipeline = Pipeline.on(ring);
        gate = pipeline.poller("gate");
        late = gate;
        pipeline.startProcessors();
        producer = RingFixtures.producerBehind(ring, 2);
        published = 2;
        slow.arm();
    }

    /** Publishes two more as soon as there is room. */
    public void producer() {
        for (int i = 0; i < 2 && RingFixtures.publishSoon(producer) >= 0; i++) {
            published++;
        }
    }

    /** Handles one event, joins another consumer behind it, and handles the next; the join point. */
    final int join() {
        RingFixtures.poll(gate, checker, 1);
        late = RingFixtures.joinAtOnce(pipeline.joinPoller("late"));
        RingFixtures.poll(gate, checker, 1);
        slow.happened();
        return (int) late.consumer().joinedFrom();
    }

    /** Handles the rest; how many events are missing. */
    final int missing(int joinedFrom) {
        Checker lateChecker = Checker.from(joinedFrom);
        int work;
        do {
            work = RingFixtures.poll(late, lateChecker, 1) + RingFixtures.poll(gate, checker, 1);
        } while (work > 0);
        return (int) (2 * published - checker.handled() - lateChecker.handled());
    }

    /** 1 if the join came between the producer's two reads, else 0. */
    final int met() {
        return slow.met();
    }

    /**
     * Joins.
     *
     * @param r the join point
     */
    public void joiner(III_Result r) {
        r.r1 = join();
    }

    /**
     * Handles the rest.
     *
     * @param r how many events are missing, and whether they met
     */
    public void end(III_Result r) {
        r.r2 = missing(r.r1);
        r.r3 = met();
    }

    /** On a ring for one producer. */
    @JCStressTest
    @JCStressMeta(JoinAgainstClaimTest.class)
    @Proof(
            claim = "nothing is overwritten for a consumer that joins during a claim (one producer)",
            overlap = {"1, 0, 1"},
            twins = {"gating-second-look"})
    @State
    public static class Single extends JoinAgainstClaimTest {
        /** A full ring. */
        public Single() {
            super(RingFixtures.single(2));
        }

        @Override
        @Actor
        public void producer() {
            super.producer();
        }

        @Override
        @Actor
        public void joiner(III_Result r) {
            super.joiner(r);
        }

        @Override
        @Arbiter
        public void end(III_Result r) {
            super.end(r);
        }
    }

    /** On a ring for many producers. */
    @JCStressTest
    @JCStressMeta(JoinAgainstClaimTest.class)
    @Proof(
            claim = "nothing is overwritten for a consumer that joins during a claim (many producers)",
            overlap = {"1, 0, 1"},
            twins = {"gating-second-look"})
    @State
    public static class Multi extends JoinAgainstClaimTest {
        /** A full ring. */
        public Multi() {
            super(RingFixtures.multi(2));
        }

        @Override
        @Actor
        public void producer() {
            super.producer();
        }

        @Override
        @Actor
        public void joiner(III_Result r) {
            super.joiner(r);
        }

        @Override
        @Arbiter
        public void end(III_Result r) {
            super.end(r);
        }
    }
}
