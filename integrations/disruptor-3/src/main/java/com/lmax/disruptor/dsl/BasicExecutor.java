package com.lmax.disruptor.dsl;

import io.sluice.core.check.Check;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** Starts a new thread for each command. Any thread. */
public class BasicExecutor implements Executor {
    private final ThreadFactory factory;
    private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

    /**
     * Creates an executor.
     *
     * @param factory makes the threads
     */
    public BasicExecutor(ThreadFactory factory) {
        this.factory = Check.notNull(factory, "factory");
    }

    /**
     * Starts a thread.
     *
     * @param command what it runs
     * @throws IllegalStateException if the factory makes none
     */
    @Override
    public void execute(Runnable command) {
        @Nullable Thread thread = factory.newThread(command);
        if (thread == null) {
            throw new IllegalStateException("the thread factory must make a thread for " + command + ", but made none");
        }
        thread.start();
        threads.add(thread);
    }

    @Override
    public String toString() {
        return "BasicExecutor{threads=" + threads + '}';
    }
}
