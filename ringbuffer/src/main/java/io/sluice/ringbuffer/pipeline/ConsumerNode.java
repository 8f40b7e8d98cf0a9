package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy;
import io.sluice.core.Sequence;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;
import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.Follower;
import io.sluice.ringbuffer.SlotMarks;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A consumer in the graph, from its declaration on: its settings, its progress, its end. The loop that runs it comes with
 * the pipeline's start; until then it gates the ring all the same.
 */
final class ConsumerNode<E> implements ConsumerHandle, ConsumerSettings<E>, Follower {
    /** How it was declared; a handler may be of both kinds. */
    enum Kind {
        EVENTS,
        BATCHES,
        POLLER,
        WORKER,
        PARTITION,
        /** Empties events behind all leaves. */
        CLEARER
    }

    final Pipeline<E> pipeline;
    final FollowedRing<E> ring;
    final Object handler;
    final Kind kind;

    /** The end of the present batch while the handler is called outside of any. */
    private static final long NO_BATCH = Long.MIN_VALUE;

    // asked of the thread that runs it, which looks between two batches; bits of `control`
    static final int HALT = 1;
    static final int LEAVE = 2;
    static final int PAUSE = 4;
    /** Stay between two batches; answered by HELD. Set and cleared under the lock of the graph. */
    static final int HOLD = 8;

    static final int HELD = 16;
    /** The upstream, the batch limit or the signals have changed. */
    static final int REWIRE = 32;
    /** A colleague has failed: take no further event. */
    static final int STAGE_FAILED = 64;

    /**
     * Its progress: written by its own thread with release, after a batch; acquired by dependents and producers. A worker's is
     * that of its stage, written by any of its workers.
     */
    final Sequence sequence;

    /** What it shares with its colleagues, null if it is no worker. */
    final @Nullable WorkerPoolState work;

    /** Which keys are its own, null if all are. Set before it is shared. */
    @Nullable
    Partition<? super E> partition;

    /** What its handler marks finished for those behind it, null if it may not. Set before the first claim. */
    @Nullable
    SlotMarks finishing;

    /**
     * What those that it follows, directly or through others, may have finished: fixed before it handles anything, so that it
     * knows what a consumer has finished that has left since. Null until the start.
     */
    private @Nullable Set<SlotMarks> finishedBefore;

    /** What it counts: written by its own thread, for monitors. */
    final ConsumerCounters counts = new ConsumerCounters();

    /** The last sequence that is not its own: what it had not to handle. Set before it is among the ring's consumers. */
    long base = Sequence.INITIAL;

    // settings, by the thread that builds the pipeline
    private String name;
    private @Nullable String thread;
    private @Nullable FailurePolicy<? super E> policy;
    private long batchLimit;
    private long timeoutNanos;
    boolean dependedOn;
    /** Whom progress wakes; null if no dependent blocks. */
    @Nullable
    SignalGroup downstream;

    // the thread that runs it
    private boolean inHandler;
    private long batchEnd;

    // written by the thread that runs it, read by any
    private @Nullable Thread runner;
    private @Nullable SignalledIdle idle;
    private boolean ended;
    private @Nullable Throwable failure;
    private long failedAt; // before the failure, once

    /** Made beforehand, for a failure that leaves no memory. */
    private final java.util.function.Consumer<ConsumerNode<E>> stopsColleague = this::stopIfColleague;

    // written by any, by CAS: what is asked of the thread that runs it
    private int control;

    // written under the lock of the graph
    private List<ConsumerNode<E>> upstream;
    private boolean left;

    /** Whether a thread of the pipeline runs it, which may not have begun yet. Under the lock of the pipeline. */
    boolean threaded;

    /** Whom it follows now: what `upstream` was when its thread last looked. That thread's only, once it runs. */
    private List<ConsumerNode<E>> follows;

    /** The first sequence that it handles; set before it is shared. */
    private long joinedFrom;

    ConsumerNode(
            Pipeline<E> pipeline,
            FollowedRing<E> ring,
            Object handler,
            Kind kind,
            String name,
            List<ConsumerNode<E>> upstream,
            @Nullable WorkerPoolState work) {
        this.pipeline = pipeline;
        this.ring = ring;
        this.handler = handler;
        this.kind = kind;
        this.name = name;
        this.upstream = upstream;
        this.follows = upstream;
        this.work = work;
        this.sequence = work == null ? new Sequence() : work.progress;
    }

