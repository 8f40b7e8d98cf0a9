package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.Rings.publish;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicy;
import io.sluice.core.State;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import io.sluice.testing.ChildJvm;
import io.sluice.testing.FullMemory;
import io.sluice.testing.StackEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A handler that has used up the memory, or the stack, fails its ring all the same, and is not handed its event again. */
@Tag("once")
@Timeout(110)
class NoMemoryTest {
    @ParameterizedTest
    @ValueSource(strings = {"events", "batches", "workers", "partition"})
    void withNoMemoryLeftTheRingFailsAndTheEventIsHandledOnce(String kind) throws Exception {
        assertThat(ChildJvm.run(Hog.class, List.of("-Xmx24m", "-Xms24m"), kind))
                .isEqualTo("FAILED java.lang.OutOfMemoryError, handled 1, escaped 0\n");
    }

    /** The child: its handler fills the heap to the last byte, keeps it, and throws. */
    static final class Hog {
        private Hog() {}

        public static void main(String[] arguments) {
            AtomicInteger handled = new AtomicInteger();
            List<Throwable> escaped = new ArrayList<>(3);
            RingBuffer<long[]> ring = Rings.ring(false, 8);
            Pipeline<long[]> pipeline = Pipeline.on(ring).errorHandler(told -> {
                throw new OutOfMemoryError("no memory to tell it");
            });
            EventHandler<long[]> events = (event, sequence, endOfBatch) -> {
                handled.incrementAndGet();
                FullMemory.take();
            };
            BatchHandler<long[]> batches = (all, lo, hi) -> {
                handled.incrementAndGet();
                FullMemory.take();
                return hi;
            };
            switch (arguments[0]) {
                case "events" -> pipeline.handleEventsWith(events);
                case "batches" -> pipeline.handleBatchesWith(batches);
                case "workers" -> pipeline.handleEventsWithWorkerPool(events);
                default -> pipeline.handleEventsPartitionedBy(event -> 0, events);
            }
            EventProcessor processor = pipeline.startProcessors().get(0);
            publish(ring.producer(), 1);
            for (int i = 0; i < 3; i++) {
                try {
                    processor.doWork();
                } catch (Throwable t) {
                    escaped.add(t);
                }
            }
            State state = ring.state();
            FullMemory.free();
            Throwable failure = ring.failure();
            System.out.println(
                    state + " " + (failure == null ? "none" : failure.getClass().getName()) + ", handled "
                            + handled.get() + ", escaped " + escaped.size());
            escaped.forEach(Throwable::printStackTrace);
        }
    }

    @Test
    void aPolicyOrAnErrorHandlerWithoutMemoryHaltsAllTheSame() {
        for (boolean byPolicy : new boolean[] {true, false}) {
            List<Long> handled = new ArrayList<>();
            RingBuffer<long[]> ring = Rings.ring(true, 32);
            Pipeline<long[]> pipeline = Pipeline.on(ring).errorHandler(told -> {
                throw new OutOfMemoryError("by the error handler");
            });
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
                handled.add(sequence);
                throw new IllegalStateException("planned");
            });
            FailurePolicy<long[]> policy = (cause, event, sequence, attempt) -> {
                if (byPolicy) {
                    throw new StackOverflowError("by the policy");
                }
                return FailurePolicy.Action.HALT;
            };
            pipeline.onFailure(policy);
            EventProcessor processor = pipeline.startProcessors().get(0);
            publish(ring.producer(), 4);
            Rings.exhaust(processor);
            Rings.exhaust(processor);
            assertThat(handled).containsExactly(0L);
            assertThat(ring.failure()).hasMessage("planned");
            assertThat(processor.isDone()).isTrue();
        }
    }

    /** Called with less and less stack, down to none at all: whatever cannot be done then is done with the next call. */
    @ParameterizedTest
    @ValueSource(strings = {"events", "batches"})
    void withNoStackLeftTheEventIsNotHandedOverAgain(String kind) throws Exception {
        Thread thread = new Thread(null, () -> shallow(kind), "shallow", 512 << 10);
        List<Throwable> thrown = new ArrayList<>();
        thread.setUncaughtExceptionHandler((one, t) -> thrown.add(t));
        thread.start();
        thread.join();
        assertThat(thrown).isEmpty();
    }

    private static void shallow(String kind) {
        int failed = 0;
        for (int spared = -1; spared < 300; spared++) {
            AtomicInteger handled = new AtomicInteger();
            RingBuffer<long[]> ring = Rings.ring(true, 8);
            Pipeline<long[]> pipeline = Pipeline.on(ring).errorHandler(told -> {});
            if (kind.equals("events")) {
                pipeline.handleEventsWith((event, sequence, endOfBatch) -> {
                    handled.set(handled.get() + 1);
                    throw new IllegalStateException("planned");
                });
            } else {
                pipeline.handleBatchesWith((all, lo, hi) -> {
                    handled.set(handled.get() + 1);
                    throw new IllegalStateException("planned");
                });
            }
            EventProcessor processor = pipeline.startProcessors().get(0);
            publish(ring.producer(), 1);
            processor.onStart();
            StackOverflowError cutOff = null;
            if (spared >= 0) {
                cutOff = StackEnd.run(spared, processor::doWork);
            } // else only to load and link what there would be no stack for
            int before = handled.get();
            try {
                processor.doWork();
            } catch (IllegalStateException e) {
                throw new AssertionError("with " + spared + " frames spared", cutOff);
            }
            processor.doWork();
            assertThat(handled.get())
                    .as("handed over, with " + spared + " frames spared")
                    .isLessThanOrEqualTo(1);
            assertThat(before).isLessThanOrEqualTo(1);
            assertThat(ring.state()).as("with " + spared + " frames spared").isEqualTo(State.FAILED);
            assertThat(processor.isDone()).isTrue();
            failed += before;
        }
        assertThat(failed).as("calls of the handler on the short stack").isPositive();
    }
}
