package com.lmax.disruptor.dsl;

import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.dsl.Launcher.Run;
import com.lmax.disruptor.util.DaemonThreadFactory;
import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One consumer of a graph: its processor, its barrier, and whether it was started. */
final class Consumer {
    private static final VarHandle LAUNCHED =
            VarHandles.field(MethodHandles.lookup(), Consumer.class, "launched", Run.class);

    // of lent
    private static final int NOT_LENT = 0;
    private static final int LENT = 1;
    private static final int TAKEN_BACK = 2;

    private final EventProcessor processor;
    private final @Nullable SequenceBarrier barrier;

    /** The sequences that its barrier waits for; none for the cursor. Set while the graph is wired. */
    Sequence[] followed = {};

    /** The highest claim of its pool; null for one that is alone. Set while the graph is wired. */
    @Nullable
    Sequence poolClaims;

    @SuppressWarnings("unused") // by LAUNCHED
    private @Nullable Run launched;

    /** Whether a shutdown has halted this consumer, so that another one gets its thread. It gets one again if more events come for it. */
    private final AtomicInteger lent = new AtomicInteger();

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

    /** How far it may go now. */
    long available(long cursor) {
        long available = cursor;
        for (Sequence one : followed) {
            available = Math.min(available, one.get());
        }
        return available;
    }

    void start(Launcher launcher) {
        LAUNCHED.setVolatile(this, launcher.launch(processor)); // volatile: seen by the thread that shuts down
    }

    /** Halts it, so that another consumer gets its thread. It counts as at work. */
    void lendThread() {
        // CAS: one halt for one run, since the next run would hear a second; before the end of the run
        if (lent.compareAndSet(NOT_LENT, LENT)) {
            processor.halt();
        }
    }

    /**
     * Starts it again if it has lent its thread, once its run has ended. It has ended for good if the launcher refuses. On a thread of its
     * own, since an executor may run it at once.
     */
    void startAgain(Launcher launcher) {
        if (lent.get() == LENT
                && !isToEnd(false)
                && lent.compareAndSet(LENT, TAKEN_BACK)) { // CAS: several may shut down
            Thread starter = DaemonThreadFactory.INSTANCE.newThread(() -> {
                try {
                    start(launcher);
                } finally {
                    lent.set(NOT_LENT); // volatile: behind the start, so that it counts as at work all the time
                }
            });
            try {
                starter.start();
            } catch (Throwable t) { // no thread is to be had
                lent.set(LENT); // volatile: as above; a later look tries again
                throw t;
            }
        }
    }

    /**
     * Whether it handles events, or will: its processor runs, or was started and has not ended, or has lent its thread. One that has
     * been started and has not come to {@code run} yet counts, and so does one that a start under way has not come to yet.
     */
    boolean isAtWork(boolean starting) {
        return isToEnd(starting) || lent.get() != NOT_LENT; // volatile: as in lendThread
    }

    private boolean isToEnd(boolean starting) {
        @Nullable Run started = (Run) LAUNCHED.getVolatile(this); // volatile: pairs with start
        return processor.isRunning()
                || (processor instanceof BooleanSupplier ours && ours.getAsBoolean())
                || (started == null ? starting : started.isToEnd());
    }

    /** Whether it waits for a thread that another consumer may hold. */
    boolean lacksAThread() {
        @Nullable Run started = (Run) LAUNCHED.getVolatile(this); // volatile: as above
        return !processor.isRunning()
                && (started == null || started.lacksAThread() || lent.get() == TAKEN_BACK); // volatile: as above
    }
}
