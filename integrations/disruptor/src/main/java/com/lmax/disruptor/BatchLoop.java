package com.lmax.disruptor;

import io.sluice.core.PollBackOff;
import io.sluice.core.access.VarHandles;
import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/*
 * The loop of a batch event processor. The calls of its handler differ between the versions of the
 * API, so they stand in BatchEventProcessor.
 *
 * The progress is released after a batch; producers acquire it before they use the slots again.
 */

/** Waits for events, and hands out in batches what is available. */
abstract class BatchLoop<T> extends OwnProcessor {
    private static final VarHandle EXCEPTION_HANDLER =
            VarHandles.field(MethodHandles.lookup(), BatchLoop.class, "exceptionHandler", ExceptionHandler.class);

    private static final ExceptionHandler<Object> FATAL = new FatalExceptionHandler();

    final DataProvider<T> dataProvider;
    /** The barrier, unless it is the program's own. */
    private final @Nullable ProcessingSequenceBarrier own;

    private final @Nullable PollBackOff backOff;
    private final int backOffBatchLimit;

    @SuppressWarnings("unused") // by EXCEPTION_HANDLER
    private @Nullable ExceptionHandler<? super T> exceptionHandler;

    // written by the thread in run() only

    /** The sequence to hand out next. */
    long next;

    private long firstOfRun;

    /** How often in a row the event was claimed and not published. */
    private int unpublished;

    BatchLoop(DataProvider<T> dataProvider, SequenceBarrier sequenceBarrier) {
        super(sequenceBarrier);
        this.dataProvider = Check.notNull(dataProvider, "dataProvider");
        own = this.sequenceBarrier instanceof ProcessingSequenceBarrier ours ? ours : null;
        backOff = own == null ? null : own.newBackOff();
        backOffBatchLimit = own == null ? 0 : own.backOffBatchLimit();
    }

    // ---- calls of a handler

    /** Hands out the events from {@link #next} on, moves it, and stores the progress. Throws what an exception handler throws. */
    abstract void batch(long available);

    abstract void tellStart() throws Throwable;

    abstract void tellShutdown() throws Throwable;

    abstract void tellTimeout(long handled) throws Throwable;

    /** The barrier has returned less than was asked for. */
    abstract void tellNothing(long available) throws Throwable;

    // ---- life

    @Override
    public boolean isRunning() {
        return state.isRunning();
    }

    /**
     * Sets the exception handler, from the next exception on.
     *
     * @param exceptionHandler who is told
     * @throws NullPointerException if it is null
     */
    public void setExceptionHandler(ExceptionHandler<? super T> exceptionHandler) {
        Check.notNull(exceptionHandler, "exceptionHandler");
        EXCEPTION_HANDLER.setRelease(this, exceptionHandler); // release: its fields are seen by the processor's thread
    }

    /**
     * Hands out events until it is halted, or the exception handler throws. May be called again after that, by any thread; if the
     * run that was halted has not ended yet, the caller waits for its end: so no handler may wait for a thread that is in this call.
     * If it was halted before it ran, it only calls {@code onStart} and {@code onShutdown}.
     *
     * @throws IllegalStateException if it runs already, or the run that was halted is the caller's own
     */
    @Override
    public void run() {
        state.begin();
        try {
            start();
            try {
                firstOfRun = sequence.get() + 1;
                next = firstOfRun;
                while (state.mayContinue() && cycle()) {}
            } finally {
                shutDown();
            }
        } finally {
            state.end();
        }
    }

    /** Waits for events and hands out a batch of them. Returns whether to go on. */
    private boolean cycle() {
        long available;
        try {
            available = sequenceBarrier.waitFor(next);
        } catch (AlertException alerted) {
            return state.mayContinue();
        } catch (TimeoutException timeout) {
            timedOut();
            return true;
        } catch (Throwable failed) {
            failed(failed, next, lastOrNull()); // no event is in hand, so none is passed over
            return true;
        }
        if (available >= next) {
            long first = next;
            batch(available);
            unpublished = 0;
            if (backOff != null && next > first) {
                waitAfter(backOff, (int) (next - first), available); // a ring has fewer slots than an int can count
            }
        } else {
            onNothingAvailable(available);
        }
        return true;
    }

    private void waitAfter(PollBackOff wait, int handled, long available) {
        boolean yields = own != null && own.yieldsAfterBatch();
        long yielded = wait.after(handled, next > available ? handled : 0, backOffBatchLimit, yields);
        if (yielded > 0 && own != null) {
            own.looksBeforeYield().yieldedAfterBatch(yielded);
        }
    }

    private void onNothingAvailable(long available) {
        try {
            // nobody says when a claim will be published; else a barrier that came back early is asked again at once
            unpublished = own != null && own.isClaimedOnly(next) ? RoomPause.pause(unpublished) : 0;
            tellNothing(available);
        } catch (Throwable thrown) {
            failed(thrown, next, lastOrNull()); // no event is in hand, so none is passed over
        }
    }

    private void timedOut() {
        long handled = sequence.get();
        try {
            tellTimeout(handled);
        } catch (Throwable thrown) {
            failed(thrown, handled, null);
        }
    }

    /**
     * Tells of an exception from an event, and goes on after it. A handler may also throw the exceptions of a barrier; then the
     * event comes again: a time-out is told as one, and an alert lets the loop look whether it was halted.
     *
     * @param event the event; null if the handler was not given it
     */
    final void passOver(Throwable thrown, long at, @Nullable T event) {
        next = at;
        if (thrown instanceof TimeoutException) {
            timedOut();
        } else if (!(thrown instanceof AlertException)) {
            failed(thrown, at, event == null ? eventOrNull(at) : event);
            sequence.set(at); // release: gives the slots back
            next = at + 1;
        }
    }

    /**
     * The event to tell of where none is in hand, as on the Disruptor: the last one that this run has handed out; null before the first.
     */
    private @Nullable T lastOrNull() {
        return next > firstOfRun ? eventOrNull(next - 1) : null;
    }

    private @Nullable T eventOrNull(long at) {
        try {
            return dataProvider.get(at);
        } catch (Throwable again) {
            return null; // a provider of the program's own may be what has thrown
        }
    }

    private void failed(Throwable thrown, long at, @Nullable T of) {
        exceptionHandler().handleEventException(thrown, at, of);
    }

    private void start() {
        try {
            tellStart();
        } catch (Throwable thrown) {
            exceptionHandler().handleOnStartException(thrown);
        }
    }

    private void shutDown() {
        try {
            tellShutdown();
        } catch (Throwable thrown) {
            exceptionHandler().handleOnShutdownException(thrown);
        }
    }

    @SuppressWarnings("unchecked")
    private ExceptionHandler<? super T> exceptionHandler() {
        // acquire: pairs with setExceptionHandler
        ExceptionHandler<? super T> set = (ExceptionHandler<? super T>) EXCEPTION_HANDLER.getAcquire(this);
        return set == null ? FATAL : set;
    }
}
