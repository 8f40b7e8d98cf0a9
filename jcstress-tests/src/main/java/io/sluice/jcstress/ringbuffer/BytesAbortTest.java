package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.agrona.DirectBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** A producer of a ring of bytes that aborts one of its claims, and publishes the next. */
public abstract class BytesAbortTest {
    private final Producer<ByteSlots> producer;
    private final EventPoller<ByteSlots> poller;
    private long sum;

    BytesAbortTest(RingBuffer<ByteSlots> ring) {
        poller = Pipeline.on(ring).poller("poller");
        producer = ring.producer();
    }

    private void handle(DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
        sum += Bytes.version(buffer, offset);
    }

    /** Claims two slots, aborts the first, publishes the second. */
    final void abortAndPublish() {
        long hi = producer.tryNext(2);
        Bytes.fill(producer, hi - 1, 77);
        Bytes.fill(producer, hi, 2);
        producer.abort(hi - 1, hi - 1);
        producer.publish(hi, hi);
    }

    /** Polls; how far. */
    final int pollSoon() {
        return Bytes.pollSoon(poller, this::handle, 4);
    }

    /** Polls the rest; the sum of the versions. */
    final long delivered() {
        while (Bytes.poll(poller, this::handle, 4) > 0) {
            // the handler sums up
        }
        return sum;
    }

    /**
     * On a ring of bytes for one producer, an aborted slot is never delivered, and the one published behind it is. If not, a consumer
     * would handle what a producer gave back half-filled. Results: how many sequences the first poll that found any went on, and
     * the sum of the versions delivered in the end.
     */
    @JCStressTest
    @Outcome(id = "0, 2", expect = ACCEPTABLE, desc = "nothing was published yet")
    @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "the abort was seen alone")
    @Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "both were seen at once")
    @Outcome(expect = FORBIDDEN, desc = "the aborted slot was delivered, or the other one was not")
    @Proof(
            claim = "an aborted slot of bytes is never delivered (one producer)",
            overlap = {"1, 2"},
            twins = {"abort-mark-late-single"})
    @State
    public static class Single extends BytesAbortTest {
        /** An empty ring. */
        public Single() {
            super(Bytes.single(4));
        }

        /** Aborts one, publishes one. */
        @Actor
        public void producer() {
            abortAndPublish();
        }

        /**
         * Polls.
         *
         * @param r how far
         */
        @Actor
        public void consumer(JJ_Result r) {
            r.r1 = pollSoon();
        }

        /**
         * Polls the rest.
         *
         * @param r the sum
         */
        @Arbiter
        public void end(JJ_Result r) {
            r.r2 = delivered();
        }
    }

    /**
     * On a ring of bytes for many producers, an aborted slot is never delivered, and the one published behind it is. If not, a consumer
     * would handle what a producer gave back half-filled. Results: how many sequences the first poll that found any went on, and
     * the sum of the versions delivered in the end.
     */
    @JCStressTest
    @Outcome(id = "0, 2", expect = ACCEPTABLE, desc = "nothing was published yet")
    @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "the abort was seen alone")
    @Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "both were seen at once")
    @Outcome(expect = FORBIDDEN, desc = "the aborted slot was delivered, or the other one was not")
    @Proof(
            claim = "an aborted slot of bytes is never delivered (many producers)",
            overlap = {"1, 2"},
            twins = {"abort-mark-late-multi"})
    @State
    public static class Multi extends BytesAbortTest {
        /** An empty ring. */
        public Multi() {
            super(Bytes.multi(4));
        }

        /** Aborts one, publishes one. */
        @Actor
        public void producer() {
            abortAndPublish();
        }

        /**
         * Polls.
         *
         * @param r how far
         */
        @Actor
        public void consumer(JJ_Result r) {
            r.r1 = pollSoon();
        }

        /**
         * Polls the rest.
         *
         * @param r the sum
         */
        @Arbiter
        public void end(JJ_Result r) {
            r.r2 = delivered();
        }
    }
}
