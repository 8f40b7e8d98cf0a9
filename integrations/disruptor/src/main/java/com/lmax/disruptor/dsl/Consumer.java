package com.lmax.disruptor.dsl;

import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.dsl.Launcher.Run;
import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** One consumer of a graph: its processor, its barrier, and whether it was started. */
final class Consumer {
    private static final VarHandle LAUNCHED =
            VarHandles.field(MethodHandles.lookup(), Consumer.class, "launched", Run.class);

    private final EventProcessor processor;
    private final @Nullable SequenceBarrier barrier;

    /** The sequences that its barrier waits for; none for the cursor. Set while the graph is wired. */
    Sequence[] followed = {};

    /** The highest claim of its pool; null for one that is alone. Set while the graph is wired. */
    @Nullable
    Sequence poolClaims;

    @SuppressWarnings("unused") // by LAUNCHED
    private @Nullable Run launched;

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

    /** The last sequence that it has handled. A worker that has released its event has handled all that its pool has claimed. */
    long progress() {
        @Nullable Sequence claims = poolClaims;
        long claimed =
                claims == null ? Long.MAX_VALUE : claims.get(); // acquire: before its own, which who claims moves first
        return Math.min(claimed, processor.getSequence().get());
    }

    void start(Launcher launcher) {
        LAUNCHED.setVolatile(this, launcher.launch(processor)); // volatile: seen by the thread that shuts down
    }

    /**
     * Whether it handles events, or will: its processor runs, or was started and has not ended. One that has been started and
     * has not come to {@code run} yet counts, and so does one that a start under way has not come to yet.
     */
    boolean isAtWork(boolean starting) {
        @Nullable Run started = (Run) LAUNCHED.getVolatile(this); // volatile: pairs with start
        return processor.isRunning() || (started == null ? starting : started.isToEnd());
    }

    /** Whether it waits for a thread that another consumer may hold. */
    boolean lacksAThread() {
        @Nullable Run started = (Run) LAUNCHED.getVolatile(this); // volatile: as above
        return !processor.isRunning() && (started == null || started.lacksAThread());
    }
}
