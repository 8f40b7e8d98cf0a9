package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy;
import io.sluice.core.Sequence;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.core.access.VarHandles;
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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A consumer in the graph, from its declaration on. Its loop comes with the pipeline's start; it gates the ring before that too. */
final class ConsumerNode<E> extends ConsumerControl implements ConsumerHandle, Follower {
    /** Its pipeline, as far as a consumer knows it. */
    interface Owner<E> {
        /** Whether the graph is complete, so that consumers may leave. Any thread; once true, true for ever. */
        boolean hasStarted();

        /** The failure policy of consumers that have none of their own. */
        FailurePolicy<? super E> policy();

        /** Calls a reader with each consumer that is present. Allocates nothing. Any thread. */
        void forEachConsumer(Consumer<ConsumerNode<E>> reader);

        /** As {@link ConsumerHandle#remove}. */
        Removal remove(ConsumerNode<E> node, long timeoutNanos);

        /** Takes the node out, between two of its batches, by its thread or on its behalf; false if another thread changes the graph. */
        boolean tryUnlink(ConsumerNode<E> node);

        /** As {@link io.sluice.ringbuffer.Followers#takeOutRefused}, of one that has left. */
        void takeOutRefused(ConsumerNode<E> left);

        /** Reports a failure that halts a consumer; false if there was no memory to do so. */
        boolean report(ConsumerFailedException failure);
    }

    final Owner<E> owner;
    final FollowedRing<E> ring;
    final Object handler;
    final ConsumerKind kind;

    /**
     * Its progress: written by its own thread with release, after a batch; acquired by dependents and producers. A worker's is
     * that of its stage, written by any of its workers.
     */
    final Sequence sequence;

    /** The state that it shares with its colleagues, null if it is no worker. */
    final @Nullable WorkerPoolState work;

    /** The keys that are its own, null if all are. Set before it is shared. */
    @Nullable
    Partition<? super E> partition;

    /** The marks of events that its handler has finished for the consumers behind it, null if it may not. Set before the first claim. */
    @Nullable
    SlotMarks finishing;

    /** As {@link #finishedBefore()}: fixed at its start, since the consumers that it follows may leave later; null before. */
    private @Nullable Set<SlotMarks> finishedBefore;

    /** Its counters: written by its own thread, for monitors. */
    final ConsumerCounters counts = new ConsumerCounters();

    /** The last sequence before those that it handles. Set before it is among the ring's consumers. */
    long base = Sequence.INITIAL;

    final NewConsumer<E> settings;
    private String name; // settled before the node is among the pipeline's consumers, which publish it

    boolean dependedOn;

    // written by the thread that runs it, read by any
    private @Nullable SignalledIdle idle;
    private @Nullable Throwable failure;
    private long failedAt; // before the failure, once
    private @Nullable String failedIn; // as failedAt; null if at an event

    /** Made beforehand, for a failure that leaves no memory. */
    private final Consumer<ConsumerNode<E>> stopsColleague = this::stopIfColleague;

    // written under the lock of the graph: its upstream, in full and without those that have only joined before it
    private List<ConsumerNode<E>> upstream;
    List<ConsumerNode<E>> ownUpstream;

    /** Whether a thread of the pipeline runs it; that may not have begun yet. Under the lock of the pipeline. */
    boolean threaded;

    /** Its upstream now: `upstream` as it was when its thread last looked. That thread's only, once it runs. */
    private List<ConsumerNode<E>> follows;

    /** The first sequence that it handles; set before it is shared. */
    private long joinedFrom;

    ConsumerNode(
            Owner<E> owner,
            FollowedRing<E> ring,
            NewConsumer<E> settings,
            ConsumerKind kind,
            String name,
            List<ConsumerNode<E>> upstream,
            @Nullable WorkerPoolState work) {
        this.owner = owner;
        this.ring = ring;
        this.settings = settings;
        this.handler = settings.handler;
        this.kind = kind;
        this.name = name;
        this.upstream = upstream;
        this.ownUpstream = upstream;
        this.follows = upstream;
        this.work = work;
        this.sequence = work == null ? new Sequence() : work.progress;
    }

