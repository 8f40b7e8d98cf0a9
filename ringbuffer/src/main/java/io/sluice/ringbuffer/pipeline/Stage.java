package io.sluice.ringbuffer.pipeline;

import io.sluice.core.check.Check;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Some consumers of a pipeline, for others to follow. Used by the thread that builds the pipeline, before its start. A declaration
 * throws an {@link IllegalArgumentException} behind a consumer that has left, as a poller may do before the start. So it does behind the
 * consumer that {@linkplain Pipeline#clearEventsWith clears events}.
 *
 * @param <E> the events' type
 */
public final class Stage<E> {
    private final ConsumerDeclarations<E> declarations;
    private final List<ConsumerNode<E>> nodes;

    Stage(ConsumerDeclarations<E> declarations, List<ConsumerNode<E>> nodes) {
        this.declarations = declarations;
        this.nodes = List.copyOf(nodes);
    }

    /**
     * Declares handlers that get an event once every consumer of this stage has finished its batch.
     *
     * @param handlers one or more, none in the pipeline yet
     * @return the new stage
     * @throws IllegalArgumentException if there is none, or one is in the pipeline already
     * @throws IllegalStateException if the pipeline has started or is being started, or the ring has handed out claims
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> then(EventHandler<? super E>... handlers) {
        return then(ConsumerDeclarations.unnamed(handlers, ConsumerKind.EVENTS, "handlers"), "handlers");
    }

    /**
     * Declares consumers with a name and settings, of events or of ranges, as {@link #then(EventHandler[])}.
     *
     * @param consumers one or more, none in a pipeline yet
     * @return the new stage
     * @throws IllegalArgumentException if there is none, a name is taken, or a handler is in the pipeline already
     * @throws IllegalStateException if the pipeline has started or is being started, or the ring has handed out claims
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> then(NewConsumer<E>... consumers) {
        return then(Check.notNull(consumers, "consumers"), "consumers");
    }

    /**
     * Declares handlers of ranges, as {@link #then(EventHandler[])}.
     *
     * @param handlers one or more, none in the pipeline yet
     * @return the new stage
     * @throws IllegalArgumentException if there is none, or one is in the pipeline already
     * @throws IllegalStateException if the pipeline has started or is being started, or the ring has handed out claims
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> thenBatches(BatchHandler<E>... handlers) {
        return then(ConsumerDeclarations.unnamed(handlers, ConsumerKind.BATCHES, "handlers"), "handlers");
    }

    private Stage<E> then(NewConsumer<E>[] consumers, String argument) {
        return new Stage<>(declarations, declarations.declare(nodes, consumers, argument));
    }

    /**
     * Declares workers that share the events once every consumer of this stage has finished them, as {@link
     * Pipeline#handleEventsWithWorkerPool(EventHandler[])}.
     *
     * @param workers one or more, none in the pipeline yet
     * @return the new stage
     * @throws IllegalArgumentException if there is none, or one is in the pipeline already
     * @throws IllegalStateException if the pipeline has started or is being started, or the ring has handed out claims
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> thenWorkerPool(EventHandler<? super E>... workers) {
        return thenWorkerPool(
                ConsumerDeclarations.<E, EventHandler<? super E>>unnamed(workers, ConsumerKind.EVENTS, "workers"));
    }

    /**
     * Declares workers with a name and settings, as {@link #thenWorkerPool(EventHandler[])}.
     *
     * @param workers one or more, of handlers of events, none in a pipeline yet
     * @return the new stage
     * @throws IllegalArgumentException if there is none, a name is taken, a handler is in the pipeline already, or a failure policy
     *     rewinds batches
     * @throws IllegalStateException if the pipeline has started or is being started, or the ring has handed out claims
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> thenWorkerPool(NewConsumer<E>... workers) {
        return new Stage<>(declarations, declarations.declareWorkers(nodes, Check.notNull(workers, "workers")));
    }

    /**
     * Declares handlers that divide the events among themselves by key, once every consumer of this stage has finished its
     * batch; as {@link Pipeline#handleEventsPartitionedBy(ToLongFunction, EventHandler[])}.
     *
     * @param key gives an event's key
     * @param handlers one or more, none in the pipeline yet
     * @return the new stage
     * @throws IllegalArgumentException if there is none, or one is in the pipeline already
     * @throws IllegalStateException if the pipeline has started or is being started, or the ring has handed out claims
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> thenPartitionedBy(ToLongFunction<? super E> key, EventHandler<? super E>... handlers) {
        return thenPartitionedBy(
                key,
                ConsumerDeclarations.<E, EventHandler<? super E>>unnamed(handlers, ConsumerKind.EVENTS, "handlers"));
    }

    /**
     * Declares consumers with a name and settings, as {@link #thenPartitionedBy(ToLongFunction, EventHandler[])}.
     *
     * @param key gives an event's key
     * @param consumers one or more, of handlers of events, none in a pipeline yet
     * @return the new stage
     * @throws IllegalArgumentException if there is none, a name is taken, or a handler is in the pipeline already
     * @throws IllegalStateException if the pipeline has started or is being started, or the ring has handed out claims
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> thenPartitionedBy(ToLongFunction<? super E> key, NewConsumer<E>... consumers) {
        return new Stage<>(
                declarations, declarations.declarePartitions(nodes, key, Check.notNull(consumers, "consumers")));
    }

    /**
     * Declares a consumer that is polled by hand, as {@link #then(EventHandler[])}.
     *
     * @param name its name, unique in the pipeline
     * @return the poller
     * @throws IllegalArgumentException if another consumer has the name
     * @throws IllegalStateException if the pipeline has started or is being started, or the ring has handed out claims
     */
    public EventPoller<E> thenPoller(String name) {
        return declarations.declarePoller(nodes, name);
    }

    /**
     * Joins two stages: their followers wait for both.
     *
     * @param other a stage of the same pipeline
     * @return the joined stage
     * @throws IllegalArgumentException if the other stage belongs to another pipeline
     */
    public Stage<E> and(Stage<E> other) {
        if (Check.notNull(other, "other").declarations != declarations) {
            throw new IllegalArgumentException(
                    "other must be a stage of this pipeline, but was a stage of another pipeline");
        }
        Set<ConsumerNode<E>> both = new LinkedHashSet<>(nodes);
        both.addAll(other.nodes);
        return new Stage<>(declarations, List.copyOf(both));
    }
}
