package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy;
import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.LifeCycle;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.AbandonedClaim;
import io.sluice.ringbuffer.DropOldestRequest;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.SlotMarks;
import io.sluice.ringbuffer.StalledClaimDetector;
import io.sluice.ringbuffer.jfr.RingEvents;
import org.jspecify.annotations.Nullable;

/*
 * The cold half of an event processor: start, end, time-outs, failures. The hot half, the loop over the events, is in the
 * subclasses, which are defined anew for each class of handlers (see LoopSpecializer). All fields belong to the thread that runs
 * the processor.
 *
 * How it ends:
 *   halt(), by the ring's close()  after the present batch
 *   ring FAILED, by another       once nothing is available and every upstream has ended: siblings run to the cursor,
 *                                 dependents of the failed one to its last finished batch
 *   own failure with HALT         at once; progress stays where the last batch ended
 *
 * A failure may leave no memory and no stack to deal with it. So it is noted in fields before anything is called: from then on the
 * processor counts as ended, and hands out no event. It goes on only once the policy has said so. What it takes to fail the ring
 * is made beforehand. Where even that throws, the next call of the processor does the rest.
 */
abstract class AbstractLoop<E> implements EventProcessor {
    /** The position of no failure: below all. */
    private static final long NOTHING_FAILED = Long.MIN_VALUE;

    /** With 16, events that come every 200 ns arrive 2 to 11 % later than with 3, and those that come every 1,000 ns no sooner. */
    private static final int LOOKS_ALONE = 3;

    /** A handler that wants its time-out later than this, some 146 years, is asked again then: no sum overflows. */
    private static final long MAX_WAIT = Long.MAX_VALUE / 2;

    /** After what time a handler that finished nothing is called again at the latest. */
    private static final long RETRY_NANOS = 100_000;

    final ConsumerNode<E> node;
    final FollowedRing<E> ring;
    final LifeCycle life;
    SequenceBarrier barrier;

    private final FailurePolicy<? super E> policy;
    private final long timeoutNanos;

    private @Nullable Thread thread;
    private boolean started;
    boolean done;
    private boolean shutDown;
    private long idleSince;
    private boolean idling;
    private boolean timedOut;
    private long handlerDue =
            SignalledIdle.NO_DEADLINE; // when the handler wants its time-out; asked when idling begins
    private long highestFailed = NOTHING_FAILED;
    private int attempts;
    private long retryAt = SignalledIdle.NO_DEADLINE;
    private int sinceIdle;
    private @Nullable SlotMarks skips; // since the first range that was shed
    private final @Nullable StalledClaimDetector gap;

    // A failure that is not dealt with yet, null if there is none; told to the error handler once it is. Loops note it
    // where they
    // catch it, by three stores, which take no stack.
    @Nullable
    Throwable owed;

    long owedAt;
    private @Nullable String owedIn;
    private final ConsumerFailedException report;
    private boolean untold;
    private boolean deciding; // the policy is being asked

    /** Whether the last batch left something behind that was there already. */
    boolean behind;

    /**
     * How often a cycle looks again for what is not there yet: a runner's own cycle takes longer than a look, and an event that
     * comes meanwhile waits for its end. Used by the loops of events and of ranges, each in its own class, so that the barrier's
     * call is compiled for that one.
     */
    int looksAgain;

    AbstractLoop(ConsumerNode<E> node) {
        this.node = node;
        this.ring = node.ring;
        this.life = node.ring.life();
        this.barrier = node.barrier();
        this.policy = node.policy();
        this.timeoutNanos = node.timeoutNanos();
        this.gap = ring.newStalledClaimDetector();
        this.report = new ConsumerFailedException(ring.name(), node.name());
    }

    // the handler's other methods

    abstract void handlerStart();

    abstract void handlerTimeout(long sequence);

    /** See {@link EventHandler#timeoutAfterNanos()}; handlers of other kinds want none. */
    long handlerTimeoutAfter() {
        return Long.MAX_VALUE;
    }

