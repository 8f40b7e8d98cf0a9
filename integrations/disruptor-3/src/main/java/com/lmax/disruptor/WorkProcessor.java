package com.lmax.disruptor;

import io.sluice.core.check.Check;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/*
 * The workers of a pool share one sequence, the highest that one of them has claimed. A worker claims the next one by CAS, waits
 * until it is published, handles it, and claims again. Its own sequence is one below its claim: so producers and followers know
 * that the claim is not handled. It stores that before the CAS, never after it: a claim that is not shown would be run over.
 * A thread that reads both reads the shared one first: if it sees the claim, it then sees the worker's own sequence before it. The
 * shared one stands last in the arrays, and Util.getMinimumSequence begins with the last.
 *
 * A claim outlives the run. A worker that is halted before it has handled its claim does so in the next run: nobody else ever
 * will.
 */

/**
 * Handles events that are shared out among the workers of a {@link WorkerPool}: each event goes to one of them. One thread at a time
 * runs it; {@link #halt} and the other methods are for any thread.
 *
 * @param <T> the type of the events
 */
public final class WorkProcessor<T> extends OwnProcessor {
    private static final ExceptionHandler<Object> FATAL = new FatalExceptionHandler();

    private static final long NONE = -1;

    private final RingBuffer<T> ringBuffer;
    private final WorkHandler<? super T> workHandler;
    private final ExceptionHandler<? super T> exceptionHandler;
    private final Sequence workSequence;

    // written by the thread that has the run only

    /** Whether it clears an alert for which there was no halt: in a pool at a barrier of the program's own, which has one alert for all. */
    private boolean clearsAlerts;

    /** The sequence to handle next. */
    private long next;

    /** The last sequence that this run has given to the handler. */
    private long last;

    /** Whether {@link #next} is claimed and not handled. */
    private boolean holdsClaim;

    /** The sequence up to which everything is published, as the barrier has said. */
    private long available;

    /** How often in a row the event was claimed and not published, or the barrier alerted. */
    private int unpublished;

    /**
     * Creates a worker.
     *
     * @param ringBuffer gives the events
     * @param sequenceBarrier says how far it may go
     * @param workHandler handles them
     * @param exceptionHandler is told of exceptions; null for a {@link FatalExceptionHandler}
     * @param workSequence the highest claim, which all workers share; at -1
     * @throws NullPointerException if another argument is null
     */
    public WorkProcessor(
            RingBuffer<T> ringBuffer,
            SequenceBarrier sequenceBarrier,
            WorkHandler<? super T> workHandler,
            @Nullable ExceptionHandler<? super T> exceptionHandler,
            Sequence workSequence) {
        super(sequenceBarrier);
        this.ringBuffer = Check.notNull(ringBuffer, "ringBuffer");
        this.workHandler = Check.notNull(workHandler, "workHandler");
        this.exceptionHandler = exceptionHandler == null ? FATAL : exceptionHandler;
        this.workSequence = Check.notNull(workSequence, "workSequence");
        if (workHandler instanceof EventReleaseAware aware) {
            aware.setEventReleaser(() -> sequence.set(Long.MAX_VALUE)); // release: what the handler has read is read
        }
    }

    /**
     * Whether it runs and was not halted. Any thread.
     *
     * @return true from the start of {@link #run} to a halt
     */
    @Override
    public boolean isRunning() {
        return state.mayContinue();
    }

    /**
     * Handles events until it is halted, or the exception handler throws. May be called again after that, by any thread; if the
     * run that was halted has not ended yet, the caller waits for its end: so no handler may wait for a thread that is in this call.
     * If it was halted before it ran, it only calls {@code onStart} and {@code onShutdown}.
     *
     * @throws IllegalStateException if it runs already, or the run that was halted is the caller's own
     */
    @Override
    public void run() {
        state.begin();
        clearsAlerts = false;
        runUnless(new AtomicBoolean());
    }

    /**
     * One run for a pool, after those that were begun before. It ends when the flag is set and the barrier alerted. At a barrier of
     * the program's own such flags tell all workers of a halt, so a worker that sees an alert and no flag clears the alert.
     */
    void runForPoolUnless(AtomicBoolean halted) {
        for (int attempt = 0; !state.tryBegin(); ) {
            if (halted.getAcquire()) { // acquire: pairs with the pool's halt
                return;
            }
            state.alert(); // a member that has begun may have cleared it
            attempt = RoomPause.pause(attempt); // the run that was halted ends after the events that it knows of
        }
        alertAgainIf(halted);
        // at a barrier of the ring an alert without a halt is the program's
        clearsAlerts = !(sequenceBarrier instanceof ProcessingSequenceBarrier);
        runUnless(halted);
    }

