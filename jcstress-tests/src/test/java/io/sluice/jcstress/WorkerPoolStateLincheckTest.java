package io.sluice.jcstress;

import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Sharing;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Workers under Lincheck, in every interleaving that it finds: what the workers take is a queue's, each event once and none
 * left out; and when all have returned, progress stands behind all that was taken, whatever the order in which they finished.
 */
@Tag("once")
@Tag("any-jdk")
class WorkerPoolStateLincheckTest {
    private static final long NOTHING = -1;
    private static final int CAPACITY = 4;

    @Test
    void eachEventHasOneWorkerAndAllAreHandedOn() {
        Interleavings.check(Workers.class, Queue.class, 2, 4, 900);
    }

    /** What the workers share, alone: so that each of its few steps is met between those of the other worker. */
    @Test
    void progressNeverGoesBack() {
        Interleavings.check(Marks.class, Anything.class, 2, 3, 900);
    }

    /** Each finishes the one event that it has taken: so nobody who comes later makes up for what one of them left. */
    @Test
    void ofTwoWorkersThatFinishAtOnceTheOneThatIsBeatenLooksAgain() {
        Interleavings.check(Marks.class, Anything.class, 2, 1, 900);
    }

    /** Two workers that take an event and finish it. */
    public static class Marks {
        private final Sharing shared = new Sharing(16);
        private long countOfA;
        private long countOfB;

        private boolean work() {
            long sequence = shared.take();
            if (sequence < 0) {
                return false;
            }
            shared.finish(sequence);
            return true;
        }

        @Operation(nonParallelGroup = "a")
        public void workA() {
            countOfA += work() ? 1 : 0;
        }

        @Operation(nonParallelGroup = "b")
        public void workB() {
            countOfB += work() ? 1 : 0;
        }

        @Validate
        public void everythingIsHandedOn() {
            if (shared.progress() != countOfA + countOfB - 1) {
                throw new IllegalStateException(
                        "progress " + shared.progress() + " after " + countOfA + " and " + countOfB + " events");
            }
        }
    }

    /** Nothing is said about who takes what. */
    public static class Anything {
        public void workA() {}

        public void workB() {}
    }

    /** Two workers, one event an operation, and a producer. */
    public static class Workers {
        private final Producer<long[]> producer;
        private final EventProcessor a;
        private final EventProcessor b;
        private long takenByA = NOTHING;
        private long takenByB = NOTHING;
        private long countOfA;
        private long countOfB;

        public Workers() {
            RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                    .capacity(CAPACITY) // so a worker takes one event a cycle
                    .singleProducer()
                    .build();
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            EventHandler<long[]> first = (event, sequence, endOfBatch) -> {
                takenByA = event[0];
                countOfA++;
            };
            EventHandler<long[]> second = (event, sequence, endOfBatch) -> {
                takenByB = event[0];
                countOfB++;
            };
            pipeline.handleEventsWithWorkerPool(first, second);
            List<EventProcessor> processors = pipeline.startProcessors();
            a = processors.get(0);
            b = processors.get(1);
            producer = ring.producer();
            for (int i = 0; i < CAPACITY; i++) {
                producer.publishEvent((event, sequence) -> event[0] = sequence);
            }
        }

        @Operation(nonParallelGroup = "a")
        public long workA() {
            takenByA = NOTHING;
            a.doWork();
            return takenByA;
        }

        @Operation(nonParallelGroup = "b")
        public long workB() {
            takenByB = NOTHING;
            b.doWork();
            return takenByB;
        }

        @Validate
        public void everythingIsHandedOn() {
            long progress = a.sequence().get();
            if (progress != countOfA + countOfB - 1) {
                throw new IllegalStateException(
                        "progress " + progress + " after " + countOfA + " and " + countOfB + " events");
            }
        }
    }

    /** The events in order, each once. */
    public static class Queue {
        private long next;

        public long workA() {
            return next == CAPACITY ? NOTHING : next++;
        }

        public long workB() {
            return workA();
        }
    }
}
