package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.Sequence;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;
import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.DropOldestRequest;
import io.sluice.ringbuffer.ShedHandler;
import io.sluice.ringbuffer.jfr.RingEvents;
import org.jspecify.annotations.Nullable;

/*
 * The cold half of an event processor: start and end. Its time-outs are in LoopTimeouts, its failures in LoopFailures. The hot half, the loop over the events, is in the
 * subclasses, which are defined anew for each class of handlers (see LoopSpecializer). All fields belong to the thread that runs
 * the processor.
 *
 * How it ends:
 *   halt(), by the ring's close()  after the present batch
 *   ring FAILED, by another       once nothing is available and every upstream has ended: siblings run to the cursor,
 *                                 dependents of the failed one to its last finished batch
 *   own failure with HALT         at once; progress stays where the last batch ended
 */
abstract class AbstractLoop<E> extends LoopTimeouts<E> implements EventProcessor {
    /** With 16, events that come every 200 ns arrive 2 to 11 % later than with 3, and those that come every 1,000 ns no sooner. */
    private static final int LOOKS_ALONE = 3;

    SequenceBarrier barrier;

    final Sequence sequence;
    final ConsumerCounters counts;
    final @Nullable WorkerPoolState work;

    @Nullable
    SignalGroup downstream;

    long batchSize;

    private @Nullable Thread thread;
    private boolean started;
    private boolean shutDown;
    private int sinceIdle;

    /** The request of publishers to drop events; null where consumers do not shed. */
    final @Nullable DropOldestRequest<E> shedding;

    /** Whether the last batch left something behind that was there already. */
    boolean behind;

    /**
     * How often a cycle looks again for what is not there yet: a runner's own cycle takes longer than a look, and an event that
     * comes meanwhile waits for its end. Used by the loops of events and of ranges, each in its own class, so that the barrier's
     * call is compiled for that one.
     */
    int looksAgain;

    /** It is to follow a changed graph, which is asked for no more. */
    private boolean rewires;

    AbstractLoop(ConsumerNode<E> node, EventHandler<? super E> handler) {
        super(node, handler);
        this.sequence = node.sequence;
        this.counts = node.counts;
        this.work = node.work;
        this.barrier = node.barrier();
        this.shedding = node.kind == ConsumerKind.CLEARER ? null : ring.dropOldest();
    }

    // start and end

    @Override
    public final void onStart() {
        if (started) {
            return;
        }
        if (isToLeave()) {
            return; // its handler hears of nothing
        }
        started = true;
        adopt();
        joined = true;
        RingEvents.joined(ring.name(), node.name(), node.sequence.getAcquire()); // acquire: as for any monitor
        try {
            enterCall();
            handler.onStart();
        } catch (Throwable t) {
            haltIn("onStart", t);
        } finally {
            node.inHandler = false;
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
            if (!started) {
                return endUnstarted();
            }
            adopt();
        }
        if (done) {
            if (deciding) {
                node.checkNotInHandler("doWork");
            }
            failRing();
            return false;
        }
        node.checkNotInHandler("doWork");
        if (node.owesSignal) {
            settle();
        }
        return node.control() == 0 || node.inHand || handleControl();
    }

    /**
     * Does what the call before may have been cut off from. First of all: who follows sleeps meanwhile, and this one may rest, wait within
     * its handler, or want nothing for a long time.
     */
    private void settle() {
        if (rewires) {
            barrier = node.barrier();
            takeSettings();
            rewires = false;
        }
        node.signalDownstream();
    }

    /** Does what is asked between two batches. */
    private boolean handleControl() {
        int asked = node.obey();
        if (asked == ConsumerNode.HALT) {
            end();
        } else if ((asked & ConsumerNode.REWIRE) != 0) {
            rewires = true; // with no call since it was withdrawn: what cuts this off leaves it to the next call
            node.owesSignal = true;
            settle();
        }
        return ConsumerNode.mayContinue(asked) || park(asked);
    }

    /** It rests, or stays where it is until another has joined or left: that is no pause, and puts off nothing. */
    private boolean park(int asked) {
        retriesSoon = false;
        if (asked != ConsumerNode.HOLD) {
            idling = false;
            if (stalledClaims != null) {
                stalledClaims.forget();
            }
        }
        checkHandlerDeadline();
        return false;
    }

    /** Takes the batch limit and the signals from the node. Called by constructors too, at their end. */
    final void takeSettings() {
        batchSize = Math.min(node.batchSize(), longestBatch());
        downstream = node.downstream;
    }

