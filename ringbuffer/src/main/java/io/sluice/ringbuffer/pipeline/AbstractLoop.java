package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.Sequence;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;
import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.AbandonedClaim;
import io.sluice.ringbuffer.DropOldestRequest;
import io.sluice.ringbuffer.ShedHandler;
import io.sluice.ringbuffer.StalledClaimDetector;
import io.sluice.ringbuffer.jfr.RingEvents;
import org.jspecify.annotations.Nullable;

/*
 * The cold half of an event processor: start, end, time-outs; its failures are in LoopFailures. The hot half, the loop over the events, is in the
 * subclasses, which are defined anew for each class of handlers (see LoopSpecializer). All fields belong to the thread that runs
 * the processor.
 *
 * How it ends:
 *   halt(), by the ring's close()  after the present batch
 *   ring FAILED, by another       once nothing is available and every upstream has ended: siblings run to the cursor,
 *                                 dependents of the failed one to its last finished batch
 *   own failure with HALT         at once; progress stays where the last batch ended
 */
abstract class AbstractLoop<E> extends LoopFailures<E> implements EventProcessor {
    /** With 16, events that come every 200 ns arrive 2 to 11 % later than with 3, and those that come every 1,000 ns no sooner. */
    private static final int LOOKS_ALONE = 3;

    /** A handler that wants its time-out later than this, some 146 years, is asked again then: no sum overflows. */
    private static final long MAX_WAIT = Long.MAX_VALUE / 2;

    /** After what time a handler that finished nothing is called again at the latest, and one that failed without an event. */
    private static final long RETRY_NANOS = 100_000;

    /** Of handlers of ranges, which have no other method. Not in BatchLoop: a lambda of a copy keeps the copy, and so its handler's class. */
    static final EventHandler<Object> RANGES_ONLY = (event, sequence, endOfBatch) -> {};

    SequenceBarrier barrier;

    /** Its hot method is called by the copies only; the others here. */
    final EventHandler<? super E> handler;

    final Sequence sequence;
    final ConsumerCounters counts;
    final @Nullable WorkerPoolState work;

    @Nullable
    SignalGroup downstream;

    long batchSize;

    private final long timeoutNanos;

    private @Nullable Thread thread;
    private boolean started;
    private boolean shutDown;
    private long idleSince;
    private boolean idling;
    private boolean timedOut;
    private boolean handlerAsked; // since its last batch, or its last time-out: no pause puts off what it owes
    private long handlerDue = SignalledIdle.NO_DEADLINE; // when the handler wants its time-out, or is asked again
    private boolean asksAgain; // the question has failed, and is to be asked again
    private boolean tellsAgain; // the time-out has failed, and is to be told again
    private boolean retriesSoon;
    private int sinceIdle;
    private final @Nullable StalledClaimDetector stalledClaims;

    /** What publishers ask to be dropped; null where consumers do not shed. */
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
        super(node);
        this.handler = handler;
        this.sequence = node.sequence;
        this.counts = node.counts;
        this.work = node.work;
        this.barrier = node.barrier();
        this.timeoutNanos = Math.min(node.settings.timeoutNanos, MAX_WAIT);
        this.stalledClaims = ring.newStalledClaimDetector();
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
        return ConsumerNode.mayContinue(asked) || park();
    }

    /** Nothing is due before it is asked to go on, but to the handler. */
    private boolean park() {
        idling = false;
        retriesSoon = false;
        if (stalledClaims != null) {
            stalledClaims.forget();
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

    /** Nothing is available: perhaps since a claim is neither published nor aborted. Told by those who follow publications. */
    private void checkStalledClaim(StalledClaimDetector detector) {
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

    private void checkTimeout(long next) {
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

    final void onBatchDone() {
        idling = false;
        timedOut = false;
        handlerAsked = false;
        forgetAttempts();
        retriesSoon = false;
    }

    /**
     * A handler left everything undone, which no publication will announce again: it is called again before long. The clock is read
     * by who is about to park only: one that spins comes here at each look.
     */
    final void tryAgainSoon() {
        retriesSoon = true;
    }

    @Override
    public final long deadline() {
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

    /** What a worker took is done: marks it, and tells those who follow if the stage has moved. Again where it was cut off. */
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
                position = due(position + 1, hi);
            }
        } finally {
            node.inHandler = false;
            node.counts.shed(shed);
            RingEvents.shed(ring.name(), node.name(), shed);
        }
        return true;
    }

    /** The first position from `from` on that this consumer does not pass over; beyond `hi` if there is none up to there. */
    abstract long due(long from, long hi);
}
