package io.sluice.perf.jmh;

import io.sluice.core.SequenceBarrier;
import io.sluice.ringbuffer.EventTranslatorTwoLongs;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.PollHandler;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Calls of the ring by themselves, on one thread: a claim with its publication and no consumer behind it, also by a translator with two
 * longs, a claim that is refused, a poll that finds an event and one that finds none, and reads of a barrier.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SingleCalls {
    private static final int CAPACITY = 1024;

    private static final EventTranslatorTwoLongs<long[]> PRICE_AND_QUANTITY =
            (event, sequence, price, quantity) -> event[0] = price * quantity;

    /** The kind of ring: one producer, or many. By {@code -p} also TRACKED_SINGLE and TRACKED_MULTI, which track claims. */
    @Param({"SINGLE", "MULTI"})
    public String producers = "SINGLE";

    private long sum;
    private final PollHandler<long[], RuntimeException> adding = (event, sequence, endOfBatch) -> sum += event[0];
    private RingBuffer<long[]> unread = ring();
    private Producer<long[]> free = unread.producer();
    private SequenceBarrier barrier = unread.newBarrier();
    private Producer<long[]> refused = free;
    private Producer<long[]> polled = free;
    private EventPoller<long[]> poller = Pipeline.on(ring()).poller("poller");
    private EventPoller<long[]> empty = poller;
    private long published;
    private long value;

    /** For the JMH runner. */
    public SingleCalls() {}

    private RingBuffer<long[]> ring() {
        return RingOperations.ring(producers, CAPACITY);
    }

    /** Builds a ring that nobody reads, a full one, one that is polled, and one that stays empty. */
    @Setup
    public void open() {
        unread = ring();
        free = unread.producer();
        barrier = unread.newBarrier();
        published = free.next(1);
        free.publish(published, published);

        RingBuffer<long[]> full = ring();
        Pipeline.on(full).poller("nobody polls it");
        refused = full.producer();
        long hi = refused.next(CAPACITY);
        refused.publish(hi - CAPACITY + 1, hi);

        RingBuffer<long[]> used = ring();
        poller = Pipeline.on(used).poller("poller");
        polled = used.producer();
        empty = Pipeline.on(ring()).poller("empty");
    }

    /** Checks that every payload was polled, and that the full ring still is. */
    @TearDown
    public void check() {
        if (sum != value * (value - 1) / 2) {
            throw new IllegalStateException("the payloads' sum is " + sum + ", published were " + value + " events");
        }
        if (refused.tryNext(1) != Producer.FULL) {
            throw new IllegalStateException("the full ring is not full");
        }
    }

    /**
     * Claims a slot, fills and publishes it; there is no consumer.
     *
     * @return the sequence
     */
    @Benchmark
    public long claimAndPublish() {
        long sequence = free.next(1);
        free.get(sequence)[0] = sequence;
        free.publish(sequence, sequence);
        return sequence;
    }

    /**
     * The same with the claim for one slot.
     *
     * @return the sequence
     */
    @Benchmark
    public long claimOneAndPublish() {
        long sequence = free.next();
        free.get(sequence)[0] = sequence;
        free.publish(sequence, sequence);
        return sequence;
    }

    /**
     * The same with the publication of one slot.
     *
     * @return the sequence
     */
    @Benchmark
    public long claimAndPublishOne() {
        long sequence = free.next(1);
        free.get(sequence)[0] = sequence;
        free.publish(sequence);
        return sequence;
    }

    /**
     * Publishes an event by a translator with two longs, a price and a quantity; there is no consumer.
     *
     * @return the sequence
     */
    @Benchmark
    public long publishTwoLongs() {
        return free.publishEvent(PRICE_AND_QUANTITY, published, value);
    }

    /**
     * Claims a slot of a full ring, which is refused.
     *
     * @return why
     */
    @Benchmark
    public long claimRefused() {
        return refused.tryNext(1);
    }

    /**
     * Claims, fills and publishes a slot, and polls the event.
     *
     * @return how many were polled
     */
    @Benchmark
    public int publishAndPoll() {
        long sequence = polled.next(1);
        polled.get(sequence)[0] = value++;
        polled.publish(sequence, sequence);
        return poller.poll(adding, 1);
    }

    /**
     * Polls an empty ring.
     *
     * @return 0
     */
    @Benchmark
    public int pollEmpty() {
        return empty.poll(adding, 1);
    }

    /**
     * Asks a barrier for a sequence that is published.
     *
     * @return what is available
     */
    @Benchmark
    public long barrierRead() {
        return barrier.available(published);
    }
}
