package io.sluice.ringbuffer;

import io.sluice.core.FailurePolicy;
import io.sluice.core.Sequence;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;
import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A consumer in the graph, from its declaration on: its settings, its progress, its end. The loop that runs it comes with
 * the pipeline's start; until then it gates the ring all the same.
 */
final class ConsumerNode<E> implements Consumer, ConsumerSettings<E> {
    /** How it was declared; a handler may be of both kinds. */
    enum Kind {
        EVENTS,
        BATCHES,
        POLLER
    }

    final Pipeline<E> pipeline;
    final ObjectRing<E> ring;
    final Object handler;
    final Kind kind;
    final List<ConsumerNode<E>> upstream;

    /** Its progress: written by its own thread with release, after a batch; acquired by dependents and producers. */
    final Sequence sequence = new Sequence();

    /** What it counts: written by its own thread, for monitors. */
    final ConsumerCounts counts = new ConsumerCounts();

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

    // written by any
    private boolean halted;

    ConsumerNode(
            Pipeline<E> pipeline,
            ObjectRing<E> ring,
            Object handler,
            Kind kind,
            String name,
            List<ConsumerNode<E>> upstream) {
        this.pipeline = pipeline;
        this.ring = ring;
        this.handler = handler;
        this.kind = kind;
        this.name = name;
        this.upstream = upstream;
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

    SequenceBarrier barrier() {
        SequenceView[] views = upstream.stream().map(node -> node.sequence).toArray(SequenceView[]::new);
        return ring.newBarrier(views);
    }

    // the thread that runs it

    void runBy(Thread current) {
        RUNNER.setOpaque(this, current); // opaque: each thread looks for itself only
    }

    /** How its thread waits, where that can be signalled. */
    void idlesBy(SignalledIdle newIdle) {
        IDLE.setRelease(this, newIdle); // release: the strategy's fields, to monitors
    }

    @Nullable
    SignalledIdle idle() {
        return (SignalledIdle) IDLE.getAcquire(this); // acquire: sees the strategy's fields
    }

    @Nullable
    Thread runner() {
        return (Thread) RUNNER.getOpaque(this); // opaque: for monitors; a thread's name and state are its own business
    }

    void enterBatch(long hi) {
        inHandler = true;
        batchEnd = hi;
    }

    void leaveBatch() {
        inHandler = false;
    }

    @Override
    public void progress(long finished) {
        if (!isRunBy(Thread.currentThread()) || !inHandler) {
            throw new IllegalStateException(
                    "progress(" + finished + ") called from outside the handler of " + name + ": allowed is within it");
        }
        Check.inRange(finished, sequence.getPlain() + 1, batchEnd, "sequence");
        sequence.setRelease(
                finished); // release: the handler is done with these slots; dependents and producers acquire
        if (downstream != null) {
            downstream.signal();
        }
    }

    void failed(Throwable cause) {
        FAILURE.compareAndSet(this, null, cause); // CAS: the first failure is the one that counts
    }

    void end() {
        ENDED.setRelease(this, true); // release: the last progress comes before
        ring.wakeAll();
    }

    // any thread

    boolean isEnded() {
        return (boolean) ENDED.getAcquire(this); // acquire: who sees the end sees the last progress
    }

    boolean upstreamEnded() {
        for (ConsumerNode<E> node : upstream) {
            if (!node.isEnded()) {
                return false;
            }
        }
        return true;
    }

    void halt() {
        markHalted();
        ring.wakeAll();
    }

    /** To be followed by {@link ObjectRing#wakeAll}. */
    void markHalted() {
        HALTED.setRelease(this, true); // release: what led to it is visible to the runner
    }

    boolean isHalted() {
        return (boolean) HALTED.getOpaque(this); // opaque: seen soon; nothing is read on its strength
    }

    boolean isRunBy(Thread thread) {
        return (Thread) RUNNER.getOpaque(this) == thread; // opaque: a thread finds itself, or nobody
    }

    boolean isInHandler() {
        return inHandler;
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
    public SequenceView sequence() {
        return sequence;
    }

    @Override
    public String toString() {
        return name + "{" + state() + ", at " + sequence + "}";
    }

    private static final VarHandle RUNNER;
    private static final VarHandle IDLE;
    private static final VarHandle ENDED;
    private static final VarHandle FAILURE;
    private static final VarHandle HALTED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            RUNNER = lookup.findVarHandle(ConsumerNode.class, "runner", Thread.class);
            IDLE = lookup.findVarHandle(ConsumerNode.class, "idle", SignalledIdle.class);
            ENDED = lookup.findVarHandle(ConsumerNode.class, "ended", boolean.class);
            FAILURE = lookup.findVarHandle(ConsumerNode.class, "failure", Throwable.class);
            HALTED = lookup.findVarHandle(ConsumerNode.class, "halted", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
