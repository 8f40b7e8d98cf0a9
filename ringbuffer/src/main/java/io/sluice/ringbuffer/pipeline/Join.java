package io.sluice.ringbuffer.pipeline;

import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.RingBufferBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * A consumer about to join a pipeline that has started, while publishers and other consumers go on. It handles every event
 * from its join point on, once.
 *
 * <p>{@link #from} and {@link #fromNow} set the join point. By default it is behind the slowest consumer that runs. If others are to follow
 * this one, it is behind the furthest of those. {@link ConsumerHandle#joinedFrom} tells it afterwards.
 *
 * <p>To join, one consumer, and those named by {@link #before}, rest for a moment between two batches; the caller waits
 * for them. A consumer that is polled or invoked by the calling thread itself is at rest. Producers pay nothing. Not
 * thread-safe; each object joins once.
 *
 * @param <E> the events' type
 */
public final class Join<E> {
    private final FollowedRing<E> ring;
    private final ConsumerMembership<E> membership;
    private final PipelineThreads<E> threads;
    private final ConsumerRegistry<E> consumers;
    private final NewConsumer<E> consumer;
    private final List<ConsumerNode<E>> upstream = new ArrayList<>();
    private final List<ConsumerNode<E>> before = new ArrayList<>();

    private @Nullable Supplier<? extends IdleStrategy> idle;
    private long from = ConsumerMembership.FROM_THE_SLOWEST;
    private boolean used;
    private @Nullable ConsumerNode<E> colleague;

    Join(
            FollowedRing<E> ring,
            ConsumerMembership<E> membership,
            PipelineThreads<E> threads,
            ConsumerRegistry<E> consumers,
            NewConsumer<E> consumer) {
        this.ring = ring;
        this.membership = membership;
        this.threads = threads;
        this.consumers = consumers;
        this.consumer = consumer;
        checkMayJoin();
    }

    private void checkMayJoin() {
        if (consumer.kind == ConsumerKind.CLEARER) {
            throw new IllegalArgumentException(
                    "consumer must handle events, but " + consumer + " clears them: declare it before the start");
        }
        if (consumer.finishesEvents) {
            throw new IllegalArgumentException(
                    "a consumer that joins must finish no events, since its followers learn at the start who finishes events"
                            + " before them, but " + consumer + " was made with finishesEvents()");
        }
        if (consumer.thread != null) {
            throw new IllegalArgumentException(
                    "a consumer that joins must have a thread of its own, since the threads of"
                            + " the start are fixed, but " + consumer + " was made with thread(...)");
        }
    }

    /**
     * Makes it follow others, instead of the publications.
     *
     * @param consumers consumers of this pipeline
     * @return this
     * @throws IllegalArgumentException if one is of another pipeline
     */
    public Join<E> after(ConsumerHandle... consumers) {
        upstream.addAll(ConsumerRegistry.ownNodes(membership, consumers));
        return this;
    }

    /**
     * Makes others follow it from the join point on.
     *
     * @param consumers consumers of this pipeline; no consumer given to {@link #after} may follow one of them
     * @return this
     * @throws IllegalArgumentException if one is of another pipeline
     */
    public Join<E> before(ConsumerHandle... consumers) {
        before.addAll(ConsumerRegistry.ownNodes(membership, consumers));
        return this;
    }

    /**
     * Makes it a worker, that shares the events with another worker and all its colleagues. No consumer has to rest for it. It
     * has the upstream that they have, and takes events from now on: {@link ConsumerHandle#joinedFrom} then is the first event that
     * no worker had taken.
     *
     * @param worker a worker of this pipeline
     * @return this
     * @throws IllegalArgumentException if it is of another pipeline, or no worker
     */
    public Join<E> sharingWith(ConsumerHandle worker) {
        ConsumerNode<E> node = ConsumerRegistry.ownNodes(membership, Check.notNull(worker, "worker"))
                .get(0);
        if (node.work == null) {
            throw new IllegalArgumentException(
                    "sharingWith must name a worker, since workers share the events, but consumer " + node.name()
                            + " is none");
        }
        colleague = node;
        return this;
    }

    /**
     * Joins from a sequence that the ring still holds, see {@link RingBufferBuilder#retain}; on a ring that sheds, see {@link
     * RingBufferBuilder#shedding} too. On a ring that is drained already this leaves events to handle again: a {@code close} cuts them
     * off and reports them, another {@code drain} waits for them.
     *
     * @param sequence the first to handle, 0 or more; checked when it joins
     * @return this
     * @throws IllegalArgumentException if it is negative
     * @throws IllegalStateException on a ring of messages, where not each sequence begins one
     */
    public Join<E> from(long sequence) {
        Check.inRange(sequence, 0, Long.MAX_VALUE, "sequence");
        MessageRingRules.refuse(ring, "from", "not each sequence begins a message");
        from = sequence;
        return this;
    }

    /**
     * Joins from the next publication: it handles no event that consumers could get already. Consumers cannot get events behind an open
     * claim yet, so it handles those. The sequence is fixed during the join.
     *
     * @return this
     */
    public Join<E> fromNow() {
        from = ConsumerMembership.FROM_NOW;
        return this;
    }

    /**
     * Sets the idle strategy of its thread, instead of the ring's. Only for a join that ends with {@link #start}.
     *
     * @param supplier makes it; a {@link SignalledIdle} only if the ring's is one, and exact only if that is
     * @return this
     */
    public Join<E> idle(Supplier<? extends IdleStrategy> supplier) {
        idle = Check.notNull(supplier, "supplier");
        return this;
    }

    /**
     * Joins, on a thread of its own from the pipeline's factory. Waits for the consumers that have to rest, and for the {@code
     * onShutdown} of a consumer that has left and had the same handler. It has joined before the factory is called, and gates from then
     * on. If the ring is closed while the factory is at work, the close counts the consumer's events as unhandled, the start is refused,
     * and the consumer leaves.
     *
     * @param limitNanos how long to wait at most, in nanoseconds
     * @return the consumer
     * @throws TimeoutException if they did not rest in time, that consumer was not closed in time, or the thread is interrupted
     *     (its flag stays set); then nothing has joined
     * @throws IllegalArgumentException if the name is taken, the sequence is not held any more (with the allowed range),
     *     there would be a cycle, a consumer named has left, or the idle strategy is one that another thread has, or that the ring
     *     can not signal; then nothing has joined
     * @throws IllegalStateException if called from a handler or a thread of this pipeline, before the start, on a ring that
     *     has ended or that no consumer gates, by the thread that is to close the processor of a consumer that had the same handler, or
     *     again
     */
    public ConsumerHandle start(long limitNanos) throws TimeoutException {
        checkKind(false);
        IdleStrategy own = Check.notNull((idle == null ? ring.consumersIdle() : idle).get(), "idle.get()");
        SignalledIdle signalled = own instanceof SignalledIdle one ? one : null;
        if (signalled != null) {
            SignalGroup signals = ring.publicationSignals();
            if (signals == null) {
                throw new IllegalArgumentException(
                        "consumersIdle of the ring must be a SignalledIdle for idle strategy " + own
                                + ", but the ring was built without");
            }
            signals.checkAdmits(signalled); // before anything is changed
        }
        ConsumerNode<E> node = join(signalled, limitNanos);
        run(node, own);
        return node;
    }

    private void run(ConsumerNode<E> node, IdleStrategy by) {
        try {
            threads.startJoined(node, by);
        } catch (Throwable t) {
            undo(node);
            throw t;
        }
    }

    /**
     * As {@link #start(long)}.
     *
     * @param limit how long to wait at most
     * @return the consumer
     * @throws TimeoutException as there
     */
    public ConsumerHandle start(Duration limit) throws TimeoutException {
        return start(Check.nanos(limit, "limit"));
    }

    /** Undoes a join: the node will never run, and must not gate. The join, and the consumer, may be tried again. */
    private void undo(ConsumerNode<E> node) {
        membership.unlinkNow(node);
        node.end();
        used = false;
        consumer.declaredAs(null);
    }

    /**
     * Joins, without a thread: the caller runs the processor.
     *
     * @param limitNanos how long to wait at most, in nanoseconds
     * @return the processor; nothing signals its runner
     * @throws TimeoutException as {@link #start}
     */
    public EventProcessor processor(long limitNanos) throws TimeoutException {
        checkKind(false);
        checkNoIdle();
        ConsumerNode<E> node = join(null, limitNanos);
        try {
            return threads.loop(node);
        } catch (Throwable t) { // by its handler's extendsBatch
            undo(node);
            throw t;
        }
    }

    /**
     * As {@link #processor(long)}.
     *
     * @param limit how long to wait at most
     * @return the processor
     * @throws TimeoutException as there
     */
    public EventProcessor processor(Duration limit) throws TimeoutException {
        return processor(Check.nanos(limit, "limit"));
    }

    /**
     * Joins, to be polled by hand.
     *
     * @param limitNanos how long to wait at most, in nanoseconds
     * @return the poller
     * @throws TimeoutException as {@link #start}
     */
    public EventPoller<E> poller(long limitNanos) throws TimeoutException {
        checkKind(true);
        checkNoIdle();
        ConsumerNode<E> node = join(null, limitNanos);
        try {
            return new EventPoller<>(node);
        } catch (Throwable t) { // no memory
            undo(node);
            throw t;
        }
    }

    /**
     * As {@link #poller(long)}.
     *
     * @param limit how long to wait at most
     * @return the poller
     * @throws TimeoutException as there
     */
    public EventPoller<E> poller(Duration limit) throws TimeoutException {
        return poller(Check.nanos(limit, "limit"));
    }

    private void checkKind(boolean poller) {
        if ((consumer.kind == ConsumerKind.POLLER) != poller) {
            throw new IllegalStateException(
                    poller
                            ? "a join with a handler must end with start or processor, but ended with poller"
                            : "a join without a handler must end with poller, but ended with start or processor");
        }
    }

    private void checkNoIdle() {
        if (idle != null) {
            throw new IllegalStateException(
                    "idle must be set for a join that ends with start, since nothing else has a thread, but was set for a processor or a poller");
        }
    }

    private ConsumerNode<E> join(@Nullable SignalledIdle signalled, long limitNanos) throws TimeoutException {
        if (used) {
            throw new IllegalStateException("a join must be used once, but has joined already: begin a new join");
        }
        consumer.checkNew("consumer");
        checkMayJoin(); // its settings may have changed since
        threads.checkStarted("join");
        ConsumerNode<E> node =
                colleague == null ? joinAlone(signalled, limitNanos) : share(colleague, signalled, limitNanos);
        used = true;
        consumer.declaredAs(node);
        return node;
    }

    private ConsumerNode<E> joinAlone(@Nullable SignalledIdle signalled, long limitNanos) throws TimeoutException {
        ConsumerNode<E> node =
                newNode(consumer.kind, upstream.stream().distinct().toList(), null);
        membership.join(node, before.stream().distinct().toList(), from, signalled, limitNanos);
        return node;
    }

    private ConsumerNode<E> share(ConsumerNode<E> with, @Nullable SignalledIdle signalled, long limitNanos)
            throws TimeoutException {
        if (consumer.kind != ConsumerKind.EVENTS) {
            throw new IllegalStateException("sharingWith(" + with.name() + ") must be for a handler of events, since"
                    + " workers take single events, but " + consumer + " is a poller or a handler of batches");
        }
        if (!upstream.isEmpty() || !before.isEmpty() || from != ConsumerMembership.FROM_THE_SLOWEST) {
            throw new IllegalStateException("sharingWith(" + with.name()
                    + ") must be the only setting, since a worker has the place of its colleagues and"
                    + " takes what none of them has taken, but stands beside after, before or from");
        }
        ConsumerNode<E> node = newNode(ConsumerKind.WORKER, List.of(), with.work);
        node.checkPolicy();
        membership.joinWorkers(node, with, signalled, limitNanos);
        return node;
    }

    private ConsumerNode<E> newNode(ConsumerKind as, List<ConsumerNode<E>> follows, @Nullable WorkerPoolState work) {
        MessageRingRules.check(ring, consumer, as);
        return new ConsumerNode<>(membership, ring, consumer, as, consumers.nameFor(consumer), follows, work);
    }
}