    /** After the alert was cleared: a halt may have come in between. */
    private void alertAgainIf(AtomicBoolean halted) {
        if (halted.get()) { // volatile: after the store of the state, or the one that clears the alert
            state.haltRun();
            state.alert();
        }
    }

    private void runUnless(AtomicBoolean halted) {
        try {
            start();
            try {
                holdsClaim &= sequence.get() == next - 1; // else somebody has moved the worker since
                available = Long.MIN_VALUE;
                last = NONE;
                while (cycle(halted)) {}
            } finally {
                shutDown();
            }
        } finally {
            state.end();
        }
    }

    /** Claims if nothing is claimed; handles the claim if it is published, else waits. Returns whether to go on: a halt is heard here. */
    private boolean cycle(AtomicBoolean halted) {
        if (!holdsClaim) {
            if (last == NONE && !mayContinue(halted)) {
                return false; // halted before it ran: the others get the event
            }
            claim();
        }
        if (next <= available) {
            return handle() || mayContinue(halted);
        }
        if (!mayContinue(halted)) {
            return false;
        }
        await(halted);
        return true;
    }

    private boolean mayContinue(AtomicBoolean halted) {
        return state.mayContinue() && !halted.getAcquire(); // acquire: pairs with the pool's halt
    }

    private void claim() {
        long highest;
        do {
            highest = workSequence.get();
            sequence.set(highest); // release: gives the slot of the last event back; before the claim, as said above
        } while (!workSequence.compareAndSet(highest, highest + 1)); // CAS: one worker has it
        next = highest + 1;
        holdsClaim = true;
    }

    /**
     * Handles the claim. A handler may also throw the exceptions of a barrier; then the event comes again. Returns false if it threw
     * an alert: then a halt is to be looked for.
     */
    private boolean handle() {
        T event = ringBuffer.get(next);
        last = next;
        try {
            workHandler.onEvent(event);
        } catch (TimeoutException timeout) {
            timedOut();
            return true;
        } catch (AlertException alerted) {
            return false;
        } catch (Throwable thrown) {
            exceptionHandler.handleEventException(thrown, next, event);
        }
        holdsClaim = false;
        return true;
    }

    private void await(AtomicBoolean halted) {
        try {
            available = sequenceBarrier.waitFor(next);
            // as in BatchLoop: a barrier that has come back early is asked again at once
            unpublished = available < next
                            && sequenceBarrier instanceof ProcessingSequenceBarrier own
                            && own.isClaimedOnly(next)
                    ? RoomPause.pause(unpublished)
                    : 0;
        } catch (AlertException alerted) {
            if (clearsAlerts && !halted.getAcquire()) { // acquire: as above
                sequenceBarrier.clearAlert();
                alertAgainIf(halted);
            }
            // nobody says when an alert is taken back
            unpublished = mayContinue(halted) ? RoomPause.pause(unpublished) : 0;
            // the next cycle looks whether it was halted
        } catch (TimeoutException timeout) {
            timedOut();
        } catch (Throwable failed) {
            T event = last == NONE ? null : ringBuffer.get(last); // as in BatchLoop
            exceptionHandler.handleEventException(failed, next, event); // the claim is kept
        }
    }

    private void timedOut() {
        if (workHandler instanceof TimeoutHandler aware) {
            long handled = sequence.get();
            try {
                aware.onTimeout(handled);
            } catch (Throwable thrown) {
                exceptionHandler.handleEventException(thrown, handled, null);
            }
        }
    }

    private void start() {
        if (workHandler instanceof LifecycleAware aware) {
            try {
                aware.onStart();
            } catch (Throwable thrown) {
                exceptionHandler.handleOnStartException(thrown);
            }
        }
    }

    private void shutDown() {
        if (workHandler instanceof LifecycleAware aware) {
            try {
                aware.onShutdown();
            } catch (Throwable thrown) {
                exceptionHandler.handleOnShutdownException(thrown);
            }
        }
    }
}
