package com.lmax.disruptor.dsl;

import com.lmax.disruptor.EventProcessor;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Has a thread run a processor. */
interface Launcher {
    /** Starts it. Returns what says, to any thread, whether its run is still to come or has not ended. */
    BooleanSupplier launch(EventProcessor processor);

    /** Starts each processor on a thread of its own. */
    static Launcher threadsOf(ThreadFactory factory) {
        return processor -> {
            @Nullable Thread made = factory.newThread(processor);
            if (made == null) {
                throw new IllegalStateException(
                        "the thread factory must make a thread for " + processor + ", but made none");
            }
            int before = runsEnded(processor);
            made.start();
            // the thread may outlive the run, and does not wait for itself
            return () -> made.isAlive() && made != Thread.currentThread() && runsEnded(processor) == before;
        };
    }

    /** How many runs of a processor have ended; 0 of one of the program's own, which does not say it. */
    private static int runsEnded(EventProcessor processor) {
        return processor instanceof IntSupplier ours ? ours.getAsInt() : 0;
    }
}
