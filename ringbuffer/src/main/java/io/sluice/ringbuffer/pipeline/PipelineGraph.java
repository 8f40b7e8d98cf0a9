package io.sluice.ringbuffer.pipeline;

import io.sluice.core.check.Check;
import io.sluice.ringbuffer.FollowedRing;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * The half of a pipeline that says who consumes, and who follows whom: declarations before the start, joins after it. {@link Pipeline}
 * adds the settings and the life.
 *
 * @param <E> the events' type
 */
abstract class PipelineGraph<E> {
    final FollowedRing<E> ring;
    final PipelineSettings<E> settings = new PipelineSettings<>();
    final FailureReports reports = new FailureReports();
    final ConsumerRegistry<E> consumers = new ConsumerRegistry<>();
    final PipelineThreads<E> threads;
    final PipelineConsumers<E> followers;
    final ConsumerMembership<E> membership;
    final ConsumerDeclarations<E> declarations;

    PipelineGraph(FollowedRing<E> ring) {
        this.ring = ring;
        SignalWiring<E> signals = new SignalWiring<>(ring, consumers.all());
        this.threads = new PipelineThreads<>(ring, settings, reports, consumers, signals);
        this.followers = new PipelineConsumers<>(ring, threads, reports);
        this.membership = new ConsumerMembership<>(ring, settings, reports, consumers, followers, signals);
        this.declarations = new ConsumerDeclarations<>(ring, threads, membership, consumers, followers);
        ring.follow(followers);
    }

    // consumers to be

    /**
     * A consumer of events, with a name and settings, to be declared or to join.
     *
     * @param name its name, unique in the pipeline
     * @param handler gets the events, one by one
     * @return the consumer, which is not in the pipeline yet
     */
    public NewConsumer<E> consumer(String name, EventHandler<? super E> handler) {
        return newConsumer(name, handler, ConsumerKind.EVENTS);
    }

    /**
     * A consumer of ranges, with a name and settings, to be declared or to join.
     *
     * @param name its name, unique in the pipeline
     * @param handler gets the events, range by range
     * @return the consumer, which is not in the pipeline yet
     */
    public NewConsumer<E> batchConsumer(String name, BatchHandler<E> handler) {
        return newConsumer(name, handler, ConsumerKind.BATCHES);
    }

    static <E> NewConsumer<E> newConsumer(String name, Object handler, ConsumerKind kind) {
        return new NewConsumer<>(Check.notNull(name, "name"), Check.notNull(handler, "handler"), kind);
    }

    // the graph

