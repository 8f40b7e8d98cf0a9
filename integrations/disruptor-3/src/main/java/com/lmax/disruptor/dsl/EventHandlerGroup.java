package com.lmax.disruptor.dsl;

import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.WorkHandler;
import java.util.Arrays;

/**
 * Consumers that others may follow.
 *
 * @param <T> the type of the events
 */
@SuppressWarnings("varargs") // the arrays are only read
public class EventHandlerGroup<T> {
    private final Disruptor<T> disruptor;
    private final Sequence[] sequences;

    EventHandlerGroup(Disruptor<T> disruptor, Sequence[] sequences) {
        this.disruptor = disruptor;
        this.sequences = sequences.clone();
    }

    /**
     * This group and another.
     *
     * @param otherHandlerGroup the other
     * @return a new group
     */
    public EventHandlerGroup<T> and(EventHandlerGroup<T> otherHandlerGroup) {
        return with(otherHandlerGroup.sequences);
    }

    /**
     * This group and processors, which become part of the graph.
     *
     * @param processors the processors
     * @return a new group
     */
    public EventHandlerGroup<T> and(EventProcessor... processors) {
        return and(disruptor.after(processors));
    }

    private EventHandlerGroup<T> with(Sequence[] more) {
        Sequence[] all = Arrays.copyOf(sequences, sequences.length + more.length);
        System.arraycopy(more, 0, all, sequences.length, more.length);
        return new EventHandlerGroup<>(disruptor, all);
    }

    /**
     * Adds handlers that get an event after all of this group have handled it, side by side.
     *
     * @param handlers the handlers
     * @return the group of these handlers
     */
    @SafeVarargs
    public final EventHandlerGroup<T> then(EventHandler<? super T>... handlers) {
        return handleEventsWith(handlers);
    }

    /**
     * Adds processors of the program's own after all of this group.
     *
     * @param eventProcessorFactories make the processors
     * @return the group of these processors
     */
    @SafeVarargs
    public final EventHandlerGroup<T> then(EventProcessorFactory<T>... eventProcessorFactories) {
        return handleEventsWith(eventProcessorFactories);
    }

    /**
     * Adds workers that share out the events, after all of this group.
     *
     * @param handlers one for each worker
     * @return the group of these workers
     */
    @SafeVarargs
    public final EventHandlerGroup<T> thenHandleEventsWithWorkerPool(WorkHandler<? super T>... handlers) {
        return handleEventsWithWorkerPool(handlers);
    }

    /**
     * As {@link #then(EventHandler[])}.
     *
     * @param handlers the handlers
     * @return the group of these handlers
     */
    @SafeVarargs
    public final EventHandlerGroup<T> handleEventsWith(EventHandler<? super T>... handlers) {
        return disruptor.createEventProcessors(sequences, handlers);
    }

    /**
     * As {@link #then(EventProcessorFactory[])}.
     *
     * @param eventProcessorFactories make the processors
     * @return the group of these processors
     */
    @SafeVarargs
    public final EventHandlerGroup<T> handleEventsWith(EventProcessorFactory<T>... eventProcessorFactories) {
        return disruptor.createEventProcessors(sequences, eventProcessorFactories);
    }

    /**
     * As {@link #thenHandleEventsWithWorkerPool}.
     *
     * @param handlers one for each worker
     * @return the group of these workers
     */
    @SafeVarargs
    public final EventHandlerGroup<T> handleEventsWithWorkerPool(WorkHandler<? super T>... handlers) {
        return disruptor.createWorkerPool(sequences, handlers);
    }

    /**
     * A barrier that follows this group, for a processor of the program's own.
     *
     * @return a new barrier
     */
    public SequenceBarrier asSequenceBarrier() {
        return disruptor.getRingBuffer().newBarrier(sequences);
    }
}
