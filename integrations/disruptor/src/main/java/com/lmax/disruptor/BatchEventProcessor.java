package com.lmax.disruptor;

import io.sluice.core.PollBackOff;
import io.sluice.core.access.VarHandles;
import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/*
 *            run                   halt                    end of run
 *   IDLE -----------> RUNNING -----------> HALTING --------------------> IDLE
 *    |                   |                                                ^ ^
 *    | halt              +--------------- end of run ---------------------+ |
 *    v               run                                 end of run         |
 *   HALTED ------------------------------> HALTING -------------------------+
 *
 * Who writes: the thread in run() all moves but those of halt, which any thread makes by CAS. Who leaves IDLE or HALTED by
 * CAS owns the fields of the run until it stores IDLE. run() goes to RUNNING before it clears the barrier's alert, and looks at the
 * state after it: so a halt between the two is seen, though its alert is lost.
 *
 * The progress is released after a batch; producers acquire it before they use the slots again.
 */

/**
 * Hands out events in batches: all that are available when it looks, up to a limit. One thread at a time runs it; {@link #halt} and
 * the other methods are for any thread.
 *
 * @param <T> the type of the events
 */
public final class BatchEventProcessor<T> implements EventProcessor {
    private static final VarHandle STATE =
            VarHandles.field(MethodHandles.lookup(), BatchEventProcessor.class, "state", int.class);
    private static final VarHandle RUNNER =
            VarHandles.field(MethodHandles.lookup(), BatchEventProcessor.class, "runner", Thread.class);
    private static final VarHandle EXCEPTION_HANDLER = VarHandles.field(
            MethodHandles.lookup(), BatchEventProcessor.class, "exceptionHandler", ExceptionHandler.class);

    private static final int IDLE = 0;
    private static final int RUNNING = 1;
    private static final int HALTING = 2;
    private static final int HALTED = 3;

    private final DataProvider<T> dataProvider;
    private final SequenceBarrier sequenceBarrier;
    private final EventHandlerBase<? super T> eventHandler;
    private final Sequence sequence = new Sequence();
    private final long batchLimit;
    private final @Nullable BatchRewindStrategy rewindStrategy;
    private final @Nullable PollBackOff backOff;
    private final int roomyBatch;

    @SuppressWarnings("unused") // by STATE
    private int state;

    @SuppressWarnings("unused") // by RUNNER
    private @Nullable Thread runner;

    @SuppressWarnings("unused") // by EXCEPTION_HANDLER
    private @Nullable ExceptionHandler<? super T> exceptionHandler;

    // written by the thread in run() only

    /** The sequence to hand out next. */
    private long next;

    private int rewinds;

    /** How often in a row the barrier has returned less than was asked for. */
    private int unpublished;

    BatchEventProcessor(
            DataProvider<T> dataProvider,
            SequenceBarrier sequenceBarrier,
            EventHandlerBase<? super T> eventHandler,
            int maxBatchSize,
            @Nullable BatchRewindStrategy rewindStrategy) {
        Check.inRange(maxBatchSize, 1, Integer.MAX_VALUE, "maxBatchSize");
        this.dataProvider = Check.notNull(dataProvider, "dataProvider");
        this.sequenceBarrier = Check.notNull(sequenceBarrier, "sequenceBarrier");
        this.eventHandler = eventHandler;
        this.batchLimit = maxBatchSize;
        this.rewindStrategy = rewindStrategy;
        ProcessingSequenceBarrier own = sequenceBarrier instanceof ProcessingSequenceBarrier ours ? ours : null;
        backOff = own == null ? null : own.newBackOff();
        roomyBatch = own == null ? 0 : own.roomyBatch();
    }

    @Override
    public Sequence getSequence() {
        return sequence;
    }

    @Override
    public void halt() {
        if (!STATE.compareAndSet(this, RUNNING, HALTING)) { // CAS: before the alert, whose receiver looks at the state
            STATE.compareAndSet(this, IDLE, HALTED); // CAS: the next run ends at once
        }
        sequenceBarrier.alert();
    }

    @Override
    public boolean isRunning() {
        int now = state();
        return now == RUNNING || now == HALTING;
    }

    /**
     * Sets who is told of exceptions, from the next one on.
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
     * run that was halted has not ended yet, the caller waits for its end. If it was halted before it ran, it only calls {@code
     * onStart} and {@code onShutdown}.
     *
     * @throws IllegalStateException if it runs already
     */
    @Override
    public void run() {
        if (begin()) {
            sequenceBarrier.clearAlert();
        }
        try {
            start();
            try {
                next = sequence.get() + 1;
                while (state() == RUNNING && cycle()) {}
            } finally {
                shutDown();
            }
        } finally {
            RUNNER.setOpaque(this, null); // opaque: as in begin
            STATE.setVolatile(this, IDLE); // volatile: what was handled is seen by whoever sees that it has ended
        }
    }

