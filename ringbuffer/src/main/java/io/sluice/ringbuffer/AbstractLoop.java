package io.sluice.ringbuffer;

import io.sluice.core.FailurePolicy;
import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.LifeCycle;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import org.jspecify.annotations.Nullable;

/*
 * The cold half of an event processor: start, end, time-outs, failures. The hot half, the loop over the events, is in the
 * subclasses, which are defined anew for each class of handlers (see LoopClasses). All fields belong to the thread that runs
 * the processor.
 *
 * How it ends:
 *   halt(), by the ring's close()  after the present batch
 *   ring FAILED, by another       once nothing is available and every upstream has ended: siblings run to the cursor,
 *                                 dependents of the failed one to its last finished batch
 *   own failure with HALT         at once; progress stays where the last batch ended
 */
abstract class AbstractLoop<E> implements EventProcessor {
    /** The position of no failure: below all. */
    private static final long NOTHING_FAILED = Long.MIN_VALUE;

    /** With 16, events that come every 200 ns arrive 2 to 11 % later than with 3, and those that come every 1,000 ns no sooner. */
    private static final int LOOKS_ALONE = 3;

    /** After what time a handler that finished nothing is called again at the latest. */
    private static final long RETRY_NANOS = 100_000;

    final ConsumerNode<E> node;
    final ObjectRing<E> ring;
    final LifeCycle life;
    SequenceBarrier barrier;

    private final FailurePolicy<? super E> policy;
    private final long timeoutNanos;