    abstract void handlerShutdown();

    /** The handler is called outside a batch. */
    private void enterCall() {
        node.runBy(Thread.currentThread());
        node.enterCall();
    }

    // start and end

    @Override
    public final void onStart() {
        if (started) {
            return;
        }
        started = true;
        adopt();
        RingEvents.joined(ring.name(), node.name(), node.sequence.getAcquire()); // acquire: as for any monitor
        try {
            enterCall();
            handlerStart();
        } catch (Throwable t) {
            haltIn("onStart", t);
        } finally {
            node.leaveBatch();
        }
    }

    private void adopt() {
        thread = Thread.currentThread();
        node.runBy(thread);
    }

    /** Whether the processor goes on; what each duty cycle begins with. */
    final boolean canRun() {
        if (thread != Thread.currentThread()) {
            onStart();
            adopt();
        }
        if (done) {
            if (deciding) {
                node.checkNotInHandler("doWork");
            }
            settle();
            return false;
        }
        node.checkNotInHandler("doWork");
        return node.control() == 0 || handleControl();
    }

    /** Does what is asked between two batches. */
    private boolean handleControl() {
        int asked = node.control();
        if ((asked & (ConsumerNode.HALT | ConsumerNode.STAGE_FAILED)) != 0) {
            end();
            return false;
        }
        if ((asked & ConsumerNode.HOLD) != 0) {
            node.confirmHold();
            return park();
        }
        if ((asked & ConsumerNode.LEAVE) != 0) {
            if (node.pipeline.graph.tryUnlink(node)) {
                end();
            }
            return park();
        }
        if ((asked & ConsumerNode.REWIRE) != 0) {
            node.withdraw(ConsumerNode.REWIRE); // first: a change after it asks again
            barrier = node.barrier();
            rewired();
        }
        if ((asked & ConsumerNode.PAUSE) == 0) {
            return true;
        }
        mindHandler();
        return park();
    }

    /** Nothing is due before it is asked to go on, but to the handler. */
    private boolean park() {
        idling = false;
        retryAt = SignalledIdle.NO_DEADLINE;
        if (gap != null) {
            gap.forget();
        }
        return false;
    }

    /** Takes the batch limit and the signals from the node again, and announces progress to whoever has come. */
    abstract void rewired();

    /** Nothing is available: ends the processor if nothing can come any more, else minds the time-out. */
    final int onEmptyPoll(long next) {
        if (!life.isRunning() && life.state() == State.FAILED) {
            // The order counts: an upstream that has ended makes no more progress, so what is available then is all.
            if (node.upstreamEnded() && barrier.available(next) < next) {
                end();
            }
        } else if (!idling || timeoutNanos > 0 || handlerDue != SignalledIdle.NO_DEADLINE) {
            mindTimeout(next);
        }
        if (gap != null) {
            mindGap(gap);
        }
        return 0;
    }

    /** Nothing is available: perhaps since a claim is neither published nor aborted. Told by those who follow publications. */
    private void mindGap(StalledClaimDetector watch) {
        if (done || !node.followsPublications()) {
            return;
        }
        AbandonedClaim claim = watch.dueClaim();
        if (claim == null) {
            return;
        }
        enterCall();
        try {
            watch.tell(claim);
        } catch (Throwable t) {
            haltIn("onAbandonedClaim", t);
        } finally {
            node.leaveBatch();
        }
    }

    private void mindTimeout(long next) {
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
        if (over || isDue(now)) {
            tellTimeout(next - 1);
        }
    }

    /** A consumer that is paused has no time-out, but its handler may owe something since its last batch. */
    private void mindHandler() {
        askHandler();
        if (handlerDue != SignalledIdle.NO_DEADLINE && isDue(System.nanoTime())) {
            tellTimeout(node.sequence.getPlain()); // plain: this thread writes it
        }
    }

