package io.sluice.jcstress;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.ArrayDeque;
import java.util.TreeMap;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Rings under Lincheck: the shipped classes in every interleaving that it finds, one thread for each producer and one for the
 * consumer. Lincheck sees each access at once, so it shows what the order of the steps allows, not what a missing release
 * would.
 *
 * <p>A ring with one producer is a bounded queue. One with many is not: a producer that has claimed and not yet published
 * holds up what others have published behind it, and they have returned. So its specification says what a claim and what a
 * publication does, each by itself; that a queue would be too much to ask is shown as well.
 */
@Tag("once")
@Tag("any-jdk")
class RingLincheckTest {
    private static final long NOTHING = -1;

    @Test
    void aRingWithOneProducerIsABoundedQueue() {
        Interleavings.check(OneProducer.class, BoundedQueue.class, 2, 4, 900);
    }

    @Test
    void aRingWithManyProducersClaimsAndPublishesAtomically() {
        Interleavings.check(ManyProducers.class, ClaimsAndPublications.class, 3, 4, 900);
    }

    /** The control, and the reason for the specification above: this is what a stalled claim hides. */
    @Test
    void aRingWithManyProducersIsNotAQueue() {
        assertThatThrownBy(() -> Interleavings.check(ManyProducersAtOnce.class, BoundedQueue.class, 3, 3, 1))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("Invalid execution results");
    }

    /** What the classes below share: a ring of two slots, and its consumer, polled by one thread. */
    private abstract static class Polled {
        final RingBuffer<long[]> ring;
        private final EventPoller<long[]> poller;
        private long polled;

        Polled(boolean single) {
            RingBufferBuilder<long[]> builder =
                    RingBufferBuilder.of(() -> new long[1]).capacity(BoundedQueue.CAPACITY);
            ring = (single ? builder.singleProducer() : builder.multiProducer()).build();
            poller = Pipeline.on(ring).poller("poller");
        }

        long pollOne() throws Exception {
            polled = NOTHING;
            poller.poll((event, sequence, endOfBatch) -> polled = event[0], 1);
            return polled;
        }

        static long offer(Producer<long[]> producer, long value) {
            long sequence = producer.tryNext(1);
            if (sequence >= 0) {
                producer.get(sequence)[0] = value;
                producer.publish(sequence, sequence);
            }
            return sequence;
        }
    }

    /** One producer's operations. */
    public static class OneProducer extends Polled {
        private final Producer<long[]> producer = ring.producer();

        public OneProducer() {
            super(true);
        }

        @Operation(nonParallelGroup = "producer")
        public long offerA(@Param(gen = IntGen.class, conf = "1:3") int value) {
            return offer(producer, value);
        }

        @Operation(nonParallelGroup = "consumer")
        public long poll() throws Exception {
            return pollOne();
        }
    }

    /** Two producers, whose operations are claim and publication together. */
    public static class ManyProducersAtOnce extends Polled {
        private final Producer<long[]> a = ring.producer();
        private final Producer<long[]> b = ring.producer();

        public ManyProducersAtOnce() {
            super(false);
        }

        @Operation(nonParallelGroup = "a")
        public long offerA(@Param(gen = IntGen.class, conf = "1:3") int value) {
            return offer(a, value);
        }

        @Operation(nonParallelGroup = "b")
        public long offerB(@Param(gen = IntGen.class, conf = "1:3") int value) {
            return offer(b, value);
        }

        @Operation(nonParallelGroup = "consumer")
        public long poll() throws Exception {
            return pollOne();
        }
    }

    /** A queue of so many, whose events are numbered. */
    public static class BoundedQueue {
        static final int CAPACITY = 2;

        private final ArrayDeque<Long> queue = new ArrayDeque<>();
        private long next;

        public long offerA(int value) {
            if (queue.size() == CAPACITY) {
                return Producer.FULL;
            }
            queue.add((long) value);
            return next++;
        }

        public long offerB(int value) {
            return offerA(value);
        }

        public long poll() {
            Long value = queue.poll();
            return value == null ? NOTHING : value;
        }
    }

    /** Two producers, whose operations are claim and publication or abort, each by itself, one claim at a time. */
    public static class ManyProducers extends Polled {
        private final Producer<long[]> a = ring.producer();
        private final Producer<long[]> b = ring.producer();
        private long openA = NOTHING;
        private long openB = NOTHING;

        public ManyProducers() {
            super(false);
        }

        @Operation(nonParallelGroup = "a")
        public long claimA() {
            if (openA >= 0) {
                return NOTHING;
            }
            openA = a.tryNext(1);
            return openA;
        }

        @Operation(nonParallelGroup = "b")
        public long claimB() {
            if (openB >= 0) {
                return NOTHING;
            }
            openB = b.tryNext(1);
            return openB;
        }

        @Operation(nonParallelGroup = "a")
        public void publishA(@Param(gen = IntGen.class, conf = "1:3") int value) {
            if (openA >= 0) {
                a.get(openA)[0] = value;
                a.publish(openA, openA);
                openA = NOTHING;
            }
        }

        @Operation(nonParallelGroup = "b")
        public void publishB(@Param(gen = IntGen.class, conf = "1:3") int value) {
            if (openB >= 0) {
                b.get(openB)[0] = value;
                b.publish(openB, openB);
                openB = NOTHING;
            }
        }

        @Operation(nonParallelGroup = "b")
        public void abortB() {
            if (openB >= 0) {
                b.abort(openB, openB);
                openB = NOTHING;
            }
        }

        @Operation(nonParallelGroup = "consumer")
        public long poll() throws Exception {
            return pollOne();
        }
    }

    /**
     * What a ring with many producers promises: claims are numbered without gaps and wait for room; an event comes when it and
     * all before it are published or aborted; a poll that finds an aborted one goes past it and brings nothing.
     */
    public static class ClaimsAndPublications {
        private static final long ABORTED = -2;

        private final TreeMap<Long, Long> done = new TreeMap<>();
        private long claimed;
        private long polled;
        private long openA = NOTHING;
        private long openB = NOTHING;

        private long claim() {
            return claimed - polled == BoundedQueue.CAPACITY ? Producer.FULL : claimed++;
        }

        public long claimA() {
            if (openA >= 0) {
                return NOTHING;
            }
            openA = claim();
            return openA;
        }

        public long claimB() {
            if (openB >= 0) {
                return NOTHING;
            }
            openB = claim();
            return openB;
        }

        public void publishA(int value) {
            if (openA >= 0) {
                done.put(openA, (long) value);
                openA = NOTHING;
            }
        }

        public void publishB(int value) {
            if (openB >= 0) {
                done.put(openB, (long) value);
                openB = NOTHING;
            }
        }

        public void abortB() {
            if (openB >= 0) {
                done.put(openB, ABORTED);
                openB = NOTHING;
            }
        }

        public long poll() {
            Long value = done.get(polled);
            if (value == null) {
                return NOTHING;
            }
            polled++;
            return value == ABORTED ? NOTHING : value;
        }
    }
}
