package io.sluice.ringbuffer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** What the tests of the ring share: rings of both kinds, recording handlers, threads and waits with a limit. */
public final class Rings {
    public static final long LONG = TimeUnit.SECONDS.toNanos(20);

    private Rings() {}

    public static RingBufferBuilder<long[]> ringBuilder(boolean single, int capacity) {
        RingBufferBuilder<long[]> builder =
                RingBufferBuilder.of(() -> new long[1]).capacity(capacity);
        return single ? builder.singleProducer() : builder.multiProducer();
    }

    public static RingBuffer<long[]> ring(boolean single, int capacity) {
        return ringBuilder(single, capacity).build();
    }

    public static void publish(Producer<long[]> producer, int n) {
        for (int i = 0; i < n; i++) {
            producer.publishEvent((event, sequence, value) -> event[0] = value, i);
        }
    }

    /** Fills a ring that nobody consumes. */
    public static void fill(Producer<long[]> producer) {
        long result;
        do {
            result = producer.tryPublishEvent((event, sequence) -> event[0] = sequence);
        } while (result >= 0);
        assertThat(Producer.resultName(result)).isEqualTo("FULL");
    }

    /** Works until there is nothing to do. */
    public static void exhaust(EventProcessor processor) {
        while (processor.doWork() > 0) {}
    }

    public static void await(String what, BooleanSupplier condition) {
        long started = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - started > LONG) {
                throw new AssertionError("waited in vain: " + what);
            }
            LockSupport.parkNanos(100_000);
        }
    }

    /** Runs on a thread that ends with it, and throws what it threw. */
    public static void onOwnThread(Runnable body) throws InterruptedException {
        Throwable thrown = new Caller(body).result();
        if (thrown instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (thrown != null) {
            throw new AssertionError(thrown);
        }
    }

    /** A thread whose failure is not lost. */
    public static final class Caller {
        public final Thread thread;
        private final AtomicReference<Throwable> thrown = new AtomicReference<>();

        public Caller(Runnable body) {
            thread = new Thread(() -> {
                try {
                    body.run();
                } catch (Throwable t) {
                    thrown.set(t);
                }
            });
            thread.setDaemon(true);
            thread.start();
        }

        public void awaitWaiting() {
            Rings.await("a waiting thread", () -> thread.getState() == Thread.State.TIMED_WAITING);
        }

        public Throwable result() throws InterruptedException {
            thread.join(TimeUnit.NANOSECONDS.toMillis(LONG));
            assertThat(thread.isAlive()).as("still waiting: " + thread).isFalse();
            return thrown.get();
        }
    }

    /** Writes down every call. */
    public static class Recorder implements EventHandler<long[]> {
        public final List<String> calls = new ArrayList<>();

        @Override
        public void onEvent(long[] event, long sequence, boolean endOfBatch) throws Exception {
            calls.add(sequence + (endOfBatch ? "!" : ""));
        }

        @Override
        public void onBatchStart(long size, long available) {
            calls.add("start " + size + "/" + available);
        }

        @Override
        public void onBatchEnd(long sequence) throws Exception {
            calls.add("end " + sequence);
        }

        @Override
        public void onStart() {
            calls.add("onStart");
        }

        @Override
        public void onShutdown() {
            calls.add("onShutdown");
        }

        @Override
        public void onTimeout(long sequence) {
            calls.add("timeout " + sequence);
        }
    }
}