    private boolean isDue(long now) {
        return handlerDue != SignalledIdle.NO_DEADLINE && now - handlerDue >= 0;
    }

    /** Reads the clock only if the handler wants a time-out. */
    private void askHandler() {
        handlerDue = SignalledIdle.NO_DEADLINE;
        try {
            long after = handlerTimeoutAfter();
            if (after != Long.MAX_VALUE) {
                handlerDue = System.nanoTime() + Math.min(Math.max(after, 0), MAX_WAIT);
            }
        } catch (Throwable t) {
            decideIdle("timeoutAfterNanos", t, node.sequence.getPlain()); // plain: this thread writes it
        }
    }

    private void tellTimeout(long sequence) {
        enterCall();
        try {
            handlerTimeout(sequence);
        } catch (Throwable t) {
            decideIdle("onTimeout", t, sequence);
        } finally {
            node.leaveBatch();
        }
        if (!done) {
            askHandler();
        }
    }

    /** The handler threw while nothing was available: the policy is asked, without an event. */
    private void decideIdle(String place, Throwable cause, long sequence) {
        owe(cause, sequence, place);
        if (decide(cause, null, sequence, 1) == Action.HALT) {
            settle();
        } else {
            goOn();
        }
    }

    final void onBatchDone() {
        idling = false;
        timedOut = false;
        highestFailed = NOTHING_FAILED;
        retryAt = SignalledIdle.NO_DEADLINE;
    }

    /** A handler left everything undone, which no publication will announce again: it is called again before long. */
    final void tryAgainSoon() {
        retryAt = System.nanoTime() + RETRY_NANOS;
    }

    @Override
    public final long deadline() {
        if (retryAt != SignalledIdle.NO_DEADLINE) {
            return retryAt;
        }
        long timeout = timeoutNanos > 0 && idling && !timedOut ? idleSince + timeoutNanos : SignalledIdle.NO_DEADLINE;
        if (handlerDue != SignalledIdle.NO_DEADLINE
                && (timeout == SignalledIdle.NO_DEADLINE || handlerDue - timeout < 0)) {
            timeout = handlerDue;
        }
        long look = gap == null ? SignalledIdle.NO_DEADLINE : gap.due();
        if (timeout == SignalledIdle.NO_DEADLINE || look == SignalledIdle.NO_DEADLINE) {
            return timeout == SignalledIdle.NO_DEADLINE ? look : timeout;
        }
        return timeout - look < 0 ? timeout : look;
    }

    @Override
    public final int eventsSinceIdle(int work) {
        int all = (int) Math.min((long) sinceIdle + work, Integer.MAX_VALUE);
        sinceIdle = behind ? all : 0;
        return behind ? 0 : all;
    }

    @Override
    public final int backOffBatchLimit() {
        return Math.max(1, ring.slots().length / 4);
    }

    @Override
    public final boolean yieldsBeforeWaiting() {
        return !(node.followsPublications() && ring.producersContend());
    }

    @Override
    public final void dedicatedSpinner(boolean alone) {
        looksAgain = alone ? LOOKS_ALONE : 0;
    }

    @Override
    public final boolean isDone() {
        return done;
    }

    private void end() {
        done = true;
        node.end();
        RingEvents.left(ring.name(), node.name(), node.sequence.getAcquire()); // acquire: as for any monitor
    }

    /** Its handler threw where there is no event, and where no policy is asked. */
    private void haltIn(String place, Throwable cause) {
        long sequence = node.sequence.getPlain(); // plain: this thread writes it
        owe(cause, sequence, place);
        count(cause, sequence, 1, Action.HALT);
        settle();
    }

    /** Notes a failure, and ends the processor for the time being. Calls nothing. */
    private void owe(Throwable cause, long sequence, @Nullable String place) {
        done = true;
        owed = cause;
        owedAt = sequence;
        owedIn = place;
    }

    /** The policy does not halt. */
    private void goOn() {
        owed = null;
        done = false;
    }

