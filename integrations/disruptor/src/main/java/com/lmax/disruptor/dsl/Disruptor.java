package com.lmax.disruptor.dsl;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.BatchRewindStrategy;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventFactory;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.EventHandlerIdentity;
import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.RewindableEventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.util.Util;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * A ring with a graph of handlers, each with a thread of its own: wired, started and shut down together.
 *
 * <p>One thread wires the graph and starts it. {@link #shutdown()}, {@link #halt()} and the questions are for any thread.
 *
 * @param <T> the type of the events
 */
@SuppressWarnings("varargs") // the arrays are only read
public class Disruptor<T> extends Graph<T> {
    private static final Sequence[] CURSOR = {};

    /**
     * Creates a ring for any number of producers, with a {@link BlockingWaitStrategy}.
     *
     * @param eventFactory makes the events
     * @param ringBufferSize the number of slots, a power of two
     * @param threadFactory makes a thread for each consumer
     * @throws IllegalArgumentException if {@code ringBufferSize} is no power of two
     */
    public Disruptor(EventFactory<T> eventFactory, int ringBufferSize, ThreadFactory threadFactory) {
        this(eventFactory, ringBufferSize, threadFactory, ProducerType.MULTI, new BlockingWaitStrategy());
    }

    /**
     * Creates a ring.
     *
     * @param eventFactory makes the events
     * @param ringBufferSize the number of slots, a power of two
     * @param threadFactory makes a thread for each consumer
     * @param producerType for one producer or for many
     * @param waitStrategy how consumers wait
     * @throws IllegalArgumentException if {@code ringBufferSize} is no power of two
     */
    public Disruptor(
            EventFactory<T> eventFactory,
            int ringBufferSize,
            ThreadFactory threadFactory,
            ProducerType producerType,
            WaitStrategy waitStrategy) {
        super(
                RingBuffer.create(producerType, eventFactory, ringBufferSize, waitStrategy),
                Launcher.threadsOf(threadFactory),
                threadFactory);
    }

    // ---- wiring

    /**
     * Adds handlers that get each event from the ring, side by side.
     *
     * @param handlers the handlers
     * @return the group of these handlers
     * @throws IllegalStateException if it is started
     */
    @SafeVarargs
    public final EventHandlerGroup<T> handleEventsWith(EventHandler<? super T>... handlers) {
        return createEventProcessors(CURSOR, handlers);
    }

    /**
     * Adds handlers that may rewind.
     *
     * @param batchRewindStrategy decides whether a batch is handed out again
     * @param handlers the handlers
     * @return the group of these handlers
     * @throws IllegalStateException if it is started
     */
    @SafeVarargs
    public final EventHandlerGroup<T> handleEventsWith(
            BatchRewindStrategy batchRewindStrategy, RewindableEventHandler<? super T>... handlers) {
        return createEventProcessors(CURSOR, batchRewindStrategy, handlers);
    }

    /**
     * Adds processors of the program's own.
     *
     * @param eventProcessorFactories make the processors
     * @return the group of these processors
     */
    @SafeVarargs
    public final EventHandlerGroup<T> handleEventsWith(EventProcessorFactory<T>... eventProcessorFactories) {
        return createEventProcessors(CURSOR, eventProcessorFactories);
    }

    /**
     * Adds processors of the program's own, which have barriers already.
     *
     * @param processors the processors
     * @return the group of these processors
     */
    public EventHandlerGroup<T> handleEventsWith(EventProcessor... processors) {
        addProcessors(processors);
        Sequence[] sequences = Util.getSequencesFor(processors);
        ringBuffer.addGatingSequences(sequences);
        return new EventHandlerGroup<>(this, sequences);
    }

    final EventHandlerGroup<T> createEventProcessors(Sequence[] followed, EventHandler<? super T>[] handlers) {
        checkNotStarted();
        SequenceBarrier barrier = ringBuffer.newBarrier(followed);
        List<BatchEventProcessor<T>> processors = new ArrayList<>();
        for (EventHandler<? super T> handler : handlers) {
            processors.add(new BatchEventProcessorBuilder().<T>build(ringBuffer, barrier, handler));
        }
        return linked(followed, add(processors, handlers, barrier));
    }

    final EventHandlerGroup<T> createEventProcessors(
            Sequence[] followed, BatchRewindStrategy strategy, RewindableEventHandler<? super T>[] handlers) {
        checkNotStarted();
        SequenceBarrier barrier = ringBuffer.newBarrier(followed);
        List<BatchEventProcessor<T>> processors = new ArrayList<>();
        for (RewindableEventHandler<? super T> handler : handlers) {
            processors.add(new BatchEventProcessorBuilder().<T>build(ringBuffer, barrier, handler, strategy));
        }
        return linked(followed, add(processors, handlers, barrier));
    }

    final EventHandlerGroup<T> createEventProcessors(Sequence[] followed, EventProcessorFactory<T>[] factories) {
        EventProcessor[] processors = new EventProcessor[factories.length];
        for (int i = 0; i < factories.length; i++) {
            processors[i] = factories[i].createEventProcessor(ringBuffer, followed.clone());
        }
        EventHandlerGroup<T> group = handleEventsWith(processors);
        consumers.follow(Util.getSequencesFor(processors), followed);
        return group;
    }

    private EventHandlerGroup<T> linked(Sequence[] followed, Sequence[] sequences) {
        link(followed, sequences);
        return new EventHandlerGroup<>(this, sequences);
    }

    /**
     * The group of handlers that were added before.
     *
     * @param handlers the handlers
     * @return a group that others may follow
     * @throws IllegalArgumentException if a handler is not part of the graph
     */
    public final EventHandlerGroup<T> after(EventHandlerIdentity... handlers) {
        Sequence[] sequences = new Sequence[handlers.length];
        for (int i = 0; i < handlers.length; i++) {
            sequences[i] = consumers.consumerOf(handlers[i]).processor().getSequence();
        }
        return new EventHandlerGroup<>(this, sequences);
    }

    /**
     * The group of processors, whether they are part of the graph or not.
     *
     * @param processors the processors
     * @return a group that others may follow
     */
    public EventHandlerGroup<T> after(EventProcessor... processors) {
        return new EventHandlerGroup<>(this, Util.getSequencesFor(processors));
    }

    /**
     * Sets the exception handler of one handler.
     *
     * @param eventHandler the handler
     * @return what takes the exception handler
     */
    public ExceptionHandlerSetting<T> handleExceptionsFor(EventHandlerIdentity eventHandler) {
        return new ExceptionHandlerSetting<>(eventHandler, consumers);
    }

    // ---- questions

    /**
     * The barrier of a handler.
     *
     * @param handler the handler
     * @return its barrier; null if the handler is not part of the graph
     */
    public @Nullable SequenceBarrier getBarrierFor(EventHandlerIdentity handler) {
        return consumers.barrierOf(handler);
    }

    /**
     * The progress of a handler.
     *
     * @param b1 the handler
     * @return the last sequence that it has handled
     * @throws IllegalArgumentException if the handler is not part of the graph
     */
    public long getSequenceValueFor(EventHandlerIdentity b1) {
        return consumers.consumerOf(b1).processor().getSequence().get();
    }
}
