package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.Sequence;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A ring that is closed while its producer publishes.
 *
 * <p>No claim is granted after close has returned, and events of claims granted before are reported as left over. If not, an
 * event would be published that nobody will ever handle or hear of. Results: how many claims were granted, -9 if one was after
 * the close, and how many events were left over in the end.
 */
@Outcome(
        id = {"0, 0", "1, 1", "2, 2"},
        expect = ACCEPTABLE,
        desc = "all that was granted is reported")
@Outcome(expect = FORBIDDEN, desc = "a claim after the close, or an event lost")
public abstract class CloseAgainstClaimTest {
    private final RingBuffer<Event> ring;
    private final Producer<Event> producer;
    private final Sequence closed = new Sequence(0);

    CloseAgainstClaimTest(RingBuffer<Event> ring) {
        this.ring = ring;
        Pipeline.on(ring).errorHandler(told -> {}).poller("poller"); // no log line a sample
        producer = ring.producer();
    }

    private int publish() {
        boolean late = closed.getAcquire() == 1; // acquire: the close comes before
        boolean granted = RingFixtures.publish(producer) >= 0;
        return !granted ? 0 : late ? -9 : 1;
    }

    /** Publishes two events, or fewer; how many, less than 0 if one was granted after the close. */
    final int publishTwo() {
        int granted = publish();
        return granted + publish();
    }

    /** Closes. */
    final void close() {
        ring.close();
        closed.setRelease(1); // release: the close comes before
    }

    /** How many events are left over. */
    final int left() {
        Ring.Leftover left = ring.leftover();
        return (int) left.unhandled() + left.openClaims();
    }

    /**
     * Publishes.
     *
     * @param r how many
     */
    public void producer(II_Result r) {
        r.r1 = publishTwo();
    }

    /** Closes. */
    public void closer() {
        close();
    }

    /**
     * Counts the events that are left over.
     *
     * @param r how many
     */
    public void end(II_Result r) {
        r.r2 = left();
    }

    /** On a ring for one producer. */
    @JCStressTest
    @JCStressMeta(CloseAgainstClaimTest.class)
    @Proof(
            claim = "no claim is granted after close, and none is lost (one producer)",
            overlap = {"1, 1"},
            twins = {"single-close-unseen"})
    @State
    public static class Single extends CloseAgainstClaimTest {
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
        public void closer() {
            super.closer();
        }

        @Override
        @Arbiter
        public void end(II_Result r) {
            super.end(r);
        }
    }

    /** On a ring for many producers. */
    @JCStressTest
    @JCStressMeta(CloseAgainstClaimTest.class)
    @Proof(
            claim = "no claim is granted after close, and none is lost (many producers)",
            overlap = {"1, 1"},
            twins = {"multi-close-untold"})
    @State
    public static class Multi extends CloseAgainstClaimTest {
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
        public void closer() {
            super.closer();
        }

        @Override
        @Arbiter
        public void end(II_Result r) {
            super.end(r);
        }
    }
}
