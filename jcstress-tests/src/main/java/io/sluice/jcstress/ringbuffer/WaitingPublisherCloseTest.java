package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * A publisher that waits on a full ring that is closed.
 *
 * <p>A publisher that waits on a full ring is released by close. If not, its thread would wait for ever. Results: what the
 * claim gave, -4 being CLOSED, and whether it had to wait.
 */
@Outcome(id = "-4, 0", expect = ACCEPTABLE, desc = "closed before the claim")
@Outcome(id = "-4, 1", expect = ACCEPTABLE, desc = "closed while it waited")
@Outcome(expect = FORBIDDEN, desc = "a claim granted on a full ring, or a publisher left waiting (-99)")
public abstract class WaitingPublisherCloseTest extends WaitingPublisherState {
    WaitingPublisherCloseTest(RingBufferBuilder<Event> builder) {
        super(builder);
        Pipeline.on(ring).errorHandler(told -> {}).poller("poller"); // no log line a sample
        producer = RingFixtures.producerBehind(ring, 1);
    }

    /**
     * Waits for room.
     *
     * @param r what it got
     */
    public void producer(JJ_Result r) {
        r.r1 = claim();
        r.r2 = idle.waited();
    }

    /** Closes. */
    public void closer() {
        idle.begun();
        ring.close();
        idle.over();
    }

    /** On a ring for one producer. */
    @JCStressTest
    @JCStressMeta(WaitingPublisherCloseTest.class)
    @Proof(
            claim = "close releases a publisher that waits for room (one producer)",
            overlap = {"-4, 1"},
            twins = {"single-wait-recheck"})
    @State
    public static class Single extends WaitingPublisherCloseTest {
        /** A full ring. */
        public Single() {
            super(RingFixtures.builder(1).singleProducer());
        }

        @Override
        @Actor
        public void producer(JJ_Result r) {
            super.producer(r);
        }

        @Override
        @Actor
        public void closer() {
            super.closer();
        }
    }

    /** On a ring for many producers. */
    @JCStressTest
    @JCStressMeta(WaitingPublisherCloseTest.class)
    @Proof(
            claim = "close releases a publisher that waits for room (many producers)",
            overlap = {"-4, 1"},
            twins = {"multi-close-untold"})
    @State
    public static class Multi extends WaitingPublisherCloseTest {
        /** A full ring. */
        public Multi() {
            super(RingFixtures.builder(1).multiProducer());
        }

        @Override
        @Actor
        public void producer(JJ_Result r) {
            super.producer(r);
        }

        @Override
        @Actor
        public void closer() {
            super.closer();
        }
    }
}
