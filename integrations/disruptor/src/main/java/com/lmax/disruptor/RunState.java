package com.lmax.disruptor;

import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
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
 * A barrier may serve several processors. Where it is this library's, each of them waits at a barrier of its own, which throws if
 * this state says that it was halted, or if the program has alerted the barrier. So a halt reaches one processor only, and
 * nobody else can clear it.
 *
 * A barrier of the program's own has one alert for all, and one that begins may clear the alert by which another one was
 * halted. It goes to RUNNING before it clears the alert, looks at the state after it, and alerts again if it was halted in
 * between. Who waits for the end of a run that was halted alerts again and again.
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

    /** How many runs have ended. Any thread. */
    final AtomicInteger runsEnded = new AtomicInteger();

    @SuppressWarnings("unused") // by STATE
    private int state;

    @SuppressWarnings("unused") // by RUNNER
    private @Nullable Thread runner;

    /** For a processor that waits at {@link #barrier()}, not at the barrier that it was given. */
    RunState(SequenceBarrier given) {
        barrier = given instanceof ProcessingSequenceBarrier ours ? ours.forRun(this) : given;
    }

    /** Where the processor waits: its waits end by its own halt, and by alerts of the program. */
    SequenceBarrier barrier() {
        return barrier;
    }

    /**
     * Takes the run. Waits for the end of one that was halted. If it was halted before, it does not go on. The caller must call
     * {@link #end()} in either case.
     *
     * @throws IllegalStateException if it runs already
     */
    void begin() {
        for (int attempt = 0; !tryBegin(); ) {
            if (mayContinue() || RUNNER.getOpaque(this) == Thread.currentThread()) { // opaque: as in tryBegin
                throw new IllegalStateException("the processor must not run, but it does");
            }
            alert(); // another processor may have cleared it
            attempt = RoomPause.pause(attempt); // the run that was halted ends after the batch in hand
        }
    }

    /** Takes the run, unless one has not ended. */
    boolean tryBegin() {
        if (STATE.compareAndSet(this, IDLE, RUNNING)) { // CAS: one thread runs it
            RUNNER.setOpaque(this, Thread.currentThread()); // opaque: each thread looks for itself only
            barrier.clearAlert();
            if (!mayContinue()) {
                alert(); // the halt came before the alert was cleared
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
        runsEnded.incrementAndGet(); // before the state: who sees that it runs no more sees that it has run
        STATE.setVolatile(this, IDLE); // volatile: what was handled is seen by whoever sees that it has ended
    }

    /** Ends the run, or the next one if there is none. Any thread. */
    void halt() {
        int now;
        do { // again if a run has begun or ended meanwhile: that one is to be halted, or the next
            now = state();
            // CAS: takes what it has seen
        } while ((now == RUNNING || now == IDLE) && !STATE.compareAndSet(this, now, now == RUNNING ? HALTING : HALTED));
        alert(); // after the state, at which who hears it looks
    }

    /** Ends the run, if there is one. The caller must {@link #alert()} after it. Any thread. */
    void haltRun() {
        STATE.compareAndSet(this, RUNNING, HALTING); // CAS: a run that has ended stays so
    }

    /** Wakes the processor, to look whether it was halted. Any thread, after a halt. */
    void alert() {
        if (barrier instanceof ProcessingSequenceBarrier own) {
            own.alertOfHalt();
        } else {
            barrier.alert();
        }
    }

    /** Whether a thread is in a run. Any thread. */
    boolean isRunning() {
        int now = state();
        return now == RUNNING || now == HALTING;
    }

    /** Whether it runs and was not halted. */
    boolean mayContinue() {
        return state() == RUNNING;
    }

    /** Whether a halt is to be heard by the run that there is, or by the next one. Any thread. */
    boolean wasHalted() {
        return state() >= HALTING;
    }

    private int state() {
        return (int) STATE.getAcquire(this); // acquire: pairs with halt and with the end of run
    }
}