    /** Fails the ring by what is owed, if anything is. Allocates nothing before the ring has failed. */
    private void settle() {
        Throwable cause = owed;
        if (cause == null) {
            return;
        }
        node.leaveBatch();
        node.failed(cause, owedAt);
        ring.fail(cause);
        node.end();
        owed = null; // behind what may throw for want of stack, which is then done again
        untold = true;
        RingEvents.left(ring.name(), node.name(), node.sequence.getAcquire()); // acquire: as for any monitor
        tell(report.by(cause, owedAt, owedIn));
    }

    private void tell(ConsumerFailedException failure) {
        enterCall();
        try {
            untold = !node.pipeline.reports().failed(failure);
        } finally {
            node.leaveBatch();
        }
    }

    @Override
    public final void onClose() {
        if (!done) {
            end();
        }
        settle();
        if (!shutDown) {
            shutDown = true;
            enterCall();
            try {
                handlerShutdown();
            } catch (Throwable t) {
                long sequence = node.sequence.getPlain(); // plain: this thread writes it
                node.failed(t, sequence);
                ring.fail(t);
                count(t, sequence, 1, Action.HALT);
                tell(new ConsumerFailedException(ring.name(), node.name()).by(t, sequence, "onShutdown"));
            } finally {
                node.leaveBatch();
            }
        }
        if (untold) {
            tell(report); // the memory that there was not then may be there now
        }
    }

    @Override
    public final void halt() {
        node.halt();
    }

    @Override
    public final SequenceView sequence() {
        return node.sequence;
    }

    @Override
    public final String roleName() {
        return node.name();
    }

    // shedding

    /**
     * Drops a range, in place of handling it; the caller publishes the progress.
     *
     * @return false if the processor has ended, or leaves
     */
    final boolean shed(DropOldestRequest<E> shedding, long lo, long hi) {
        SlotMarks passedOver = skips == null ? node.skips() : skips;
        skips = passedOver;
        node.enterBatch(hi);
        long position = lo;
        long shed = 0;
        try {
            while (position <= hi) {
                try {
                    for (; position <= hi; position++) {
                        if (!passedOver.isSkipped(position)) {
                            shedding.handler().onShed(node.name(), ring.get(position), position);
                            shed++;
                        }
                    }
                } catch (Throwable t) {
                    done = true; // see above
                    owed = t;
                    owedAt = position;
                    Action action = failed(t, ring.get(position), position, position);
                    if (action == null) {
                        return false;
                    } else if (action == Action.SKIP) {
                        position++;
                        shed++;
                    }
                }
            }
        } finally {
            node.counts.shed(shed);
            RingEvents.shed(ring.name(), node.name(), shed);
        }
        node.leaveBatch();
        return true;
    }

    // failures

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

    private static void suppress(Throwable cause, Throwable other) {
        if (other != cause) {
            try {
                cause.addSuppressed(other);
            } catch (Throwable t) {
                // no memory for it: the cause is what counts
            }
        }
    }

    /** What becomes of an action that the policy wants; tells the cause what was not permitted. */
    Action permitted(Action action, Throwable cause) {
        return action;
    }

    /** Whether a failing event is left undone, since the processor is to end or to leave. */
    boolean givesUp() {
        return (node.control() & (ConsumerNode.HALT | ConsumerNode.LEAVE)) != 0;
    }

    private void count(Throwable cause, long sequence, int attempt, Action action) {
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
        owe(cause, sequence, null);
        if (position > highestFailed) {
            highestFailed = position;
            attempts = 1;
        } else {
            attempts++;
        }
        Action action = decide(cause, event, sequence, attempts);
        if (action == Action.HALT) {
            settle();
            return null;
        }
        goOn();
        if (action != Action.SKIP && givesUp()) {
            node.leaveBatch();
            if (!node.isHalted()) {
                return null; // it leaves with the next cycle
            }
            end(); // the event stays unhandled, and is reported so, instead of being tried for ever
            return null;
        }
        return action;
    }
}
