package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy;
import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.LifeCycle;
import io.sluice.core.State;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.jfr.RingEvents;
import org.jspecify.annotations.Nullable;

/*
 * What becomes of a failure of an event processor: who decides about it, how often it was tried, and what fails the ring if it halts.
 * All fields belong to the thread that runs the processor.
 *
 * A failure may leave no memory and no stack to deal with it. So it is noted in fields before anything is called: from then on the
 * processor counts as ended, and hands out no event. It goes on only once the policy has said so. What it takes to fail the ring
 * is made beforehand. Where even that throws, the next call of the processor does the rest.
 */
abstract class LoopFailures<E> {
    /** The position of no failure: below all. */
    private static final long NOTHING_FAILED = Long.MIN_VALUE;

    final ConsumerNode<E> node;
    final FollowedRing<E> ring;
    final LifeCycle life;

    private final FailurePolicy<? super E> policy;

    boolean done;
    private long highestFailed = NOTHING_FAILED;
    int attempts; // tests set it: so many failures take too long

    // Of calls without an event. They count for themselves: what events do meanwhile is no attempt of them.
    int idleAttempts; // since the last batch, or since the call that failed last has returned
    private long idleFailedAfter; // so many batches
    private @Nullable String idleFailedIn;

    // A failure that is not dealt with yet, null if there is none; the error handler is told of it once it is.
    // Loops note it where they catch it, by three stores, which take no stack.
    @Nullable
    Throwable pendingFailure;

    long pendingFailureAt;
    private @Nullable String pendingFailureIn;

    final ConsumerFailedException report;
    boolean unreported;
    boolean deciding; // the policy is being asked
    boolean joined; // its begin is recorded, where anybody records, and so its end will be
    private boolean ending; // not all are told that it has ended

    LoopFailures(ConsumerNode<E> node) {
        this.node = node;
        this.ring = node.ring;
        this.life = node.ring.life();
        this.policy = node.policy();
        this.report = new ConsumerFailedException(ring.name(), node.name());
    }

    /** The handler is called outside a batch. */
    final void enterCall() {
        node.runBy(Thread.currentThread());
        node.enterCall();
    }

    final void end() {
        done = true;
        ending = true;
        node.end();
        ending = false; // behind what a stack overflow may cut off, which is then done again
        recordEnd();
    }

    private void recordEnd() {
        if (joined) {
            RingEvents.left(ring.name(), node.name(), node.sequence.getAcquire()); // acquire: as for any monitor
        }
    }

    /** Whether one that has not begun never begins: who has asked for that, and found no runner, may say that it has left. */
    final boolean isToLeave() {
        node.runBy(Thread.currentThread()); // before the look at what is asked
        return node.isAskedToLeave();
    }

    /** It was to leave before it began, and its handler hears of nothing. Never goes on. */
    final boolean endUnstarted() {
        if (!done && node.obey() == ConsumerNode.HALT) {
            end();
        }
        failRing();
        return false;
    }

    /**
     * Called at close. A stack overflow may have left an event taken but not done. If it was handled, this publishes it. Else, where
     * the ring goes on, this halts: nobody would handle that event, and everyone behind it would wait for ever.
     */
    final void endInHand() {
        State state = life.state();
        if (node.marked) {
            Check.notNull(node.work, "work").move();
            node.inHand = false;
            node.marked = false;
            node.counts.batch(1);
            node.signalDownstream();
        } else if (node.inHand && state != State.CLOSED && state != State.FAILED) {
            haltIn(
                    "onClose",
                    new IllegalStateException("worker " + node.name()
                            + " must finish the event that it has taken before it is closed, but a stack overflow has cut"
                            + " that event off: call doWork again before onClose"));
        }
    }

    /** Behind the last call of its handler. */
    final void leaveClosed() {
        node.markClosed();
        if (node.isAskedToLeave() && (node.hasLeft() || life.state() != State.CLOSED)) {
            node.tryUnlink(); // where another changes the graph now, that one takes it out
        }
    }

    /** Its handler threw where there is no event, and where no policy is asked. */
    final void haltIn(String place, Throwable cause) {
        long sequence = node.sequence.getPlain(); // plain: this thread writes it
        noteFailure(cause, sequence, place);
        count(cause, sequence, 1, Action.HALT);
        failRing();
    }

    /** Notes a failure, and ends the processor for the time being. Calls nothing. */
    private void noteFailure(Throwable cause, long sequence, @Nullable String place) {
        done = true;
        pendingFailure = cause;
        pendingFailureAt = sequence;
        pendingFailureIn = place;
    }

    /** The policy does not halt. */
    private void resume() {
        pendingFailure = null;
        done = false;
    }

    /** Fails the ring by the pending failure, if there is one; ends it if that was cut off. Allocates nothing before the ring has failed. */
    final void failRing() {
        Throwable cause = pendingFailure;
        if (cause == null) {
            if (ending) {
                end();
            }
            return;
        }
        node.inHandler = false;
        node.failed(cause, pendingFailureAt, pendingFailureIn);
        ring.fail(cause);
        if (node.inHand) {
            node.failStage(); // a worker leaves its event without a mark: nobody goes on behind it
        }
        node.end();
        pendingFailure = null; // behind what a stack overflow may cut off, which is then done again
        unreported = true;
        recordEnd();
        tell(report.by(cause, pendingFailureAt, pendingFailureIn));
    }

