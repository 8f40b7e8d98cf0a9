package io.sluice.ringbuffer.pipeline;

import io.sluice.core.SignalGroup;
import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

@SuppressWarnings("unused")
abstract class ConsumerBatchBefore {
    private int p00; // what the header leaves free of its last word
    private long p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15, p16;
}

/*
 * The fields that the thread that runs a consumer writes in each batch. Others read them only before that thread begins, or once it has
 * ended. They stand alone on their cache lines: a producer that waits for room looks at each step whether a consumer has ended or left.
 */
abstract class ConsumerBatch extends ConsumerBatchBefore {
    /** Whether the handler is at work. The thread that runs it. Cleared by a store: for a call there may be no stack left. */
    boolean inHandler;

    /**
     * A worker has taken an event, and it is not done. If a stack overflow cuts it off in between, it goes on with that event. Written by
     * the thread that runs it, or has run it.
     */
    boolean inHand;

    /** The event in hand is marked as done. The thread that runs it. */
    boolean marked;

    /** Its progress is published, and the signal to its followers was cut off, or is under way. The thread that runs it. */
    boolean owesSignal;

    /** The end of the present batch. The thread that runs it. */
    long batchEnd;

    /** The event that it has finished last for those behind it. The thread that runs it. */
    long finishedAt = -1;

    /** The lowest request to drop events that counts for it. The thread that runs it, or before it runs. */
    long minAsk;
}

@SuppressWarnings("unused")
abstract class ConsumerBatchAfter extends ConsumerBatch {
    private byte r1, r2, r3, r4; // what the flags leave free of their word
    private long q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15, q16;
}

/*
 * The thread that runs a consumer, the requests to it, and its end. Any thread may ask; the thread that runs the consumer looks between
 * two batches, and answers.
 *
 *   the thread that asks                        the thread that runs the consumer
 *   CAS control | HOLD, LEAVE, PAUSE, ...  -->  acquire of control, once a batch
 *   HELD or the end seen (acquire)         <--  CAS HOLD | HELD, or the end (release): its progress is final
 *
 * A thread that takes over stores itself as the runner, makes a full fence, and looks at the requests. A thread that acts on behalf
 * of one that is gone has asked, makes a full fence, and looks at the runner. So one of the two sees the other (Dekker).
 */
abstract class ConsumerControl extends ConsumerBatchAfter {
    // requests to the thread that runs it, which looks between two batches; bits of `control`
    static final int HALT = 1;
    static final int LEAVE = 2;
    static final int PAUSE = 4;
    /** Stay between two batches; answered by HELD. Set and cleared under the lock of the membership. */
    static final int HOLD = 8;

    static final int HELD = 16;
    /** The upstream, the batch limit or the signals have changed. */
    static final int REWIRE = 32;
    /** A colleague has failed: take no further event. */
    static final int STAGE_FAILED = 64;

    /** The end of the present batch while the handler is called outside of any. */
    private static final long NO_BATCH = Long.MIN_VALUE;

    // written by the thread that runs it, read by any
    private @Nullable Thread runner;
    private boolean ended;
    private boolean closed;

    // written by any thread, by CAS: the requests to the thread that runs it
    private int control;

    // written under the lock of the membership
    private boolean left;

    /** The group that its progress signals; null if no dependent blocks. */
    @Nullable
    SignalGroup downstream;

    // the thread that runs it

    /**
     * Between two batches, before the look at the requests. A thread that takes over makes a full fence, once.
     *
     * <p>Another thread may be about to act on behalf of the thread that ran it before: see {@link #isAtRest}.
     */
    final void runBy(Thread current) {
        if ((Thread) RUNNER.getOpaque(this) != current) { // opaque: a thread finds itself, or another
            RUNNER.setOpaque(this, current); // opaque: ordered by the fence
            VarHandle.fullFence(); // full: the runner | what is asked; pairs with the fence in isAtRest
        }
    }

    final void enterBatch(long hi) {
        inHandler = true;
        batchEnd = hi;
    }

    /** The handler is called outside a batch: it can not wait for itself there either, and has no event to finish. */
    final void enterCall() {
        enterBatch(NO_BATCH);
    }

    /** Whether the handler is at work. The thread that runs it. */
    final boolean isInHandler() {
        return inHandler;
    }

    /** Whether the handler's present call belongs to a batch. The thread that runs it, inside the handler. */
    final boolean isInBatch() {
        return batchEnd != NO_BATCH;
    }

    /** The last sequence of the present batch. The thread that runs it, inside a batch. */
    final long batchEnd() {
        return batchEnd;
    }

    /** Ends it. To be followed by a wake-up of all who wait. */
    final void markEnded() {
        ENDED.setRelease(this, true); // release: the last progress comes before
    }

    /**
     * Its loop is closed: it calls the handler no more. The caller then looks whether it is to leave; a thread that asks it to leave looks
     * whether it is closed.
     */
    final void markClosed() {
        CLOSED.setRelease(this, true); // release: what the handler did comes before
        VarHandle.fullFence(); // full: the flag | what is asked, the lock; pairs with takeOutClosed
    }

    /** Wakes its followers. If that is cut off, the next call does it. The thread that runs it. */
    final void signalDownstream() {
        if (downstream != null) {
            owesSignal = true;
            downstream.signal();
        }
        owesSignal = false;
    }

    /** Answers a hold, unless it is over. The thread that runs it, between two batches, or a thread that knows that none does. */
    final void confirmHold() {
        int word = control();
        while ((word & (HOLD | HELD)) == HOLD && !CONTROL.compareAndSet(this, word, word | HELD)) { // CAS: never after
            word = control();
        }
    }