    // settings

    @Override
    public ConsumerSettings<E> name(String newName) {
        Check.notNull(newName, "name");
        pipeline.checkNotStarted("name");
        if (!newName.equals(name)) {
            pipeline.checkNameFree(newName);
        }
        name = newName;
        return this;
    }

    @Override
    public ConsumerSettings<E> onFailure(FailurePolicy<? super E> newPolicy) {
        Check.notNull(newPolicy, "policy");
        pipeline.checkNotStarted("onFailure");
        checkPolicy(newPolicy);
        policy = newPolicy;
        return this;
    }

    @Override
    public ConsumerSettings<E> batchLimit(long limit) {
        Check.inRange(limit, 1, Long.MAX_VALUE, "limit");
        pipeline.checkNotStarted("batchLimit");
        batchLimit = limit;
        return this;
    }

    @Override
    public ConsumerSettings<E> timeout(long nanos) {
        Check.inRange(nanos, 1, Long.MAX_VALUE, "nanos");
        pipeline.checkNotStarted("timeout");
        timeoutNanos = nanos;
        return this;
    }

    @Override
    public ConsumerSettings<E> thread(String newThread) {
        Check.notNull(newThread, "thread");
        pipeline.checkNotStarted("thread");
        thread = newThread;
        return this;
    }

    @Override
    public ConsumerSettings<E> finishesEvents() {
        pipeline.checkNotStarted("finishesEvents");
        if (kind == Kind.POLLER || kind == Kind.CLEARER) {
            throw new IllegalArgumentException(
                    "finishesEvents must be set for an event handler or a handler of ranges, but consumer " + name
                            + " is neither");
        }
        if (ring.dropOldest() != null) {
            throw new IllegalStateException("finishesEvents of " + name
                    + " must be set on a ring built without shedding, but the ring was built with shedding");
        }
        ring.beforeFirstClaim("finishesEvents", () -> {
            if (finishing == null) {
                finishing = new SlotMarks(ring.slots().length);
                finishing.allocate();
            }
        });
        return this;
    }

    /** What it passes over: aborted events, and those that somebody before it has finished. */
    SlotMarks skips() {
        Set<SlotMarks> finished = finishedBefore();
        return finished.isEmpty()
                ? ring.aborted()
                : new CombinedMarks(ring.slots().length, ring.aborted(), finished.toArray(SlotMarks[]::new));
    }

    /** The marks of all consumers that it follows, directly or through others, and that may finish events. */
    Set<SlotMarks> finishedBefore() {
        Set<SlotMarks> fixed = finishedBefore;
        return fixed == null ? finishedByUpstream() : fixed;
    }

    /** A walk over nodes, not over the ways to them: those are many where layers follow layers. */
    private Set<SlotMarks> finishedByUpstream() {
        Set<SlotMarks> finished = new LinkedHashSet<>();
        Set<ConsumerNode<E>> met = new LinkedHashSet<>(upstreamAcquire());
        Deque<ConsumerNode<E>> due = new ArrayDeque<>(met);
        while (!due.isEmpty()) {
            ConsumerNode<E> one = due.pop();
            Set<SlotMarks> fixed = one.finishedBefore;
            if (one.finishing != null) {
                finished.add(one.finishing);
            }
            if (fixed != null) {
                finished.addAll(fixed);
            } else {
                for (ConsumerNode<E> other : one.upstreamAcquire()) {
                    if (met.add(other)) {
                        due.push(other);
                    }
                }
            }
        }
        return finished;
    }

    /** Who follows whom is known: at the start, or under the lock of the graph by one that joins. */
    void fixFinishedBefore() {
        finishedBefore = Set.copyOf(finishedByUpstream()); // immutable: a poller's thread may see it without any order
    }

    FailurePolicy<? super E> policy() {
        return policy == null ? pipeline.policy() : policy;
    }

    /** How many sequences a batch may span: a quarter of the ring, and the limit. */
    long batchSize() {
        long limit = batchLimit > 0 ? batchLimit : dependedOn ? DEPENDED_ON_BATCH_LIMIT : Long.MAX_VALUE;
        return Math.max(1, Math.min(ring.capacity() / 4, limit));
    }

    long timeoutNanos() {
        return timeoutNanos;
    }

    String thread() {
        return thread == null ? name : thread;
    }