    private @Nullable Thread thread;
    private boolean started;
    private boolean done;
    private boolean shutDown;
    private long idleSince;
    private boolean idling;
    private boolean timedOut;
    private long highestFailed = NOTHING_FAILED;
    private int attempts;
    private long retryAt = SignalledIdle.NO_DEADLINE;
    private int sinceCaughtUp;
    private @Nullable AbortMarks skips; // since the first range that was shed
    private final @Nullable GapWatch gap;

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
        this.life = node.ring.life;
        this.barrier = node.barrier();
        this.policy = node.policy();
        this.timeoutNanos = node.timeoutNanos();
        this.gap = ring.abandonedHandler == null ? null : new GapWatch(ring);
    }

    // the handler's other methods

    abstract void handlerStart();

    abstract void handlerTimeout(long sequence);

    abstract void handlerShutdown();

    /** The handler is called outside a batch: it can not wait for itself there either, and has no progress to make. */
    private void enterCall() {
        node.runBy(Thread.currentThread());
        node.enterBatch(node.sequence.getPlain()); // plain: this thread writes it
    }

    // start and end

    @Override
    public final void onStart() {
        if (started) {
            return;
        }
        started = true;
        adopt();
        enterCall();
        RingJfr.joined(ring, node);
        try {
            handlerStart();
        } catch (Throwable t) {
            count(t, node.sequence.getPlain(), 1, Action.HALT); // plain: this thread writes it
            halt(t);
        } finally {
            node.leaveBatch();
        }
    }

    private void adopt() {
        thread = Thread.currentThread();
        node.runBy(thread);
    }

    /** Whether the processor goes on; what each duty cycle begins with. */
    final boolean goesOn() {
        if (thread != Thread.currentThread()) {
            onStart();
            adopt();
        }
        if (done) {
            return false;
        }
        return node.control() == 0 || attends();
    }

    /** Does what is asked between two batches. */
    private boolean attends() {
        int asked = node.control();
        if ((asked & (ConsumerNode.HALT | ConsumerNode.STAGE_FAILED)) != 0) {
            end();
            return false;
        }
        if ((asked & ConsumerNode.HOLD) != 0) {
            node.confirmHold();
            return rests();
        }
        if ((asked & ConsumerNode.LEAVE) != 0) {
            if (node.pipeline.graph.tryUnlink(node)) {
                end();
            }
            return rests();
        }
        if ((asked & ConsumerNode.REWIRE) != 0) {
            node.withdraw(ConsumerNode.REWIRE); // first: a change after it asks again
            barrier = node.barrier();
            rewired();
        }
        return (asked & ConsumerNode.PAUSE) == 0 || rests();
    }

    /** Nothing is due before it is asked to go on. */
    private boolean rests() {
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
    final int nothing(long next) {
        if (!life.isRunning() && life.state() == State.FAILED) {
            // The order counts: an upstream that has ended makes no more progress, so what is available then is all.
            if (node.upstreamEnded() && barrier.available(next) < next) {
                end();
            }
        } else if (timeoutNanos > 0) {
            mindTimeout(next);
        }
        if (gap != null) {
            mindGap(gap);
        }
        return 0;
    }

    /** Nothing is available: perhaps since a claim is neither published nor aborted. Told by those who follow publications. */
    private void mindGap(GapWatch watch) {
        if (done || !node.followsPublications()) {
            return;
        }
        AbandonedClaim claim = watch.lookNowAndThen();
        if (claim == null) {
            return;
        }
        enterCall();
        try {
            watch.tell(claim);
        } catch (Throwable t) {
            count(t, node.sequence.getPlain(), 1, Action.HALT); // plain: this thread writes it
            halt(t);
        } finally {
            node.leaveBatch();
        }
    }

    private void mindTimeout(long next) {
        long now = System.nanoTime();
        if (!idling) {
            idling = true;
            idleSince = now;
        } else if (!timedOut && now - idleSince >= timeoutNanos) {
            timedOut = true;
            enterCall();
            try {
                handlerTimeout(next - 1);
            } catch (Throwable t) {
                if (decide(t, null, next - 1, 1) == Action.HALT) {
                    halt(t);
                }
            } finally {
                node.leaveBatch();
            }
        }
    }

    final void worked() {
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
        long timeout = idling && !timedOut ? idleSince + timeoutNanos : SignalledIdle.NO_DEADLINE;
        long look = gap == null ? SignalledIdle.NO_DEADLINE : gap.due();
        if (timeout == SignalledIdle.NO_DEADLINE || look == SignalledIdle.NO_DEADLINE) {
            return timeout == SignalledIdle.NO_DEADLINE ? look : timeout;
        }
        return timeout - look < 0 ? timeout : look;
    }

    @Override
    public final int caughtUp(int work) {
        int all = (int) Math.min((long) sinceCaughtUp + work, Integer.MAX_VALUE);
        sinceCaughtUp = behind ? all : 0;
        return behind ? 0 : all;
    }

    @Override
    public final int roomyBatch() {
        return Math.max(1, ring.slots.length / 4);
    }

    @Override
    public final boolean mayYield() {
        return !(node.followsPublications() && ring.producersContend());
    }

    @Override
    public final void spinsAlone(boolean alone) {
        looksAgain = alone ? LOOKS_ALONE : 0;
    }

    @Override
    public final boolean isDone() {
        return done;
    }

    private void end() {
        done = true;
        node.end();
        RingJfr.left(ring, node);
    }

    private void halt(Throwable cause) {
        node.failed(cause);
        ring.fail(cause);
        end();
    }

    @Override
    public final void onClose() {
        if (!done) {
            end();
        }
        if (!shutDown) {
            shutDown = true;
            enterCall();
            try {
                handlerShutdown();
            } catch (Throwable t) {
                count(t, node.sequence.getPlain(), 1, Action.HALT); // plain: this thread writes it
                node.failed(t);
                ring.fail(t);
            } finally {
                node.leaveBatch();
            }
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
    final boolean shed(Shedding<E> shedding, long lo, long hi) {
        AbortMarks passedOver = skips == null ? node.skips() : skips;
        skips = passedOver;
        node.enterBatch(hi);
        long position = lo;
        long shed = 0;
        try {
            while (position <= hi) {
                try {
                    for (; position <= hi; position++) {
                        if (!passedOver.isAborted(position)) {
                            shedding.handler.onShed(node, ring.get(position), position);
                            shed++;
                        }
                    }
                } catch (Throwable t) {
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
            RingJfr.shed(ring, node, shed);
        }
        node.leaveBatch();
        return true;
    }

    // failures

    /** Asks the policy. An error always halts, and so does a policy that fails itself. */
    private Action decide(Throwable cause, @Nullable E event, long sequence, int attempt) {
        Action action;
        try {
            action = Check.notNull(policy.onFailure(cause, event, sequence, attempt), "the failure policy's action");
        } catch (Throwable t) {
            if (t != cause) {
                cause.addSuppressed(t);
            }
            action = Action.HALT;
        }
        action = cause instanceof Error ? Action.HALT : permitted(action, cause);
        count(cause, sequence, attempt, action);
        return action;
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
        node.counts.failure();
        RingJfr.failed(ring, node, cause, sequence, attempt, action);
    }

    /**
     * Decides about a failure at a position of the batch.
     *
     * @param position where it failed: grows along the batch, so that attempts are counted, and bounded, across rewinds
     * @return what to do, null if the processor has ended
     */
    final @Nullable Action failed(Throwable cause, @Nullable E event, long sequence, long position) {
        if (position > highestFailed) {
            highestFailed = position;
            attempts = 1;
        } else {
            attempts++;
        }
        Action action = decide(cause, event, sequence, attempts);
        if (action == Action.HALT) {
            node.leaveBatch();
            halt(cause);
            return null;
        }
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
