package io.sluice.ringbuffer.pipeline;

import io.sluice.core.check.Check;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Some consumers of a pipeline, for others to follow. Used by the thread that builds the pipeline, before its start.
 *
 * @param <E> the events' type
 */
public final class Stage<E> {
    private final Pipeline<E> pipeline;
    private final List<ConsumerNode<E>> nodes;

    Stage(Pipeline<E> pipeline, List<ConsumerNode<E>> nodes) {
        this.pipeline = pipeline;
        this.nodes = List.copyOf(nodes);
    }

    /**
     * Declares handlers that get an event once every consumer of this stage has finished its batch.
     *
     * @param handlers one or more, none in the pipeline yet
     * @return the new stage
     * @throws IllegalArgumentException if there is none, or one is in the pipeline already
     * @throws IllegalStateException if the pipeline has started, or the ring has handed out claims
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> then(EventHandler<? super E>... handlers) {
        Check.notNull((Object) handlers, "handlers");
        return pipeline.declare(nodes, ConsumerNode.Kind.EVENTS, Arrays.asList(handlers));
    }

    /**
     * Declares handlers of ranges, as {@link #then}.
     *
     * @param handlers one or more, none in the pipeline yet
     * @return the new stage
     * @throws IllegalArgumentException if there is none, or one is in the pipeline already
     * @throws IllegalStateException if the pipeline has started, or the ring has handed out claims
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> thenBatches(BatchHandler<E>... handlers) {
        Check.notNull((Object) handlers, "handlers");
        return pipeline.declare(nodes, ConsumerNode.Kind.BATCHES, Arrays.asList(handlers));
    }

    /**
     * Declares workers that share what they get once every consumer of this stage has finished it, as {@link
     * Pipeline#handleEventsWithWorkerPool}.
     *
     * @param workers one or more, none in the pipeline yet
     * @return the new stage
     * @throws IllegalArgumentException if there is none, or one is in the pipeline already
     * @throws IllegalStateException if the pipeline has started, or the ring has handed out claims
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> thenWorkerPool(EventHandler<? super E>... workers) {
        Check.notNull((Object) workers, "workers");
        return pipeline.declare(nodes, ConsumerNode.Kind.WORKER, Arrays.asList(workers));
    }

    /**
     * Declares handlers that divide the events among themselves by key, once every consumer of this stage has finished its
     * batch; as {@link Pipeline#handleEventsPartitionedBy}.
     *
     * @param key gives an event's key
     * @param handlers one or more, none in the pipeline yet
     * @return the new stage
     * @throws IllegalArgumentException if there is none, or one is in the pipeline already
     * @throws IllegalStateException if the pipeline has started, or the ring has handed out claims
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the array is only read, element by element
    public final Stage<E> thenPartitionedBy(ToLongFunction<? super E> key, EventHandler<? super E>... handlers) {
        Check.notNull((Object) handlers, "handlers");
        return pipeline.declarePartitions(nodes, Check.notNull(key, "key"), Arrays.asList(handlers));
    }

    /**
     * Declares a consumer that is polled by hand, as {@link #then}.
     *
     * @param name its name, unique in the pipeline
     * @return the poller
     * @throws IllegalArgumentException if another consumer has the name
     * @throws IllegalStateException if the pipeline has started, or the ring has handed out claims
     */
    public EventPoller<E> thenPoller(String name) {
        return pipeline.declarePoller(nodes, name);
    }

    /**
     * Joins two stages: what follows waits for both.
     *
     * @param other a stage of the same pipeline
     * @return the joined stage
     * @throws IllegalArgumentException if the other stage belongs to another pipeline
     */
    public Stage<E> and(Stage<E> other) {
        if (Check.notNull(other, "other").pipeline != pipeline) {
            throw new IllegalArgumentException(
                    "other must be a stage of this pipeline, but was a stage of another pipeline");
        }
        Set<ConsumerNode<E>> both = new LinkedHashSet<>(nodes);
        both.addAll(other.nodes);
        return new Stage<>(pipeline, new ArrayList<>(both));
    }
}