    /** A worker has no batch to rewind. */
    void checkPolicy(FailurePolicy<? super E> checked) {
        if (work != null && checked.mayRewind()) {
            throw new IllegalArgumentException(
                    "failure policy of worker " + name
                            + " must skip, retry or halt, since each event of a worker is a batch of its own, but rewinds batches");
        }
    }

    /** For one that joins: what the settings are otherwise for. */
    void settings(@Nullable FailurePolicy<? super E> ownPolicy, long limit, long nanos) {
        policy = ownPolicy;
        batchLimit = limit;
        timeoutNanos = nanos;
    }

    /** For one that joins, before it is shared. */
    void startAfter(long finished) {
        joinedFrom = finished + 1;
        base = finished;
        sequence.setRelease(finished); // release: what is published up to there, which the joiner has acquired
    }

    /** For a worker that joins others, before it is shared. */
    void startSharing(ConsumerNode<E> with) {
        joinedFrom = Check.notNull(work, "work").next();
        finishing = with.finishing;
        finishedBefore = Set.copyOf(with.finishedBefore());
    }

    /** Whether it is a worker of the same stage, or the same consumer. */
    boolean isColleagueOf(ConsumerNode<?> other) {
        return this == other || (work != null && work == other.work);
    }

    /** The last sequence that it, or a colleague, has begun with. Exact while they are held. */
    long reached() {
        return work == null ? sequence.getAcquire() : work.next() - 1; // acquire: with its last progress
    }

    /** Ends the other workers of its stage after their present events, retries included. */
    void failStage() {
        pipeline.nodes().forEach(stopsColleague); // no iterator: allocates nothing
        ring.wakeAll();
    }

    private void stopIfColleague(ConsumerNode<E> one) {
        if (one != this && one.isColleagueOf(this)) {
            one.ask(STAGE_FAILED);
        }
    }

    /** A barrier behind its present upstream. The thread that runs it, or before it runs. */
    SequenceBarrier barrier() {
        follows = upstreamAcquire();
        SequenceView[] views = follows.stream()
                .map(node -> node.sequence)
                .distinct()
                .toArray(SequenceView[]::new); // workers share one
        return ring.newBarrier(views);
    }

    // the thread that runs it

    /**
     * Between two batches, before the look at what is asked. A thread that takes over makes a full fence, once.
     *
     * <p>Somebody else may be about to act in the stead of the thread that ran it before: see {@link #isAtRest}.
     */
    void runBy(Thread current) {
        if ((Thread) RUNNER.getOpaque(this) != current) { // opaque: a thread finds itself, or another
            RUNNER.setOpaque(this, current); // opaque: ordered by the fence
            VarHandle.fullFence(); // full: the runner | what is asked; pairs with the fence in isAtRest
        }
    }

    /** How its thread waits, where that can be signalled. */
    void idlesBy(SignalledIdle newIdle) {
        IDLE.setRelease(this, newIdle); // release: the strategy's fields, to monitors
    }

    @Override
    public @Nullable SignalledIdle idle() {
        return (SignalledIdle) IDLE.getAcquire(this); // acquire: sees the strategy's fields
    }

    @Override
    public @Nullable Thread runner() {
        return (Thread) RUNNER.getOpaque(this); // opaque: for monitors; a thread's name and state are its own business
    }

    /** Refuses a call that would begin a batch within a batch, which would hand out the same events again. */
    void checkNotInHandler(String call) {
        if (inHandler) {
            throw withinHandler(call);
        }
    }

    private IllegalStateException withinHandler(String call) {
        return new IllegalStateException(call + " must be called once the handler of " + name
                + " has returned, but the handler is at work: it would hand out the same events again");
    }

    void enterBatch(long hi) {
        inHandler = true;
        batchEnd = hi;
    }

    /** The handler is called outside a batch: it can not wait for itself there either, and has no event to finish. */
    void enterCall() {
        enterBatch(NO_BATCH);
    }

    void leaveBatch() {
        inHandler = false;
    }

    @Override
    public void progress(long finished) {
        if (!isRunBy(Thread.currentThread()) || !inHandler) {
            throw new IllegalStateException("progress(" + finished + ") must be called within the handler of " + name
                    + ", but was called from outside");
        }
        if (work != null) {
            throw new IllegalStateException("progress(" + finished
                    + ") must be called by a consumer of whole batches, but was called from worker " + name
                    + ", whose event is finished when its handler returns");
        }
        checkInBatch("progress", finished);
        Check.inRange(finished, sequence.getPlain() + 1, batchEnd, "sequence");
        sequence.setRelease(
                finished); // release: the handler is done with these slots; dependents and producers acquire
        if (downstream != null) {
            downstream.signal();
        }
    }

