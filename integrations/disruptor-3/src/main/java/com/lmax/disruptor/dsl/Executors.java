package com.lmax.disruptor.dsl;

import com.lmax.disruptor.EventProcessor;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Has the threads of an executor run processors. */
final class Executors {
    private Executors() {}

    /**
     * A run that the executor has accepted and not begun counts as one to come. An executor that drops it without a word lets a
     * shutdown without a limit wait for ever.
     */
    static Launcher launcher(Executor executor) {
        return processor -> {
            Task task = new Task(processor);
            executor.execute(task);
            return task;
        };
    }

    private static final class Task implements Runnable, Launcher.Run {
        private final EventProcessor processor;
        private final AtomicReference<@Nullable Thread> runner = new AtomicReference<>();
        private final AtomicBoolean ended = new AtomicBoolean();

        Task(EventProcessor processor) {
            this.processor = processor;
        }

        @Override
        public void run() {
            runner.set(Thread.currentThread()); // volatile: who shuts down need not find it another thread
            try {
                processor.run();
            } finally {
                ended.set(true); // volatile: who sees it sees how far the processor came
            }
        }

        @Override
        public boolean isToEnd() {
            return !ended.get() && runner.get() != Thread.currentThread(); // volatile: as above
        }

        @Override
        public boolean lacksAThread() {
            return runner.get() == null; // volatile: as above
        }
    }
}
