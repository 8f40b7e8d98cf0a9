package io.sluice.ringbuffer.pipeline;

import io.sluice.core.SignalledIdle;
import io.sluice.ringbuffer.AbandonedClaim;
import io.sluice.ringbuffer.StalledClaimDetector;
import org.jspecify.annotations.Nullable;

/*
 * When an event processor has something to do though no event comes: its own time-out, the time-out that its handler wants, the look at
 * a claim that nobody publishes, and another try. All fields belong to the thread that runs the processor.
 */
abstract class LoopTimeouts<E> extends LoopFailures<E> {
    /** A handler that wants its time-out later than this, some 146 years, is asked again then: no sum overflows. */
    private static final long MAX_WAIT = Long.MAX_VALUE / 2;

    /** After what time a handler that finished nothing is called again at the latest, and one that failed without an event. */
    private static final long RETRY_NANOS = 100_000;

    /** Its hot method is called by the copies of the loops only; the others here. */
    final EventHandler<? super E> handler;

    final long timeoutNanos;
    final @Nullable StalledClaimDetector stalledClaims;

    private long idleSince;
    boolean idling;
    boolean timedOut;
    boolean handlerAsked; // since its last batch, or its last time-out: no pause puts off what it owes

    boolean passedOver; // the handler gets nothing of the present batch

    long handlerDue = SignalledIdle.NO_DEADLINE; // when the handler wants its time-out, or is asked again
    private boolean asksAgain; // the question has failed, and is to be asked again
    private boolean tellsAgain; // the time-out has failed, and is to be told again
    boolean retriesSoon;

    LoopTimeouts(ConsumerNode<E> node, EventHandler<? super E> handler) {
        super(node);
        this.handler = handler;
        this.timeoutNanos = Math.min(node.settings.timeoutNanos, MAX_WAIT);
        this.stalledClaims = ring.newStalledClaimDetector();
    }

    // claims that nobody publishes

    /** Nothing is available: perhaps since a claim is neither published nor aborted. Told by those who follow publications. */
    final void checkStalledClaim(StalledClaimDetector detector) {
        if (done) {
            return;
        }
        if (!node.followsPublications()) {
            detector.forget(); // it follows others now, perhaps, and is due for no look
            return;
        }
        AbandonedClaim claim = detector.dueClaim();
        if (claim == null) {
            return;
        }
        enterCall();
        try {
            detector.tell(claim);
        } catch (Throwable t) {
            haltIn("onAbandonedClaim", t);
        } finally {
            node.inHandler = false;
        }
    }

    // time-outs

    final void checkTimeout(long next) {
        if (!idling) {
            idling = true;
            askHandler();
            if (timeoutNanos == 0 && handlerDue == SignalledIdle.NO_DEADLINE) {
                return; // nobody wants a time-out: the clock is not read
            }
            idleSince = System.nanoTime();
        }
        long now = System.nanoTime();
        boolean over = timeoutNanos > 0 && !timedOut && now - idleSince >= timeoutNanos;
        timedOut |= over;
        if (!done && (over || isDue(now))) {
            tellTimeout(next - 1);
        }
    }

    /** A consumer that rests, or takes nothing, has no time-out, but its handler may have something to do since its last batch. */
    final void checkHandlerDeadline() {
        askHandler();
        if (!done && handlerDue != SignalledIdle.NO_DEADLINE && isDue(System.nanoTime())) {
            tellTimeout(node.sequence.getPlain()); // plain: this thread writes it
        }
    }

    /** The handler gets nothing of the present batch: that puts off nothing that it owes. False if its time-out has ended the processor. */
    final boolean passesOver() {
        checkHandlerDeadline();
        passedOver = true; // last: nothing that cuts this off leaves it to another batch
        return !done;
    }

    /** Whether the handler's time-out is due. If it is the question that is, asks. */
    private boolean isDue(long now) {
        if (handlerDue == SignalledIdle.NO_DEADLINE || now - handlerDue < 0) {
            return false;
        }
        if (asksAgain) {
            ask();
            return false;
        }
        return true;
    }

    /** Asks once, until the next batch or time-out. */
    private void askHandler() {
        if (handlerAsked || done) {
            return;
        }
        tellsAgain = false; // a batch has come
        ask();
    }

    /** Reads the clock only if the handler wants a time-out, or something is to be tried again. */
    private void ask() {
        handlerAsked = true;
        asksAgain = false;
        handlerDue = SignalledIdle.NO_DEADLINE;
        try {
            long after = handler.timeoutAfterNanos();
            if (!tellsAgain) { // else the attempts are those of the time-out that is owed, too
                idleCallReturned("timeoutAfterNanos");
            }
            if (after != Long.MAX_VALUE) {
                handlerDue = System.nanoTime() + Math.min(Math.max(after, 0), MAX_WAIT);
            }
        } catch (Throwable t) {
            asksAgain = decideIdle("timeoutAfterNanos", t, node.sequence.getPlain()); // plain: this thread writes it
        }
        if (handlerDue == SignalledIdle.NO_DEADLINE && (asksAgain || tellsAgain)) { // the handler does not say when
            handlerDue = System.nanoTime() + RETRY_NANOS;
        }
    }

    private void tellTimeout(long sequence) {
        tellsAgain = false;
        enterCall();
        try {
            handler.onTimeout(sequence);
            idleCallReturned("onTimeout");
        } catch (Throwable t) {
            tellsAgain = decideIdle("onTimeout", t, sequence);
        } finally {
            node.inHandler = false;
        }
        if (!done) {
            ask();
        }
    }

    /**
     * A handler left everything undone, which no publication will announce again: it is called again before long. The clock is read
     * by who is about to park only: one that spins comes here at each look.
     */
    final void tryAgainSoon() {
        retriesSoon = true;
    }

    /** As {@link EventProcessor#deadline}. While it stays where it is for another's join or leave, only the handler's own time counts. */
    public final long deadline() {
        if ((node.control() & ConsumerNode.HOLD) != 0) {
            return handlerDue;
        }
        if (retriesSoon) {
            return System.nanoTime() + RETRY_NANOS;
        }
        long timeout = timeoutNanos > 0 && idling && !timedOut ? idleSince + timeoutNanos : SignalledIdle.NO_DEADLINE;
        if (handlerDue != SignalledIdle.NO_DEADLINE
                && (timeout == SignalledIdle.NO_DEADLINE || handlerDue - timeout < 0)) {
            timeout = handlerDue;
        }
        long look = stalledClaims == null ? SignalledIdle.NO_DEADLINE : stalledClaims.due();
        if (timeout == SignalledIdle.NO_DEADLINE || look == SignalledIdle.NO_DEADLINE) {
            return timeout == SignalledIdle.NO_DEADLINE ? look : timeout;
        }
        return timeout - look < 0 ? timeout : look;
    }
}
