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
 * The thread in run() makes all moves but those of halt, which any thread makes by CAS. A thread that leaves IDLE or
 * HALTED by CAS owns the fields of the run until it stores IDLE.
 *
 * A halt that finds HALTING is for the runs that wait for the end of the halted one. The word counts such halts above the state: a
 * run that sees another number than when it began to wait ends at once. The count and the state are one word, so that no halt ends
 * two runs one after the other.
 *
 * A barrier may serve several processors. Where it is this library's, each of them waits at a barrier of its own, which throws if
 * this state says that it was halted, or if the program has alerted the barrier. So a halt reaches one processor only, and
 * nobody else can clear it.
 *
 * A barrier of the program's own has one alert for all, and one that begins may clear the alert by which another one was
 * halted. It goes to RUNNING before it clears the alert, looks at the state after it, and alerts again if it was halted in
 * between. A thread that waits for the end of a halted run alerts again and again.
 */

/** Whether a thread runs a processor, and whether it was halted. */
final class RunState {
    private static final VarHandle STATE = VarHandles.field(MethodHandles.lookup(), RunState.class, "state", int.class);
    private static final VarHandle RUNNER =
            VarHandles.field(MethodHandles.lookup(), RunState.class, "runner", Thread.class);

    private static final int IDLE = 0;
    private static final int RUNNING = 1;
    private static final int HALTING = 2;
    private static final int HALTED = 3;

    /** Of HALTING and HALTED. */
    private static final int A_HALT = 2;

    /** The bits of the state. Those above them count the halts that found HALTING. */
    private static final int STATES = 3;

    private static final int ONE_HALT = STATES + 1;

    private final SequenceBarrier barrier;

    /** How many runs have begun or wait for the end of a halted one, with those that have ended. A pool's do not count. Any thread. */
    final AtomicInteger runsBegun = new AtomicInteger();

    /** How many runs have ended, with those that were refused. Any thread. */
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
     * Takes the run. Waits for the end of one that was halted. If it was halted before, or while it waited, it does not go on. The
     * caller must call {@link #end()} in either case.
     *
     * @throws IllegalStateException if it runs already
     */
    void begin() {
        int haltsBefore = halts();
        runsBegun.incrementAndGet();
        for (int attempt = 0; !tryBegin(); ) {
            if (mayContinue() || RUNNER.getOpaque(this) == Thread.currentThread()) { // opaque: as in tryBegin
                runsEnded.incrementAndGet();
                throw new IllegalStateException("the processor must not run, but it does");
            }
            alert(); // another processor may have cleared it
            attempt = RoomPause.pause(attempt); // the run that was halted ends after the batch in hand
        }
        if (halts() != haltsBefore) {
            haltRun(); // without an alert: this thread has not come to a wait
        }
    }

    /** Takes the run, unless one has not ended. */
    boolean tryBegin() {
        int halts = halts(); // none is counted while nobody runs it
        if (STATE.compareAndSet(this, halts + IDLE, halts + RUNNING)) { // CAS: one thread runs it
            RUNNER.setOpaque(this, Thread.currentThread()); // opaque: each thread looks for itself only
            barrier.clearAlert();
            // volatile: after the store that clears the alert
            if (((int) STATE.getVolatile(this) & STATES) != RUNNING) {
                alert(); // the halt came before the alert was cleared
            }
            return true;
        }
        if (STATE.compareAndSet(this, halts + HALTED, halts + HALTING)) { // CAS: one thread takes the halt
            RUNNER.setOpaque(this, Thread.currentThread()); // opaque: as above
            return true;
        }
        return false;
    }

    /** Gives the run back. */
    void end() {
        RUNNER.setOpaque(this, null); // opaque: as in begin
        runsEnded.incrementAndGet(); // before the state: who sees that it runs no more sees that it has run
        // volatile: a thread that sees that it has ended sees what was handled; a halt that comes now is still counted
        STATE.getAndBitwiseAnd(this, ~STATES);
    }

    /** Ends the run, or the next one if there is none; where one is ending, those that wait for it. Any thread. */
    void halt() {
        int now;
        int next;
        do { // again if a run has begun or ended meanwhile: that one is to be halted, or the next
            now = (int) STATE.getAcquire(this); // acquire: a stale one fails the CAS
            next = switch (now & STATES) {
                case IDLE, HALTED -> now | HALTED;
                case RUNNING -> now - RUNNING + HALTING;
                default -> now + ONE_HALT;
            };
        } while (!STATE.compareAndSet(this, now, next)); // CAS: takes what it has seen
        alert(); // after the state, at which who hears it looks
    }

    /** Ends the run, if there is one. The caller must {@link #alert()} after it, unless it has the run. Any thread. */
    void haltRun() {
        int halts = halts(); // as it was if the run is still there
        STATE.compareAndSet(this, halts + RUNNING, halts + HALTING); // CAS: a run that has ended stays so
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

    /** Whether a run has not ended, or waits for the end of one that was halted; but for the caller's own. Any thread. */
    boolean hasRunToEnd() {
        int ended = runsEnded.get(); // before those that have begun: a run begins first
        int own = RUNNER.getOpaque(this) == Thread.currentThread() ? 1 : 0; // opaque: as in begin
        return runsBegun.get() - ended > own;
    }

    /** Whether it runs and was not halted. */
    boolean mayContinue() {
        return state() == RUNNING;
    }

    /** Whether a halt is to be heard by the run that there is, or by the next one. Any thread. */
    boolean wasHalted() {
        return (state() & A_HALT) != 0;
    }

    private int state() {
        return (int) STATE.getAcquire(this) & STATES; // acquire: pairs with halt and with the end of run
    }

    /** How many halts have found a run that was halted already, in the place that they have in the word. */
    private int halts() {
        return (int) STATE.getAcquire(this) & ~STATES; // acquire: a halt before this call is counted
    }
}
