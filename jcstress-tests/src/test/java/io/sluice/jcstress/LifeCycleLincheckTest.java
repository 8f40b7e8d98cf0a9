package io.sluice.jcstress;

import io.sluice.core.LifeCycle;
import io.sluice.core.State;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The life-cycle word, the drain of a ring with one producer against claims, publications and polls, and drain and close of
 * a ring with many against claims, under Lincheck.
 *
 * <p>With one producer drain does two things at two moments: it ends the claims, then it says what is left. The first is
 * atomic. The second is a promise in one direction: what it says is left may be about to go, but if it says that nothing is
 * left, then no claim is open and none will come.
 */
@Tag("once")
@Tag("any-jdk")
class LifeCycleLincheckTest {
    private static final long NOTHING = -1;

    @Test
    void theLifeCycleWordIsAtomic() {
        Interleavings.check(Word.class, PlainWord.class, 2, 4, 900);
    }

    @Test
    void drainOfOneProducerIsExactOnceItIsQuiescent() {
        Interleavings.check(OneProducer.class, OneProducerLife.class, 3, 4, 900);
    }

    @Test
    void theClaimsOfManyProducersEndAtOneMoment() {
        Interleavings.check(ManyProducers.class, ManyProducersLife.class, 3, 2, 900);
    }

    /** The word. */
    public static class Word {
        private final LifeCycle life = new LifeCycle();

        @Operation
        public boolean drain() {
            return life.drain();
        }

        @Operation
        public boolean close() {
            return life.close();
        }

        @Operation
        public boolean fail() {
            return life.fail(new IllegalStateException("planned"));
        }

        @Operation
        public State state() {
            return life.state();
        }

        @Operation
        public boolean isRunning() {
            return life.isRunning();
        }

        @Operation
        public boolean hasCause() {
            return life.cause() != null;
        }
    }

    /** The word, as its figure in the Javadoc says. */
    public static class PlainWord {
        private State state = State.RUNNING;

        public boolean drain() {
            return move(State.DRAINING, state == State.RUNNING);
        }

        public boolean close() {
            return move(State.CLOSED, state == State.RUNNING || state == State.DRAINING);
        }

        public boolean fail() {
            return move(State.FAILED, state == State.RUNNING || state == State.DRAINING);
        }

        private boolean move(State next, boolean allowed) {
            if (allowed) {
                state = next;
            }
            return allowed;
        }

        public State state() {
            return state;
        }

        public boolean isRunning() {
            return state == State.RUNNING;
        }

        public boolean hasCause() {
            return state == State.FAILED;
        }
    }

    /** A ring of two slots with one producer, a consumer, and an owner who drains. */
    public static class OneProducer {
        private final RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(2)
                .singleProducer()
                .build();
        private final EventPoller<long[]> poller =
                Pipeline.on(ring).errorHandler(told -> {}).poller("poller");
        private final Producer<long[]> producer = ring.producer();
        private long open = NOTHING;
        private long polled;
        private boolean none;

        @Operation(nonParallelGroup = "producer")
        public long claim() {
            if (open >= 0) {
                return NOTHING;
            }
            open = producer.tryNext(1);
            if (open >= 0 && none) {
                throw new IllegalStateException("granted " + open + " although drain said that nothing would come");
            }
            return open;
        }

        @Operation(nonParallelGroup = "producer")
        public void publish() {
            if (open >= 0) {
                producer.publish(open, open);
                open = NOTHING;
            }
        }

        @Operation(nonParallelGroup = "consumer")
        public long poll() throws Exception {
            boolean before = none;
            polled = NOTHING;
            poller.poll((event, sequence, endOfBatch) -> polled = sequence, 1);
            if (polled >= 0 && before) {
                throw new IllegalStateException("handled " + polled + " although drain said that nothing was left");
            }
            return polled;
        }

        @Operation(nonParallelGroup = "owner")
        public void drain() {
            if (ring.drain(0).isNone()) {
                none = true;
            }
        }
    }

    /** Claims, publications and polls in order; drain ends the claims. */
    public static class OneProducerLife {
        private long claimed;
        private long published;
        private long polled;
        private long open = NOTHING;
        private boolean ended;

        public long claim() {
            if (open >= 0) {
                return NOTHING;
            }
            if (ended) {
                open = Producer.CLOSED;
            } else {
                open = claimed - polled == 2 ? Producer.FULL : claimed++;
            }
            return open;
        }

        public void publish() {
            if (open >= 0) {
                published = open + 1;
                open = NOTHING;
            }
        }

        public long poll() {
            return polled < published ? polled++ : NOTHING;
        }

        public void drain() {
            ended = true;
        }
    }

    /** A ring for many producers without consumers, one of them here, an owner who drains and one who closes. */
    public static class ManyProducers {
        private final RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(4)
                .multiProducer()
                .build();
        private final Producer<long[]> producer = ring.producer();

        @Operation(nonParallelGroup = "producer")
        public long claimAndPublish() {
            long sequence = producer.tryNext(1);
            if (sequence >= 0) {
                producer.publish(sequence, sequence);
            }
            return sequence;
        }

        @Operation(nonParallelGroup = "drainer")
        public void drain() {
            ring.drain(0);
        }

        @Operation(nonParallelGroup = "closer")
        public void close() {
            ring.close();
        }
    }

    /** Whichever of drain and close comes first ends the claims. */
    public static class ManyProducersLife {
        private long next;
        private boolean ended;

        public long claimAndPublish() {
            return ended ? Producer.CLOSED : next++;
        }

        public void drain() {
            ended = true;
        }

        public void close() {
            ended = true;
        }
    }
}