    /** Takes the run. Returns whether there is anything to run: not if it was halted before. */
    private boolean begin() {
        int attempt = 0;
        while (true) {
            if (STATE.compareAndSet(this, IDLE, RUNNING)) { // CAS: one thread runs it
                RUNNER.setOpaque(this, Thread.currentThread()); // opaque: each thread looks for itself only
                return true;
            }
            if (STATE.compareAndSet(this, HALTED, HALTING)) { // CAS: one thread takes the halt
                RUNNER.setOpaque(this, Thread.currentThread()); // opaque: as above
                return false;
            }
            if (state() == RUNNING || RUNNER.getOpaque(this) == Thread.currentThread()) { // opaque: as above
                throw new IllegalStateException("the processor must not run, but it does");
            }
            attempt = RoomPause.pause(attempt); // the run that was halted ends after the event in hand
        }
    }

    /** Waits for events and hands out a batch of them. Returns whether to go on. */
    private boolean cycle() {
        long available;
        try {
            available = sequenceBarrier.waitFor(next);
        } catch (AlertException alerted) {
            return state() == RUNNING;
        } catch (TimeoutException timeout) {
            timedOut();
            return true;
        } catch (Throwable failed) {
            failed(failed, next, null); // no event is in hand, so none is passed over
            return true;
        }
        if (available >= next) {
            batch(Math.min(next + batchLimit - 1, available), available);
            unpublished = 0;
        } else {
            rewinds = 0;
            unpublished = RoomPause.pause(unpublished); // claimed, not yet published: nobody says when it will be
        }
        return true;
    }

    private void batch(long last, long available) {
        long first = next;
        long at = first;
        try {
            eventHandler.onBatchStart(last - first + 1, available - first + 1);
            for (; at <= last; at++) {
                eventHandler.onEvent(dataProvider.get(at), at, at == last);
            }
            rewinds = 0;
            next = at;
            sequence.set(last); // release: gives the slots back
        } catch (Throwable thrown) {
            afterThrow(thrown, first, at);
            return;
        }
        if (backOff != null) {
            int handled = (int) (last - first) + 1; // a ring has fewer slots than an int can count
            backOff.after(
                    handled,
                    last == available ? handled : 0,
                    roomyBatch,
                    false); // no yield: who gets the core may keep it for long
        }
    }

    private void afterThrow(Throwable thrown, long first, long at) {
        next = at;
        Throwable toTell = thrown;
        if (thrown instanceof RewindableException rewindable) {
            if (rewindStrategy == null) {
                toTell = new UnsupportedOperationException(
                        "the handler must be a RewindableEventHandler to throw a RewindableException, but was "
                                + eventHandler.getClass().getName(),
                        thrown);
            } else {
                try {
                    if (rewindStrategy.handleRewindException(rewindable, ++rewinds) == RewindAction.REWIND) {
                        next = first;
                        return;
                    }
                    rewinds = 0;
                } catch (Throwable failed) {
                    toTell = failed;
                }
            }
        }
        failed(toTell, at, dataProvider.get(at));
        sequence.set(at); // release: gives the slots back
        next = at + 1;
    }

    private void timedOut() {
        long handled = sequence.get();
        try {
            eventHandler.onTimeout(handled);
        } catch (Throwable thrown) {
            failed(thrown, handled, null);
        }
    }

    private void failed(Throwable thrown, long at, @Nullable T of) {
        exceptionHandler().handleEventException(thrown, at, of);
    }

    private void start() {
        try {
            eventHandler.onStart();
        } catch (Throwable thrown) {
            exceptionHandler().handleOnStartException(thrown);
        }
    }

    private void shutDown() {
        try {
            eventHandler.onShutdown();
        } catch (Throwable thrown) {
            exceptionHandler().handleOnShutdownException(thrown);
        }
    }

    private int state() {
        return (int) STATE.getAcquire(this); // acquire: pairs with halt and with the end of run
    }

    @SuppressWarnings("unchecked")
    private ExceptionHandler<? super T> exceptionHandler() {
        // acquire: pairs with setExceptionHandler
        ExceptionHandler<? super T> set = (ExceptionHandler<? super T>) EXCEPTION_HANDLER.getAcquire(this);
        return set == null ? ExceptionHandlers.defaultHandler() : set;
    }
}
