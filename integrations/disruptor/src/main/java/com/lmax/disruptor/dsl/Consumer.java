package com.lmax.disruptor.dsl;

import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.SequenceBarrier;
import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One consumer of a graph: its processor, its barrier, and whether it was started. */
final class Consumer {
    private static final VarHandle LAUNCHED =
            VarHandles.field(MethodHandles.lookup(), Consumer.class, "launched", BooleanSupplier.class);

    private final EventProcessor processor;
    private final @Nullable SequenceBarrier barrier;
    private boolean endOfChain = true;

    @SuppressWarnings("unused") // by LAUNCHED
    private @Nullable BooleanSupplier launched;

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

    void start(Launcher launcher) {
        LAUNCHED.setVolatile(this, launcher.launch(processor)); // volatile: seen by the thread that shuts down
    }

    /**
     * Whether it handles events, or will: its processor runs, or was started and has not ended. One that has been started and
     * has not come to {@code run} yet counts.
     */
    boolean isAtWork() {
        @Nullable BooleanSupplier started = (BooleanSupplier) LAUNCHED.getVolatile(this); // volatile: pairs with start
        return processor.isRunning() || (started != null && started.getAsBoolean());
    }

    boolean isBehind(long cursor) {
        return processor.getSequence().get() < cursor;
    }
}
