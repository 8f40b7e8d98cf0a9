package com.lmax.disruptor;

import io.sluice.core.access.VarHandles;
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
 * CAS owns the fields of the run until it stores IDLE.
 *
 * A barrier may serve several processors, so one that begins may clear the alert by which another one was halted. It goes to
 * RUNNING before it clears the alert, looks at the state after it, and alerts again if it was halted in between. Who waits for
 * the end of a run that was halted alerts again and again.
 */

/** Who runs a processor, and whether it was halted. */
final class RunState {
    private static final VarHandle STATE = VarHandles.field(MethodHandles.lookup(), RunState.class, "state", int.class);
    private static final VarHandle RUNNER =
            VarHandles.field(MethodHandles.lookup(), RunState.class, "runner", Thread.class);

    private static final int IDLE = 0;
    private static final int RUNNING = 1;
    private static final int HALTING = 2;
    private static final int HALTED = 3;

    private final SequenceBarrier barrier;

    @SuppressWarnings("unused") // by STATE
    private int state;

    @SuppressWarnings("unused") // by RUNNER
    private @Nullable Thread runner;

    RunState(SequenceBarrier barrier) {
        this.barrier = barrier;
    }

    /**
     * Takes the run. Waits for the end of one that was halted. If it was halted before, it does not go on. The caller must call
     * {@link #end()} in either case.
     *
     * @throws IllegalStateException if it runs already
     */
    void begin() {
        for (int attempt = 0; !tryBegin(); ) {
            if (goesOn() || RUNNER.getOpaque(this) == Thread.currentThread()) { // opaque: as in tryBegin
                throw new IllegalStateException("the processor must not run, but it does");
            }
            barrier.alert(); // another processor may have cleared it
            attempt = RoomPause.pause(attempt); // the run that was halted ends after the event in hand
        }
    }

    /** Takes the run, unless one has not ended. */
    boolean tryBegin() {
        if (STATE.compareAndSet(this, IDLE, RUNNING)) { // CAS: one thread runs it
            RUNNER.setOpaque(this, Thread.currentThread()); // opaque: each thread looks for itself only
            barrier.clearAlert();
            if (!goesOn()) {
                barrier.alert(); // the halt came before the alert was cleared
            }
            return true;
        }
        if (STATE.compareAndSet(this, HALTED, HALTING)) { // CAS: one thread takes the halt
            RUNNER.setOpaque(this, Thread.currentThread()); // opaque: as above
            return true;
        }
        return false;
    }

    /** Gives the run back. */
    void end() {
        RUNNER.setOpaque(this, null); // opaque: as in begin
        STATE.setVolatile(this, IDLE); // volatile: what was handled is seen by whoever sees that it has ended
    }

    /** Ends the run, or the next one if there is none. Any thread. */
    void halt() {
        int now;
        do { // again if a run has begun or ended meanwhile: that one is to be halted, or the next
            now = state();
            // CAS: takes what it has seen
        } while ((now == RUNNING || now == IDLE) && !STATE.compareAndSet(this, now, now == RUNNING ? HALTING : HALTED));
        barrier.alert(); // after the state, at which who hears it looks
    }

    /** Whether a thread is in a run. Any thread. */
    boolean isRunning() {
        int now = state();
        return now == RUNNING || now == HALTING;
    }

    /** Whether it runs and was not halted. */
    boolean goesOn() {
        return state() == RUNNING;
    }

    private int state() {
        return (int) STATE.getAcquire(this); // acquire: pairs with halt and with the end of run
    }
}
