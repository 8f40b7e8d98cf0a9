package com.lmax.disruptor.dsl;

import com.lmax.disruptor.EventProcessor;
import java.util.concurrent.ThreadFactory;
import java.util.function.IntPredicate;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/** Has a thread run a processor. */
interface Launcher {
    /** Starts it. Returns its run. */
    Run launch(EventProcessor processor);

    /** A run that was asked for. Any thread. */
    interface Run {
        /** Whether it is still to come or has not ended. Not to the thread that is in it, which cannot wait for itself. */
        boolean isToEnd();

        /** Whether it waits for a thread that others may hold. */
        default boolean lacksAThread() {
            return false;
        }
    }

    /** Starts each processor on a thread of its own. */
    static Launcher threadsOf(ThreadFactory factory) {
        return processor -> {
            @Nullable Thread made = factory.newThread(processor);
            if (made == null) {
                throw new IllegalStateException(
                        "the thread factory must make a thread for " + processor + ", but made none");
            }
            int before = processor instanceof IntSupplier ours ? ours.getAsInt() : 0;
            made.start();
            return () -> made.isAlive() && made != Thread.currentThread() && !hasEnded(processor, before);
        };
    }

    /** Whether a run has ended that began after so many others: its thread may outlive it. One of the program's own does not say it. */
    private static boolean hasEnded(EventProcessor processor, int before) {
        return processor instanceof IntPredicate ours && ours.test(before);
    }
}