    /**
     * Declares handlers that follow the publications.
     *
     * @param handlers one or more, none in the pipeline yet
     * @return the stage that they form
     * @throws IllegalArgumentException if there is none, or one is in the pipeline already
     * @throws IllegalStateException if the pipeline has started or is being started, or the ring has handed out claims
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> handleEventsWith(EventHandler<? super E>... handlers) {
        return declare(ConsumerDeclarations.unnamed(handlers, ConsumerKind.EVENTS, "handlers"), "handlers");
    }

    /**
     * Declares consumers with a name and settings, of events or of ranges, that follow the publications.
     *
     * @param consumers one or more, none in a pipeline yet
     * @return the stage that they form
     * @throws IllegalArgumentException if there is none, a name is taken, or a handler is in the pipeline already
     * @throws IllegalStateException if the pipeline has started or is being started, or the ring has handed out claims
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> handleEventsWith(NewConsumer<E>... consumers) {
        return declare(Check.notNull(consumers, "consumers"), "consumers");
    }

    /**
     * Declares handlers of ranges that follow the publications.
     *
     * @param handlers one or more, none in the pipeline yet
     * @return the stage that they form
     * @throws IllegalArgumentException if there is none, one is in the pipeline already, or it is a ring of messages
     * @throws IllegalStateException if the pipeline has started or is being started, or the ring has handed out claims
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> handleBatchesWith(BatchHandler<E>... handlers) {
        return declare(ConsumerDeclarations.unnamed(handlers, ConsumerKind.BATCHES, "handlers"), "handlers");
    }

    private Stage<E> declare(NewConsumer<E>[] stage, String argument) {
        return new Stage<>(declarations, declarations.declare(List.of(), stage, argument));
    }

    /**
     * Declares workers that share the events: each event is handled by exactly one of them, by whichever is free first.
     * Followers and producers see the stage's progress in order and without a gap. A slow event holds back only the progress
     * behind it, while other workers go on with later events.
     *
     * <p>Every event is a batch of its own, {@code endOfBatch} always true; so no worker has to wait for another's, and a
     * failure policy that rewinds is refused. A worker finishes its event before it leaves, pauses or is halted, retries
     * included, and then owes nothing; others may {@linkplain Join#sharingWith join}. The last one that leaves takes the
     * stage with it. A worker whose policy halts stops the other workers after their present events, and fails the ring: nothing
     * behind its event is handed on. A worker's {@link ConsumerHandle#sequence} and {@link ConsumerHandle#lag} are those of the stage.
     *
     * <p>Costs a compare-and-set and a volatile store an event, and each publication wakes every worker that is parked.
     *
     * @param workers one or more, none in the pipeline yet
     * @return the stage that they form
     * @throws IllegalArgumentException if there is none, or one is in the pipeline already
     * @throws IllegalStateException if the pipeline has started or is being started, or the ring has handed out claims
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> handleEventsWithWorkerPool(EventHandler<? super E>... workers) {
        return handleEventsWithWorkerPool(
                ConsumerDeclarations.<E, EventHandler<? super E>>unnamed(workers, ConsumerKind.EVENTS, "workers"));
    }

    /**
     * Declares workers with a name and settings, as {@link #handleEventsWithWorkerPool(EventHandler[])}.
     *
     * @param workers one or more, of handlers of events, none in a pipeline yet
     * @return the stage that they form
     * @throws IllegalArgumentException if there is none, a name is taken, a handler is in the pipeline already, or a failure policy
     *     rewinds batches
     * @throws IllegalStateException as there
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> handleEventsWithWorkerPool(NewConsumer<E>... workers) {
        return new Stage<>(declarations, declarations.declareWorkers(List.of(), Check.notNull(workers, "workers")));
    }

    /**
     * Declares handlers that divide the events among themselves by key.
     *
     * <p>The handler at index {@code i} of {@code n} gets the events whose key, by {@code Math.floorMod(key, n)}, is {@code i},
     * in their order; so all events of one key come to one handler. The others are passed over: they cost a call of the key
     * function. {@code endOfBatch} is true for the last own event of a batch; a batch without own events calls no method. A follower of
     * the stage gets an event once every handler has passed it.
     *
     * <p>An exception of the key function goes to the failure policy as if the handler had thrown it, in each consumer that asks.
     * A consumer that is removed takes its keys with it: nobody handles them from there on.
     *
     * @param key gives an event's key: always the same one for the same event. Called by every consumer's thread for every
     *     event, so it has to be thread-safe, and should be cheap. Keys that have a common factor with the number of handlers
     *     spread badly; mix them here
     * @param handlers one or more, none in the pipeline yet
     * @return the stage that they form
     * @throws IllegalArgumentException if there is none, one is in the pipeline already, or the ring is one of messages and the key no
     *     {@link MessageKey}
     * @throws IllegalStateException if the pipeline has started or is being started, or the ring has handed out claims
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> handleEventsPartitionedBy(
            ToLongFunction<? super E> key, EventHandler<? super E>... handlers) {
        return handleEventsPartitionedBy(
                key,
                ConsumerDeclarations.<E, EventHandler<? super E>>unnamed(handlers, ConsumerKind.EVENTS, "handlers"));
    }

    /**
     * Declares consumers with a name and settings, as {@link #handleEventsPartitionedBy(ToLongFunction, EventHandler[])}.
     *
     * @param key gives an event's key
     * @param consumers one or more, of handlers of events, none in a pipeline yet
     * @return the stage that they form
     * @throws IllegalArgumentException if there is none, a name is taken, or a handler is in the pipeline already
     * @throws IllegalStateException as there
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> handleEventsPartitionedBy(ToLongFunction<? super E> key, NewConsumer<E>... consumers) {
        return new Stage<>(
                declarations, declarations.declarePartitions(List.of(), key, Check.notNull(consumers, "consumers")));
    }

    /**
     * Declares a consumer that is polled by hand and follows the publications.
     *
     * @param name its name, unique in the pipeline
     * @return the poller
     * @throws IllegalArgumentException if another consumer has the name
     * @throws IllegalStateException if the pipeline has started or is being started, or the ring has handed out claims
     */
    public EventPoller<E> poller(String name) {
        return declarations.declarePoller(List.of(), name);
    }

    /**
     * The stage of consumers declared before, for others to follow.
     *
     * @param consumers one or more consumers of this pipeline; a worker stands for all that share the events with it
     * @return their stage
     * @throws IllegalArgumentException if there is none, or one is of another pipeline
     */
    public Stage<E> after(ConsumerHandle... consumers) {
        ConsumerDeclarations.checkSome(Check.notNull(consumers, "consumers").length, "consumers");
        return new Stage<>(
                declarations, this.consumers.withColleagues(ConsumerRegistry.ownNodes(membership, consumers)));
    }

    /**
     * The stage of handlers declared before, for others to follow.
     *
     * @param handlers one or more handlers of this pipeline; a worker stands for all that share the events with it
     * @return their stage
     * @throws IllegalArgumentException if there is none, or one is not in the pipeline
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> after(EventHandler<? super E>... handlers) {
        ConsumerDeclarations.checkSome(Check.notNull(handlers, "handlers").length, "handlers");
        List<ConsumerNode<E>> found = new ArrayList<>();
        for (EventHandler<? super E> handler : handlers) {
            found.add(consumers.of(Check.notNull(handler, "handler")));
        }
        return new Stage<>(declarations, consumers.withColleagues(found));
    }

    /**
     * Begins to let a consumer join after the start. Any thread may call this. The methods {@code start}, {@code processor} and {@code
     * poller} of the {@link Join} wait, so a handler must not call them.
     *
     * @param consumer a consumer that is in no pipeline yet
     * @return the join, for its settings; nothing has joined yet
     */
    public Join<E> join(NewConsumer<E> consumer) {
        return new Join<>(ring, membership, threads, consumers, Check.notNull(consumer, "consumer"));
    }

    /**
     * Begins to let a handler join after the start, under a name that the pipeline finds. Any thread, as there.
     *
     * @param handler a handler that is not in the pipeline
     * @return the join, for its settings; nothing has joined yet
     */
    public Join<E> join(EventHandler<? super E> handler) {
        return join(new NewConsumer<E>(null, Check.notNull(handler, "handler"), ConsumerKind.EVENTS));
    }

    /**
     * Begins to let a poller join after the start.
     *
     * @param name its name, unique in the pipeline
     * @return the join, for its settings; nothing has joined yet
     */
    public Join<E> joinPoller(String name) {
        return join(PipelineGraph.<E>newConsumer(name, new Object(), ConsumerKind.POLLER));
    }
}
