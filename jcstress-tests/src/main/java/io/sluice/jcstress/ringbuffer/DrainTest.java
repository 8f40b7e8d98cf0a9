package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A ring that is drained, without waiting, while its producer publishes. */
public abstract class DrainTest {
    private final RingBuffer<Event> ring;
    private final Producer<Event> producer;

    DrainTest(RingBuffer<Event> ring) {
        this.ring = ring;
        Pipeline.on(ring).poller("poller");
        producer = ring.producer();
    }

    /** Publishes two events, or fewer; how many. */
    final int publishTwo() {
        int granted = RingFixtures.publish(producer) >= 0 ? 1 : 0;
        return granted + (RingFixtures.publish(producer) >= 0 ? 1 : 0);
    }

    /** Drains; returns how many events it told of, -1 if a producer may still publish. */
    final int drain() {
        Ring.Leftover left = ring.drain(0);
        return left.openProducers() == 0 ? (int) left.unhandled() + left.openClaims() : -1;
    }

    /**
     * Publishes.
     *
     * @param r how many
     */
    public void producer(II_Result r) {
        r.r1 = publishTwo();
    }

    /**
     * Drains.
     *
     * @param r what it told of
     */
    public void drainer(II_Result r) {
        r.r2 = drain();
    }

    /**
     * On a ring for one producer, drain tells of every event that was published, unless it says that a producer may still
     * publish. If not, it would say that nothing is left while an event is. Results: how many claims were granted, and
     * how many events drain told of, -1 if it said that a producer may still publish.
     */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "1, 1", "2, 2"},
            expect = ACCEPTABLE,
            desc = "drain told of all")
    @Outcome(
            id = {"0, -1", "1, -1", "2, -1"},
            expect = ACCEPTABLE,
            desc = "drain said that the producer was still open")
    @Outcome(expect = FORBIDDEN, desc = "an event that drain did not tell of")
    @Proof(
            claim = "drain tells of every event (one producer)",
            overlap = {"1, -1"},
            twins = {"drain-owner-late"})
    @State
    public static class Single extends DrainTest {
        /** An empty ring with a consumer that does nothing. */
        public Single() {
            super(RingFixtures.single(4));
        }

        @Override
        @Actor
        public void producer(II_Result r) {
            super.producer(r);
        }

        @Override
        @Actor
        public void drainer(II_Result r) {
            super.drainer(r);
        }
    }

    /**
     * On a ring for many producers, drain tells of every event that was published, since no claim is granted after it. If
     * not, it would say that nothing is left while an event is. Results: how many claims were granted, and how many
     * events drain told of.
     */
    @JCStressTest
    @Outcome(
            id = {"0, 0", "1, 1", "2, 2"},
            expect = ACCEPTABLE,
            desc = "drain told of all")
    @Outcome(expect = FORBIDDEN, desc = "an event that drain did not tell of")
    @Proof(
            claim = "drain tells of every event (many producers)",
            overlap = {"1, 1"},
            twins = {"multi-drain-cas", "multi-claim-cas"})
    @State
    public static class Multi extends DrainTest {
        /** An empty ring with a consumer that does nothing. */
        public Multi() {
            super(RingFixtures.multi(4));
        }

        @Override
        @Actor
        public void producer(II_Result r) {
            super.producer(r);
        }

        @Override
        @Actor
        public void drainer(II_Result r) {
            super.drainer(r);
        }
    }
}