    /** How many sequences a batch may have at most, whatever the node says. */
    long longestBatch() {
        return Long.MAX_VALUE;
    }

    /** Nothing is available: ends the processor if nothing can come any more, else checks the time-out. */
    final int onEmptyPoll(long next) {
        retriesSoon = false; // what was left undone is not there: others come before it by now, or have it
        if (!life.isRunning() && life.state() == State.FAILED && node.upstreamEnded()) {
            // The order counts: an upstream that has ended makes no more progress, so what is available then is all.
            if (barrier.available(next) < next) {
                end();
            }
        } else if (!idling || timeoutNanos > 0 || handlerDue != SignalledIdle.NO_DEADLINE) {
            checkTimeout(next);
        }
        if (stalledClaims != null) {
            checkStalledClaim(stalledClaims);
        }
        return 0;
    }

    final void onBatchDone() {
        idling = false;
        timedOut = false;
        forgetAttempts();
        retriesSoon = false;
        handlerAsked &= passedOver;
        passedOver = false;
    }

    @Override
    public final int eventsSinceIdle(int work) {
        int all = (int) Math.min((long) sinceIdle + weight(work), Integer.MAX_VALUE);
        sinceIdle = behind ? all : 0;
        return behind ? 0 : all;
    }

    /** As how many events a batch counts for the wait behind it. */
    int weight(int events) {
        return events;
    }

    @Override
    public int backOffBatchLimit() {
        return (int) Math.max(1, ring.capacity() / 4);
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

    @Override
    public final void onClose() {
        if (!done) {
            endInHand();
        }
        if (!done) {
            end();
        }
        failRing();
        if (!shutDown && (started || !isToLeave())) {
            shutDown = true;
            enterCall();
            try {
                handler.onShutdown();
            } catch (Throwable t) {
                long sequence = node.sequence.getPlain(); // plain: this thread writes it
                node.failed(t, sequence, "onShutdown");
                ring.fail(t);
                count(t, sequence, 1, Action.HALT);
                tell(new ConsumerFailedException(ring.name(), node.name()).by(t, sequence, "onShutdown"));
            } finally {
                node.inHandler = false;
            }
        }
        if (unreported) {
            tell(report); // the memory that there was not then may be there now
        }
        leaveClosed();
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

    // workers

    /** Marks the event that a worker has finished, and signals the followers if the stage has moved. Again where it was cut off. */
    final void finishShared(WorkerPoolState pool, long first, long last) {
        if (!node.marked) {
            pool.mark(first, last);
            node.marked = true; // with no call in between: what is marked is another event's before long
        }
        // before the move: who is cut off behind it does not learn that the stage has moved
        node.owesSignal = downstream != null;
        boolean moved = pool.move();
        node.inHand = false;
        node.marked = false;
        if (moved && downstream != null) {
            downstream.signal(); // after the move, which its fence orders before the look at who waits
        }
        node.owesSignal = false;
        onBatchDone();
        counts.batch(1);
    }

    // shedding

    /** Up to where events may be dropped, at most what is available, which was read before; -1 if nothing was asked for. */
    final long dropLimit(long available) {
        return shedding == null ? -1 : Math.min(shedding.asked(), available);
    }

    /**
     * Drops what is due of a range, in place of handling it; the caller publishes the progress.
     *
     * @return false if the processor has ended, or leaves
     */
    final boolean shed(long lo, long hi) {
        ShedHandler<? super E> handler = Check.notNull(shedding, "shedding").handler();
        node.enterBatch(hi);
        long shed = 0;
        try {
            long position = due(lo, hi);
            while (position <= hi) {
                try {
                    handler.onShed(node.name(), ring.get(position), position);
                } catch (Throwable t) {
                    done = true; // before anything is called: see LoopFailures
                    pendingFailure = t;
                    pendingFailureAt = position;
                    Action action = failed(t, ring.get(position), position, position);
                    if (action == null) {
                        return false;
                    } else if (action != Action.SKIP) {
                        continue;
                    }
                }
                shed++;
                position = due(after(position), hi);
            }
        } finally {
            node.inHandler = false;
            node.counts.shed(shed);
            RingEvents.shed(ring.name(), node.name(), shed);
        }
        return true;
    }

    /** The position behind an event. */
    long after(long position) {
        return position + 1;
    }

    /** The first position from `from` on that this consumer does not pass over; beyond `hi` if there is none up to there. */
    abstract long due(long from, long hi);
}