    /** Takes it out of the graph; false if another thread changes the graph. The thread that runs it, between two batches. */
    abstract boolean tryUnlink();

    /**
     * Answers the requests. The thread that runs it, between two batches.
     *
     * @return the rest to do: HALT to end; else REWIRE to follow its new upstream, and the request that it rests for
     */
    final int obey() {
        int asked = control();
        if ((asked & (HALT | STAGE_FAILED)) != 0) {
            return HALT;
        }
        if ((asked & HOLD) != 0) {
            confirmHold();
            return HOLD;
        }
        if ((asked & LEAVE) != 0) {
            return tryUnlink() ? HALT : LEAVE;
        }
        if ((asked & REWIRE) != 0) {
            withdraw(REWIRE); // first: a change after it asks again
        }
        return asked & (REWIRE | PAUSE);
    }

    /** Whether a consumer may continue after {@link #obey}. */
    static boolean mayContinue(int obeyed) {
        return (obeyed & ~REWIRE) == 0;
    }

    // any thread

    /** As {@link io.sluice.ringbuffer.Follower#isEnded}. */
    public final boolean isEnded() {
        return (boolean) ENDED.getAcquire(this); // acquire: who sees the end sees the last progress
    }

    final void ask(int bits) {
        change(0, bits);
    }

    final void withdraw(int bits) {
        change(bits, 0);
    }

    private void change(int cleared, int set) {
        int word;
        do {
            word = control();
        } while (!CONTROL.compareAndSet(
                this, word, (word & ~cleared) | set)); // CAS: several ask; what led to it is seen
    }

    /** The requests: the one look a batch. */
    final int control() {
        return (int) CONTROL.getAcquire(this); // acquire: who goes on after a hold has seen what was changed meanwhile
    }

    /** Whether it is to leave, or has left by that. */
    final boolean isAskedToLeave() {
        return (control() & LEAVE) != 0;
    }

    /** Whether it is to leave, and no thread will obey: its loop is closed, or the thread that ran it has ended. */
    final boolean isLeftBehind() {
        if (!isAskedToLeave()) {
            return false;
        }
        Thread last = runner();
        return isClosed() || (last != null && !last.isAlive() && isAtRest());
    }

    /** Whether its loop is closed: no thread calls its handler any more. */
    final boolean isClosed() {
        return (boolean) CLOSED.getAcquire(this); // acquire: who sees it sees what the handler did
    }

    final boolean isHalted() {
        return (control() & HALT) != 0;
    }

    /** As {@link io.sluice.ringbuffer.Follower#isPaused}. */
    public final boolean isPaused() {
        return (control() & PAUSE) != 0;
    }

    /** Whether it stays where it is until the hold is withdrawn. */
    final boolean isHeld() {
        return (control() & HELD) != 0 || isEnded(); // acquire inside: its progress is final
    }

    /**
     * Whether no thread is inside a batch, nor can be unless the caller is: it is the caller's own, or its thread died. An event that a
     * worker has in hand is a batch too: the next thread that runs the worker goes on with it. The caller has asked for something before,
     * and acts on the answer as if it were the consumer's thread.
     *
     * <p>Another thread may take over meanwhile: see the overview. A thread that stays makes no fence: it was found here long ago.
     */
    final boolean isAtRest() {
        VarHandle.fullFence(); // full: what is asked | the runner; pairs with the fence in runBy
        Thread thread = (Thread) RUNNER.getOpaque(this); // opaque: ordered by the fence; an end is asked of the thread
        if (thread == null || (thread == Thread.currentThread() ? inHandler : thread.isAlive())) {
            return false;
        }
        return !inHand; // plain: the caller's own, or of one that has ended; who takes over sees what was asked
    }

    /** Whether no thread has begun to run it, though one may. A thread that begins finds earlier requests: as isAtRest. */
    final boolean wasNeverRun() {
        VarHandle.fullFence(); // full: as in isAtRest
        return RUNNER.getOpaque(this) == null; // opaque: ordered by the fence
    }

    final boolean isRun() {
        return RUNNER.getOpaque(this) != null; // opaque: a hint
    }

    final boolean isRunBy(Thread thread) {
        return (Thread) RUNNER.getOpaque(this) == thread; // opaque: a thread finds itself, or nobody
    }

    /** As {@link io.sluice.ringbuffer.Follower#runner}. */
    public final @Nullable Thread runner() {
        return (Thread) RUNNER.getOpaque(this); // opaque: for monitors; a thread's name and state are its own business
    }

    /** Whether the calling thread is inside its handler. */
    final boolean isInOwnHandler() {
        if (!isRunBy(Thread.currentThread()) || !inHandler) {
            return false;
        }
        VarHandle.acquireFence(); // acquire: a flag that another thread has set comes after that thread's name
        return isRunBy(Thread.currentThread());
    }

    final void markLeft() {
        LEFT.setRelease(this, true); // release: it gates nothing any more
    }

    final boolean hasLeft() {
        return (boolean) LEFT.getAcquire(this); // acquire: who sees it sees the graph without it
    }

    private static final VarHandle RUNNER =
            VarHandles.field(MethodHandles.lookup(), ConsumerControl.class, "runner", Thread.class);
    private static final VarHandle ENDED =
            VarHandles.field(MethodHandles.lookup(), ConsumerControl.class, "ended", boolean.class);
    private static final VarHandle CLOSED =
            VarHandles.field(MethodHandles.lookup(), ConsumerControl.class, "closed", boolean.class);
    private static final VarHandle CONTROL =
            VarHandles.field(MethodHandles.lookup(), ConsumerControl.class, "control", int.class);
    private static final VarHandle LEFT =
            VarHandles.field(MethodHandles.lookup(), ConsumerControl.class, "left", boolean.class);
}
