package io.sluice.perf.jmh;

import io.sluice.core.FailurePolicies;
import io.sluice.core.RunnerAgent;
import io.sluice.ringbuffer.EventTranslatorLong;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * The ring's operations on one thread: each publishes and lets an invoked pipeline consume, so that it measures the instructions of both
 * sides without the traffic between cores. JMH's {@code gc} profiler shows that an event allocates nothing.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RingOperations {
    private static final int CAPACITY = 1024;
    private static final int CLAIM = 10;
    private static final EventTranslatorLong<long[]> TRANSLATOR = (event, sequence, value) -> event[0] = value;

    /** The kind of ring: one producer, or many. By {@code -p} also TRACKED_SINGLE and TRACKED_MULTI, which track claims. */
    @Param({"SINGLE", "MULTI"})
    public String producers = "SINGLE";

    private Lane succeeding = new Lane("SINGLE", false);
    private Lane failing = succeeding;
    private long value;

    /** For the JMH runner. */
    public RingOperations() {}

    /** A ring of a kind. */
    static RingBuffer<long[]> ring(String producers, int capacity) {
        RingBufferBuilder<long[]> builder =
                RingBufferBuilder.of(() -> new long[1]).capacity(capacity);
        if (producers.startsWith("TRACKED_")) {
            builder.trackClaims();
        }
        return switch (producers) {
            case "SINGLE", "TRACKED_SINGLE" -> builder.singleProducer().build();
            case "MULTI", "TRACKED_MULTI" -> builder.multiProducer().build();
            default ->
                throw new IllegalArgumentException(
                        "producers must be SINGLE, MULTI, TRACKED_SINGLE or TRACKED_MULTI, but was " + producers);
        };
    }

    /** Builds a ring whose handler succeeds, and one whose handler fails and is skipped. */
    @Setup
    public void open() {
        succeeding = new Lane(producers, false);
        failing = new Lane(producers, true);
    }

    /** Closes both rings, and checks that every event got through. */
    @TearDown
    public void close() {
        succeeding.close();
        failing.close();
    }

    /**
     * Claims one slot, fills, publishes and consumes it.
     *
     * @return how many sequences the consumer went on
     * @throws Exception never
     */
    @Benchmark
    public int claimPublishConsume() throws Exception {
        Producer<long[]> producer = succeeding.producer;
        long sequence = producer.next(1);
        producer.get(sequence)[0] = value++;
        producer.publish(sequence, sequence);
        return succeeding.agent.doWork();
    }

    /**
     * Publishes an event by a translator with a {@code long}, and consumes it.
     *
     * @return how many sequences the consumer went on
     * @throws Exception never
     */
    @Benchmark
    public int publishEvent() throws Exception {
        succeeding.producer.publishEvent(TRANSLATOR, value++);
        return succeeding.agent.doWork();
    }

    /**
     * Claims ten slots at once, fills, publishes and consumes them; the score is for one.
     *
     * @return how many sequences the consumer went on
     * @throws Exception never
     */
    @Benchmark
    @OperationsPerInvocation(CLAIM)
    public int claimTen() throws Exception {
        Producer<long[]> producer = succeeding.producer;
        long hi = producer.next(CLAIM);
        for (long sequence = hi - CLAIM + 1; sequence <= hi; sequence++) {
            producer.get(sequence)[0] = value++;
        }
        producer.publish(hi - CLAIM + 1, hi);
        return succeeding.agent.doWork();
    }

    /**
     * Claims a slot and gives it back; the consumer passes over it.
     *
     * @return how many sequences the consumer went on
     * @throws Exception never
     */
    @Benchmark
    public int abort() throws Exception {
        Producer<long[]> producer = succeeding.producer;
        long sequence = producer.next(1);
        producer.abort(sequence, sequence);
        return succeeding.agent.doWork();
    }

    /**
     * Publishes an event whose handler throws an exception made in advance, which the failure policy skips.
     *
     * @return how many sequences the consumer went on
     * @throws Exception never
     */
    @Benchmark
    public int skip() throws Exception {
        failing.producer.publishEvent(TRANSLATOR, value++);
        return failing.agent.doWork();
    }

    /** A ring, its producer, and its consumer on the same thread. */
    private static final class Lane {
        final RingBuffer<long[]> ring;
        final Producer<long[]> producer;
        final RunnerAgent agent;

        private long sum;
        private long skipped;

        Lane(String producers, boolean fails) {
            ring = ring(producers, CAPACITY);
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            EventHandler<long[]> adding = (event, sequence, endOfBatch) -> sum += event[0];
            RuntimeException preallocated = new Preallocated();
            EventHandler<long[]> throwing = (event, sequence, endOfBatch) -> {
                throw preallocated;
            };
            pipeline.onFailure(FailurePolicies.skip((cause, sequence, attempt) -> skipped++));
            pipeline.handleEventsWith(fails ? throwing : adding);
            agent = pipeline.startInvoked();
            producer = ring.producer();
        }

        void close() {
            producer.close();
            Ring.Leftover left = ring.drain(0);
            if (!left.isNone()) {
                throw new IllegalStateException("left behind: " + left + ", sum " + sum + ", skipped " + skipped);
            }
            ring.close();
        }
    }

    private static final class Preallocated extends RuntimeException {
        private static final long serialVersionUID = 1;

        Preallocated() {
            super("preallocated", null, false, false);
        }
    }
}
