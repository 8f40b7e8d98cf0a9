package com.lmax.disruptor.dsl;

import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.SequenceBarrier;
import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** One consumer of a graph: its processor, its barrier, and the thread that runs it. */
final class Consumer {
    private static final VarHandle THREAD =
            VarHandles.field(MethodHandles.lookup(), Consumer.class, "thread", Thread.class);

    private final EventProcessor processor;
    private final @Nullable SequenceBarrier barrier;
    private boolean endOfChain = true;

    @SuppressWarnings("unused") // by THREAD
    private @Nullable Thread thread;

    Consumer(EventProcessor processor, @Nullable SequenceBarrier barrier) {
        this.processor = processor;
        this.barrier = barrier;
    }

    EventProcessor processor() {
        return processor;
    }

    @Nullable
    SequenceBarrier barrier() {
        return barrier;
    }

    boolean isEndOfChain() {
        return endOfChain;
    }

    void isFollowed() {
        endOfChain = false;
    }

    void start(ThreadFactory threadFactory) {
        @Nullable Thread made = threadFactory.newThread(processor);
        if (made == null) {
            throw new IllegalStateException(
                    "the thread factory must make a thread for " + processor + ", but made none");
        }
        made.start();
        THREAD.setVolatile(this, made); // volatile: seen by the thread that shuts down
    }

    /**
     * Whether it handles events, or will: its processor runs, or the thread that was started for it has not ended. A thread
     * that has been started and has not come to {@code run} yet counts.
     */
    boolean isAtWork() {
        @Nullable Thread started = (Thread) THREAD.getVolatile(this); // volatile: pairs with start
        return processor.isRunning() || (started != null && started.isAlive());
    }

    boolean isBehind(long cursor) {
        return processor.getSequence().get() < cursor;
    }
}
