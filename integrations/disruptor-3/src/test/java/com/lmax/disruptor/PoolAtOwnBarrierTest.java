package com.lmax.disruptor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import com.lmax.disruptor.util.DaemonThreadFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A pool whose barrier is the program's own: one alert there is for all workers. */
@Tag("concurrency")
class PoolAtOwnBarrierTest {
    private final ExecutorService threads = Executors.newCachedThreadPool(DaemonThreadFactory.INSTANCE);

    @AfterEach
    void stop() {
        threads.shutdownNow();
    }

    /** The worker has looked whether it is halted, and clears the program's alert. Its colleague has not seen either alert yet. */
    @Test
    void aHaltIsHeardByAllThoughAWorkerClearsAnAlertAtThatMoment() throws Exception {
        RingBuffer<long[]> ring = RingBuffer.createMultiProducer(() -> new long[1], 4);
        OneAlert barrier = new OneAlert();
        WorkHandler<long[]> handler = event -> {};
        WorkerPool<long[]> pool = new WorkerPool<>(ring, barrier, new FatalExceptionHandler(), handler, handler);
        List<Future<?>> runs = new ArrayList<>();
        pool.start(task -> runs.add(threads.submit(task)));
        assertThat(barrier.waiting.await(30, SECONDS)).as("both wait").isTrue();
        barrier.atTheNextClear.set(pool::halt);
        barrier.alert();
        for (Future<?> run : runs) {
            run.get(30, SECONDS);
        }
        assertThat(barrier.cleared.getCount()).as("one has cleared the alert").isZero();
    }

    /** Nothing is ever published. The worker that comes second looks for an alert once the first one has cleared one. */
    private static final class OneAlert implements SequenceBarrier {
        final CountDownLatch waiting = new CountDownLatch(2);
        final CountDownLatch cleared = new CountDownLatch(1);
        final AtomicReference<Runnable> atTheNextClear = new AtomicReference<>();
        private final AtomicReference<Thread> first = new AtomicReference<>();
        private volatile boolean alerted;

        @Override
        public long waitFor(long sequence) throws AlertException, InterruptedException {
            boolean isFirst =
                    first.compareAndSet(null, Thread.currentThread()) || first.get() == Thread.currentThread();
            waiting.countDown();
            if (!isFirst) {
                cleared.await();
            }
            while (!alerted) {
                Thread.sleep(1);
            }
            throw AlertException.INSTANCE;
        }

        @Override
        public void clearAlert() {
            Runnable halt = atTheNextClear.getAndSet(null);
            if (halt != null) {
                halt.run();
            }
            alerted = false;
            if (halt != null) {
                cleared.countDown();
            }
        }

        @Override
        public void alert() {
            alerted = true;
        }

        @Override
        public boolean isAlerted() {
            return alerted;
        }

        @Override
        public void checkAlert() throws AlertException {
            if (alerted) {
                throw AlertException.INSTANCE;
            }
        }

        @Override
        public long getCursor() {
            return -1;
        }
    }
}
