package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Cause;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.RingException;
import io.sluice.ringbuffer.RingFailedException;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LI_Result;

/**
 * A publisher that waits for a consumer that fails.
 *
 * <p>A publisher that waits on a full ring is told of the failure of the consumer that it waits for, with its cause. If not,
 * its thread would wait for ever, or its user would not learn why. Results: what ended the claim, and whether it had to
 * wait.
 */
@Outcome(id = "cause, 0", expect = ACCEPTABLE, desc = "failed before the claim")
@Outcome(id = "cause, 1", expect = ACCEPTABLE, desc = "failed while it waited")
@Outcome(expect = FORBIDDEN, desc = "another end than by the cause, or a publisher left waiting")
public abstract class WaitingPublisherFailTest extends WaitingPublisherState {
    private final Cause cause = new Cause();
    private final EventProcessor processor;

    WaitingPublisherFailTest(RingBufferBuilder<Event> builder) {
        super(builder);
        Pipeline<Event> pipeline = Pipeline.on(ring).errorHandler(told -> {}); // no log line a sample
        pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
            idle.begun();
            throw cause;
        });
        processor = pipeline.startProcessors().get(0);
        producer = RingFixtures.producerBehind(ring, 1);
    }

    /** Waits for room; returns what ended that. */
    final String claimUntilItFails() {
        try {
            return "claim " + waiting().next(1);
        } catch (RingFailedException e) {
            return e.getCause() == cause ? "cause" : "other cause";
        } catch (RingException | GivingUpIdle.LeftWaitingException e) {
            return e.getClass().getSimpleName();
        }
    }

    /** Fails. */
    public void consumer() {
        processor.doWork();
        idle.over();
    }

    /**
     * Waits for room.
     *
     * @param r what it got
     */
    public void producer(LI_Result r) {
        r.r1 = claimUntilItFails();
        r.r2 = idle.waited();
    }

    /** On a ring for one producer. */
    @JCStressTest
    @JCStressMeta(WaitingPublisherFailTest.class)
    @Proof(
            claim = "a failure reaches a publisher that waits for room (one producer)",
            overlap = {"cause, 1"},
            twins = {"single-wait-recheck"})
    @State
    public static class Single extends WaitingPublisherFailTest {
        /** A full ring, and a consumer that will fail. */
        public Single() {
            super(RingFixtures.builder(1).singleProducer());
        }

        @Override
        @Actor
        public void producer(LI_Result r) {
            super.producer(r);
        }

        @Override
        @Actor
        public void consumer() {
            super.consumer();
        }
    }

    /** On a ring for many producers. */
    @JCStressTest
    @JCStressMeta(WaitingPublisherFailTest.class)
    @Proof(
            claim = "a failure reaches a publisher that waits for room (many producers)",
            overlap = {"cause, 1"},
            twins = {"multi-fail-untold"})
    @State
    public static class Multi extends WaitingPublisherFailTest {
        /** A full ring, and a consumer that will fail. */
        public Multi() {
            super(RingFixtures.builder(1).multiProducer());
        }

        @Override
        @Actor
        public void producer(LI_Result r) {
            super.producer(r);
        }

        @Override
        @Actor
        public void consumer() {
            super.consumer();
        }
    }
}
