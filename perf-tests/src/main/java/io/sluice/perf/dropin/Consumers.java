package io.sluice.perf.dropin;

import com.lmax.disruptor.EventProcessor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The threads of one run: processors that run until they are halted. */
final class Consumers {
    private static final long LIMIT_SECONDS = 600;

    private final List<EventProcessor> processors;
    private final List<Thread> threads = new ArrayList<>();

    /** Starts them, and waits until each runs. */
    Consumers(List<? extends EventProcessor> processors) {
        this.processors = List.copyOf(processors);
        for (EventProcessor processor : processors) {
            Thread thread = new Thread(processor, "consumer-" + threads.size());
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        for (EventProcessor processor : processors) {
            while (!processor.isRunning()) {
                Thread.onSpinWait();
            }
        }
    }

    /** Waits for the last event of each consumer. */
    static void await(List<CountDownLatch> latches) throws InterruptedException {
        for (CountDownLatch latch : latches) {
            if (!latch.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException(
                        "all events must be handled within " + LIMIT_SECONDS + " s, but are not");
            }
        }
    }

    /** Halts them, and waits for their ends. */
    void end() throws InterruptedException {
        for (EventProcessor processor : processors) {
            processor.halt();
        }
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(LIMIT_SECONDS));
            if (thread.isAlive()) {
                throw new IllegalStateException("each consumer must end when it is halted, but one does not");
            }
        }
    }
}