    @Override
    public void finish(long event) {
        if (!isRunBy(Thread.currentThread()) || !inHandler) {
            throw new IllegalStateException("finish(" + event + ") must be called within the handler of " + name
                    + ", but was called from outside");
        }
        if (finishing == null) {
            throw new IllegalStateException(
                    "finish(" + event + ") must be called by a consumer declared with finishesEvents(), but " + name
                            + " was not declared so");
        }
        checkInBatch("finish", event);
        Check.inRange(event, work == null ? sequence.getPlain() + 1 : batchEnd, batchEnd, "sequence");
        finishing.mark(event, event); // before the progress, whose acquire makes the mark visible
    }

    private void checkInBatch(String call, long event) {
        if (batchEnd == NO_BATCH) {
            throw new IllegalStateException(
                    call + "(" + event + ") must be called within an event or a batch, but was called by " + name
                            + " outside an event, as from onStart, onTimeout or onShutdown");
        }
    }

    /**
     * Notes its first failure. The thread that runs it.
     *
     * @param at the event's sequence; where there is no event, the last one finished
     */
    void failed(Throwable cause, long at) {
        if (failure() == null) {
            failedAt = at; // before the CAS, by which monitors see it
            FAILURE.compareAndSet(this, null, cause); // CAS: the first failure is the one that counts
        }
    }

    @Override
    public long failedAt() {
        return failedAt;
    }

    void end() {
        ENDED.setRelease(this, true); // release: the last progress comes before
        ring.wakeAll();
    }

    // any thread

    @Override
    public boolean isEnded() {
        return (boolean) ENDED.getAcquire(this); // acquire: who sees the end sees the last progress
    }

    /** Whether it follows the publications. The thread that runs it. */
    boolean followsPublications() {
        return follows.isEmpty();
    }

    boolean upstreamEnded() {
        for (ConsumerNode<E> node : follows) {
            if (!node.isEnded()) {
                return false;
            }
        }
        // after the ends, whose acquire shows what was asked before: an upstream that left is no end
        return (control() & REWIRE) == 0;
    }

    void halt() {
        markHalted();
        ring.wakeAll();
    }

    /** To be followed by {@link FollowedRing#wakeAll}. */
    void markHalted() {
        ask(HALT);
    }

    void ask(int bits) {
        change(0, bits);
    }

    void withdraw(int bits) {
        change(bits, 0);
    }

    private void change(int cleared, int set) {
        int word;
        do {
            word = control();
        } while (!CONTROL.compareAndSet(
                this, word, (word & ~cleared) | set)); // CAS: several ask; what led to it is seen
    }

    /** What is asked: the one look a batch. */
    int control() {
        return (int) CONTROL.getAcquire(this); // acquire: who goes on after a hold has seen what was changed meanwhile
    }

    boolean isHalted() {
        return (control() & HALT) != 0;
    }

    /** Answers a hold, unless it is over. The thread that runs it, between two batches, or who knows that none does. */
    void confirmHold() {
        int word = control();
        while ((word & (HOLD | HELD)) == HOLD && !CONTROL.compareAndSet(this, word, word | HELD)) { // CAS: never after
            word = control();
        }
    }

    /** Whether it stays where it is until the hold is withdrawn. */
    boolean isHeld() {
        return (control() & HELD) != 0 || isEnded(); // acquire inside: its progress is final
    }

    /**
     * Whether no thread is inside a batch, nor can be unless the caller is: it is the caller's own, or its thread died. The
     * caller has asked for something before, and acts on the answer as if it were the consumer's thread.
     *
     * <p>Another thread may take over meanwhile. It stores itself as the runner, makes a full fence, and looks at what is asked
     * before its first batch. The caller has asked, makes a full fence, and looks at the runner. So the caller finds the other
     * thread here, or the other thread finds what the caller has asked (Dekker). A thread that stays makes no fence: it was
     * found here long ago.
     */
    boolean isAtRest() {
        VarHandle.fullFence(); // full: what is asked | the runner; pairs with the fence in runBy
        Thread thread = (Thread) RUNNER.getOpaque(this); // opaque: ordered by the fence; an end is asked of the thread
        return thread != null && (thread == Thread.currentThread() ? !inHandler : !thread.isAlive());
    }