    final void tell(ConsumerFailedException failure) {
        enterCall();
        try {
            unreported = !node.owner.report(failure);
        } finally {
            node.inHandler = false;
        }
    }

    /**
     * The handler threw while nothing was available: the policy is asked, without an event.
     *
     * @return whether the call is to be made again
     */
    final boolean decideIdle(String place, Throwable cause, long sequence) {
        noteFailure(cause, sequence, place);
        long batches = node.counts.batches();
        idleAttempts = batches == idleFailedAfter ? oneMore(idleAttempts) : 1;
        idleFailedAfter = batches;
        idleFailedIn = place;
        Action action = decide(cause, null, sequence, idleAttempts);
        if (action == Action.HALT) {
            failRing();
            return false;
        }
        resume();
        return action != Action.SKIP;
    }

    /** An endless retry may fail more often than an int can count: it stays at the highest. */
    private static int oneMore(int attempts) {
        return attempts == Integer.MAX_VALUE ? attempts : attempts + 1;
    }

    /** A call without an event has not failed: if it was the one that failed last, it has no failed attempt any more. */
    final void idleCallReturned(String place) {
        if (place.equals(idleFailedIn)) {
            idleAttempts = 0;
        }
    }

    /** The next batch has no failure yet. */
    final void forgetAttempts() {
        highestFailed = NOTHING_FAILED;
    }

    /** The batch has ended, though its first event was not handled: all but that event went well in the end, and has not failed any more. */
    final void forgetAttemptsBut(long first) {
        if (highestFailed != first) {
            forgetAttempts();
        }
    }

    /** Asks the policy. An error always halts, and so does a policy that fails itself. Never throws. */
    private Action decide(Throwable cause, @Nullable E event, long sequence, int attempt) {
        Action action = Action.HALT;
        deciding = true;
        try {
            Action wanted =
                    Check.notNull(policy.onFailure(cause, event, sequence, attempt), "the failure policy's action");
            if (!(cause instanceof Error)) {
                action = permitted(wanted, cause);
            }
        } catch (Throwable t) {
            suppress(cause, t);
        } finally {
            deciding = false;
        }
        count(cause, sequence, attempt, action);
        return action;
    }

    /** Here, since a class of its own could not be loaded without memory. */
    private static void suppress(Throwable cause, Throwable other) {
        if (other != cause) {
            try {
                cause.addSuppressed(other);
            } catch (Throwable t) {
                // no memory for it: the cause is what counts
            }
        }
    }

    /** What becomes of an action that the policy wants; tells the cause what was not permitted. A worker has no batch to rewind. */
    Action permitted(Action action, Throwable cause) {
        if (action != Action.REWIND_BATCH || node.work == null) {
            return action;
        }
        cause.addSuppressed(
                new IllegalStateException(
                        "the failure policy of worker " + node.name()
                                + " must return SKIP, RETRY_EVENT or HALT, since each event is a batch of its own, but returned REWIND_BATCH"));
        return Action.HALT;
    }

    /** A worker finishes its event before it leaves or is halted, as long as the ring goes on. */
    private boolean workerGivesUp() {
        State state = life.state();
        return node.isHalted() && (state == State.CLOSED || state == State.FAILED);
    }

    /** Whether a failing event is left undone, since the processor is to end or to leave. */
    private boolean givesUp() {
        return node.work == null ? (node.control() & (ConsumerNode.HALT | ConsumerNode.LEAVE)) != 0 : workerGivesUp();
    }

    final void count(Throwable cause, long sequence, int attempt, Action action) {
        try {
            node.counts.failure();
        } catch (Throwable t) {
            // no memory for its first call: one failure is not counted
        }
        RingEvents.failed(ring.name(), node.name(), cause, sequence, attempt, action);
    }

    /**
     * Decides about a failure at a position of the batch. Until it returns the processor counts as ended.
     *
     * @param position where it failed: grows along the batch, so that attempts are counted, and bounded, across rewinds
     * @return what to do, null if the processor has ended
     */
    final @Nullable Action failed(Throwable cause, @Nullable E event, long sequence, long position) {
        noteFailure(cause, sequence, null);
        if (position > highestFailed) {
            highestFailed = position;
            attempts = 1;
        } else {
            attempts = oneMore(attempts);
        }
        if (node.owesSignal) {
            node.signalDownstream(); // the handler's own, cut off: what it does may be tried again for long
        }
        Action action = decide(cause, event, sequence, attempts);
        if (action == Action.HALT) {
            failRing();
            return null;
        }
        resume();
        if (action != Action.SKIP && givesUp()) {
            node.inHandler = false;
            if (!node.isHalted()) {
                return null; // it leaves with the next cycle
            }
            end(); // the event stays unhandled, and is reported so, instead of being tried for ever
            return null;
        }
        return action;
    }
}