    /** Before the first claim. */
    void allowFinishing() {
        finishing = new SlotMarks((int) ring.capacity());
        if (work != null) {
            work.finishing.add(finishing);
        }
    }

    /** The marks of the events that it passes over: aborted ones, and those that a consumer before it has finished. */
    SlotMarks skips() {
        Set<SlotMarks> finished = finishedBefore();
        return finished.isEmpty()
                ? ring.aborted()
                : new CombinedMarks(ring.aborted(), finished.toArray(SlotMarks[]::new));
    }

    /** The marks of all consumers that it follows, directly or through others, and that may finish events. */
    Set<SlotMarks> finishedBefore() {
        Set<SlotMarks> fixed = finishedBefore;
        return fixed == null ? finishedByUpstream() : fixed;
    }

    /** Walks over the nodes, not over the paths to them: there are many paths where layers follow layers. */
    private Set<SlotMarks> finishedByUpstream() {
        Set<SlotMarks> finished = new LinkedHashSet<>();
        Set<ConsumerNode<E>> met = new LinkedHashSet<>(upstreamAcquire());
        Deque<ConsumerNode<E>> due = new ArrayDeque<>(met);
        while (!due.isEmpty()) {
            ConsumerNode<E> one = due.pop();
            Set<SlotMarks> fixed = one.finishedBefore;
            if (one.work != null) {
                finished.addAll(one.work.finishing); // those of workers that have left, too
            } else if (one.finishing != null) {
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

    /** Called once its upstream is known: at the start, or by a joiner under the lock of the graph. */
    void fixFinishedBefore() {
        finishedBefore = Set.copyOf(finishedByUpstream()); // immutable: a poller's thread may see it without any order
    }

    FailurePolicy<? super E> policy() {
        return settings.policy == null ? owner.policy() : settings.policy;
    }

    /** How many sequences a batch may span: a quarter of the ring, and the limit. */
    long batchSize() {
        long limit = settings.batchLimit > 0
                ? settings.batchLimit
                : dependedOn ? NewConsumer.DEPENDED_ON_BATCH_LIMIT : Long.MAX_VALUE;
        return Math.max(1, Math.min(ring.capacity() / 4, limit));
    }

    String thread() {
        return settings.thread == null ? name : settings.thread;
    }

    /** Refuses a policy that rewinds: a worker has no batch to rewind. */
    void checkPolicy() {
        if (work != null) {
            NewConsumer.checkWorkerPolicy(name, policy());
        }
    }

    /** For a joiner, before it is shared. Under the lock of the graph: another may have taken its name meanwhile. */
    void rename(String settled) {
        name = settled;
    }

    /** For a joiner, before it is shared. */
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
        owner.forEachConsumer(stopsColleague);
        ring.wakeAll();
    }

    private void stopIfColleague(ConsumerNode<E> one) {
        if (one != this && one.isColleagueOf(this)) {
            one.ask(STAGE_FAILED);
        }
    }

    /** A barrier behind its present upstream; made later if there is no memory now. By the thread that runs it, or before it runs. */
    SequenceBarrier barrier() {
        try {
            follows = upstreamAcquire();
            // lower requests are over, their events are published; all count where its upstream may have heeded them
            minAsk = follows.isEmpty() && ring.dropOldest() != null
                    ? ring.cursor().get() - ring.window() + 1
                    : 0;
            SequenceView[] views = follows.stream()
                    .map(node -> node.sequence)
                    .distinct()
                    .toArray(SequenceView[]::new); // workers share one
            return work != null && views.length == 0 ? ring.workersBarrier() : ring.newBarrier(views);
        } catch (Throwable t) {
            ask(REWIRE);
            throw t;
        }
    }

    // the thread that runs it

    /** Sets the idle strategy of its thread, null if that cannot be signalled. */
    void idlesBy(@Nullable SignalledIdle newIdle) {
        IDLE.setRelease(this, newIdle); // release: the strategy's fields, to monitors
    }

    @Override
    public @Nullable SignalledIdle idle() {
        return (SignalledIdle) IDLE.getAcquire(this); // acquire: sees the strategy's fields
    }

    /** Refuses a call that would begin a batch within a batch, which would hand out the same events again. */
    void checkNotInHandler(String call) {
        if (isInHandler()) {
            throw withinHandler(call);
        }
    }

    private IllegalStateException withinHandler(String call) {
        return new IllegalStateException(call + " must be called once the handler of " + name
                + " has returned, but the handler is at work: it would hand out the same events again");
    }

    @Override
    public void progress(long finished) {
        checkInBatch("progress", finished);
        if (work != null) {
            throw new IllegalStateException("progress(" + finished
                    + ") must be called by a consumer of whole batches, but was called from worker " + name
                    + ", whose event is finished when its handler returns");
        }
        MessageRingRules.refuse(ring, "progress", "a ControlledMessageHandler returns COMMIT for it");
        Check.inRange(finished, sequence.getPlain() + 1, batchEnd(), "sequence");
        sequence.setRelease(finished); // release: it is done with these slots; dependents and producers acquire
        owesSignal = true;
        signalDownstream();
    }

    @Override
    public void finish(long event) {
        checkInBatch("finish", event);
        if (finishing == null) {
            throw new IllegalStateException(
                    "finish(" + event + ") must be called by a consumer declared with finishesEvents(), but " + name
                            + " was not declared so");
        }
        long first = work == null ? sequence.getPlain() + 1 : batchEnd(); // plain: this thread writes it
        Check.inRange(event, first, batchEnd(), "sequence");
        MessageRingRules.checkBegins(ring, finishedAt > event ? first : Math.max(first, finishedAt), event);
        finishedAt = event;
        finishing.mark(event, event); // before the progress, whose acquire makes the mark visible
    }

    private void checkInBatch(String call, long event) {
        if (!isRunBy(Thread.currentThread()) || !isInHandler()) {
            throw new IllegalStateException(call + "(" + event + ") must be called within the handler of " + name
                    + ", but was called from outside");
        }
        if (!isInBatch()) {
            throw new IllegalStateException(
                    call + "(" + event + ") must be called within an event or a batch, but was called by " + name
                            + " outside an event, as from onStart, onTimeout or onShutdown");
        }
    }

    /** Notes its first failure: at an event, or in a method and behind the last event finished. The thread that runs it. */
    void failed(Throwable cause, long at, @Nullable String in) {
        if (failure() == null) {
            failedAt = at; // before the CAS, by which monitors see it
            failedIn = in;
            FAILURE.compareAndSet(this, null, cause); // CAS: the first failure is the one that counts
        }
    }

    @Override
    public String failedWhere() {
        return failedIn == null ? "at sequence " + failedAt : "in " + failedIn; // as ConsumerFailedException
    }

    void end() {
        markEnded();
        ring.wakeAll();
    }

    @Override
    boolean tryUnlink() {
        return owner.tryUnlink(this);
    }

    // any thread

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
        // after the ends, whose acquire shows earlier requests: an upstream that left is no end
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

    /** Whether no thread has begun to run it since the start, though one may. A thread that begins finds earlier requests. */
    boolean isUntouched() {
        return owner.hasStarted() && wasNeverRun();
    }

    @SuppressWarnings("unchecked") // the field's own type
    List<ConsumerNode<E>> upstreamAcquire() {
        return (List<ConsumerNode<E>>) UPSTREAM.getAcquire(this); // acquire: sees the nodes' contents
    }

    /** Under the lock of the graph; to be followed by REWIRE. */
    void follow(List<ConsumerNode<E>> newUpstream, List<ConsumerNode<E>> newOwn) {
        ownUpstream = newOwn;
        UPSTREAM.setRelease(this, newUpstream); // release: the nodes' contents
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
    public Removal remove(long timeoutNanos) {
        return owner.remove(this, timeoutNanos);
    }

    @Override
    public SequenceView sequence() {
        return sequence;
    }

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

    private static final VarHandle IDLE =
            VarHandles.field(MethodHandles.lookup(), ConsumerNode.class, "idle", SignalledIdle.class);
    private static final VarHandle FAILURE =
            VarHandles.field(MethodHandles.lookup(), ConsumerNode.class, "failure", Throwable.class);
    private static final VarHandle UPSTREAM =
            VarHandles.field(MethodHandles.lookup(), ConsumerNode.class, "upstream", List.class);
}