    /** Whether no thread has begun to run it, though one may. One that begins finds what was asked before: as isAtRest. */
    boolean isUntouched() {
        VarHandle.fullFence(); // full: as in isAtRest
        return pipeline.hasStarted() && RUNNER.getOpaque(this) == null; // opaque: ordered by the fence
    }

    boolean isPaused() {
        return (control() & PAUSE) != 0;
    }

    boolean isRun() {
        return RUNNER.getOpaque(this) != null; // opaque: a hint
    }

    @SuppressWarnings("unchecked") // the field's own type
    List<ConsumerNode<E>> upstreamAcquire() {
        return (List<ConsumerNode<E>>) UPSTREAM.getAcquire(this); // acquire: sees the nodes' contents
    }

    /** Under the lock of the graph; to be followed by REWIRE. */
    void follow(List<ConsumerNode<E>> newUpstream) {
        UPSTREAM.setRelease(this, newUpstream); // release: the nodes' contents
    }

    void markLeft() {
        LEFT.setRelease(this, true); // release: it gates nothing any more
    }

    boolean hasLeft() {
        return (boolean) LEFT.getAcquire(this); // acquire: who sees it sees the graph without it
    }

    boolean isRunBy(Thread thread) {
        return (Thread) RUNNER.getOpaque(this) == thread; // opaque: a thread finds itself, or nobody
    }

    /** Whether the calling thread is inside its handler. */
    boolean isInOwnHandler() {
        if (!isRunBy(Thread.currentThread()) || !inHandler) {
            return false;
        }
        VarHandle.acquireFence(); // acquire: a flag that another thread has set comes after that thread's name
        return isRunBy(Thread.currentThread());
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public long lag() {
        return Math.max(0, ring.cursor().get() - sequence.getAcquire()); // acquire: as good as any for a monitor
    }

    @Override
    public State state() {
        if (failure() != null) {
            return State.FAILED;
        }
        return isEnded() ? State.CLOSED : ring.state();
    }

    @Override
    public @Nullable Throwable failure() {
        return (Throwable) FAILURE.getAcquire(this); // acquire: sees the throwable's contents
    }

    @Override
    public long joinedFrom() {
        return joinedFrom;
    }

    @Override
    public void pause() {
        ask(PAUSE);
    }

    @Override
    public void resume() {
        withdraw(PAUSE);
        ring.wakeAll();
    }

    @Override
    public boolean remove(long timeoutNanos) {
        return pipeline.graph.remove(this, timeoutNanos);
    }

    @Override
    public SequenceView sequence() {
        return sequence;
    }

    // for monitors

    @Override
    public List<? extends Follower> upstream() {
        return upstreamAcquire();
    }

    @Override
    public long base() {
        return base;
    }

    @Override
    public boolean isWorker() {
        return work != null;
    }

    @Override
    public boolean sharesProgressWith(Follower other) {
        return other instanceof ConsumerNode<?> node && isColleagueOf(node);
    }

    @Override
    public long currentEvent() {
        return counts.event();
    }

    @Override
    public long batches(int bucket) {
        return counts.batches(bucket);
    }

    @Override
    public long failures() {
        return counts.failures();
    }

    @Override
    public long shed() {
        return counts.shed();
    }

    @Override
    public String toString() {
        return name + "{" + state() + ", at " + sequence + "}";
    }

    private static final VarHandle RUNNER;
    private static final VarHandle IDLE;
    private static final VarHandle ENDED;
    private static final VarHandle FAILURE;
    private static final VarHandle CONTROL;
    private static final VarHandle UPSTREAM;
    private static final VarHandle LEFT;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            RUNNER = lookup.findVarHandle(ConsumerNode.class, "runner", Thread.class);
            IDLE = lookup.findVarHandle(ConsumerNode.class, "idle", SignalledIdle.class);
            ENDED = lookup.findVarHandle(ConsumerNode.class, "ended", boolean.class);
            FAILURE = lookup.findVarHandle(ConsumerNode.class, "failure", Throwable.class);
            CONTROL = lookup.findVarHandle(ConsumerNode.class, "control", int.class);
            UPSTREAM = lookup.findVarHandle(ConsumerNode.class, "upstream", List.class);
            LEFT = lookup.findVarHandle(ConsumerNode.class, "left", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
