package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Four times as many threads as cores, half of them producers that wait for room in a small ring, half of them consumers one
 * behind the other: whoever waits must let the others go on, if only because its time slice ends. A live-lock would run into
 * the watchdog.
 */
@Tag("concurrency")
@Timeout(120)
class OversubscriptionTest {
    private static final int PAIRS = 2 * Runtime.getRuntime().availableProcessors();
    private static final int CAPACITY = 64;

    static Stream<Arguments> idles() {
        return Stream.of(
                Arguments.of("busy spin", (Supplier<IdleStrategy>) () -> BusySpinIdleStrategy.INSTANCE, 1_000),
                Arguments.of("yielding", (Supplier<IdleStrategy>) YieldingIdleStrategy::new, 20_000),
                Arguments.of("back-off", (Supplier<IdleStrategy>) BackoffIdleStrategy::new, 20_000),
                Arguments.of("signalled, exact", (Supplier<IdleStrategy>) SignalledIdle::exact, 20_000),
                Arguments.of("signalled, timed", (Supplier<IdleStrategy>) SignalledIdle::timed, 20_000));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("idles")
    void moreThreadsThanCoresMakeProgress(String name, Supplier<IdleStrategy> idle, int events) throws Exception {
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[2])
                .capacity(CAPACITY)
                .multiProducer()
                .consumersIdle(idle)
                .producersIdle(name.startsWith("signalled") ? YieldingIdleStrategy::new : idle)
                .build();
        List<InOrder> handlers = new ArrayList<>();
        try (Pipeline<long[]> pipeline = Pipeline.on(ring)) {
            Stage<long[]> last = null;
            for (int i = 0; i < PAIRS; i++) {
                InOrder handler = new InOrder(PAIRS);
                handlers.add(handler);
                last = last == null ? pipeline.handleEventsWith(handler) : last.then(handler);
            }
            pipeline.start();
            AtomicReference<Throwable> failure = new AtomicReference<>();
            int each = events / PAIRS;
            List<Thread> producers = new ArrayList<>();
            for (int p = 0; p < PAIRS; p++) {
                int number = p;
                Thread thread = new Thread(() -> {
                    try (Producer<long[]> producer = ring.producer()) {
                        for (int i = 0; i < each; i++) {
                            long sequence = producer.next(1);
                            long[] event = producer.get(sequence);
                            event[0] = number;
                            event[1] = i;
                            producer.publish(sequence, sequence);
                        }
                    } catch (Throwable t) {
                        failure.compareAndSet(null, t);
                    }
                });
                thread.start();
                producers.add(thread);
            }
            for (Thread producer : producers) {
                producer.join();
            }
            assertThat(failure.get()).isNull();
            assertThat(pipeline.drain(TimeUnit.SECONDS.toNanos(60)).isNone()).isTrue();
            for (InOrder handler : handlers) {
                assertThat(handler.next).containsOnly(each);
                assertThat(handler.faults).isZero();
            }
        }
    }

    /** Expects each producer's events in their order. Belongs to its consumer's thread until the pipeline has drained. */
    private static final class InOrder implements EventHandler<long[]> {
        final int[] next;
        long faults;

        InOrder(int producers) {
            next = new int[producers];
        }

        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) {
            if (event[1] != next[(int) event[0]]++) {
                faults++;
            }
        }
    }
}
