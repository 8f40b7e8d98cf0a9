package com.lmax.disruptor.dsl;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;

/** Has the threads of an executor run processors. */
final class Executors {
    private Executors() {}

    /**
     * A run that the executor has accepted and not begun counts as one to come. An executor that drops it without a word lets a
     * shutdown without a limit wait for ever.
     */
    static Launcher launcher(Executor executor) {
        return processor -> {
            AtomicBoolean ended = new AtomicBoolean();
            executor.execute(() -> {
                try {
                    processor.run();
                } finally {
                    ended.set(true);
                }
            });
            return () -> !ended.get();
        };
    }
}
