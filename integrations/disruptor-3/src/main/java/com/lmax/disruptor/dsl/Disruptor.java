package com.lmax.disruptor.dsl;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventFactory;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.WorkHandler;
import com.lmax.disruptor.WorkProcessor;
import com.lmax.disruptor.util.Util;
import io.sluice.core.check.Check;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
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
     * @param executor has a thread for each consumer
     * @throws IllegalArgumentException if {@code ringBufferSize} is no power of two
     * @deprecated as in the Disruptor: an executor with too few threads leaves consumers without one
     */
    @Deprecated
    public Disruptor(EventFactory<T> eventFactory, int ringBufferSize, Executor executor) {
        this(RingBuffer.createMultiProducer(eventFactory, ringBufferSize), executor);
    }

    /**
     * Creates a ring.
     *
     * @param eventFactory makes the events
     * @param ringBufferSize the number of slots, a power of two
     * @param executor has a thread for each consumer
     * @param producerType for one producer or for many
     * @param waitStrategy how consumers wait
     * @throws IllegalArgumentException if {@code ringBufferSize} is no power of two
     * @deprecated as in the Disruptor: an executor with too few threads leaves consumers without one
     */
    @Deprecated
    public Disruptor(
            EventFactory<T> eventFactory,
            int ringBufferSize,
            Executor executor,
            ProducerType producerType,
            WaitStrategy waitStrategy) {
        this(RingBuffer.create(producerType, eventFactory, ringBufferSize, waitStrategy), executor);
    }

    private Disruptor(RingBuffer<T> ringBuffer, Executor executor) {
        super(ringBuffer, Executors.launcher(executor), executor);
    }

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

    /**
     * Adds workers that share out the events: each event goes to one of them.
     *
     * @param workHandlers one for each worker
     * @return the group of these workers
     * @throws IllegalStateException if it is started
     * @throws IllegalArgumentException if there are none
     */
    @SafeVarargs
    public final EventHandlerGroup<T> handleEventsWithWorkerPool(WorkHandler<T>... workHandlers) {
        return createWorkerPool(CURSOR, workHandlers);
    }

    final EventHandlerGroup<T> createEventProcessors(Sequence[] followed, EventHandler<? super T>[] handlers) {
        checkNotStarted();
        SequenceBarrier barrier = ringBuffer.newBarrier(followed);
        List<BatchEventProcessor<T>> processors = new ArrayList<>();
        for (EventHandler<? super T> handler : handlers) {
            processors.add(new BatchEventProcessor<>(ringBuffer, barrier, handler));
        }
        Sequence[] sequences = add(processors, handlers, barrier);
        link(followed, sequences);
        return new EventHandlerGroup<>(this, sequences);
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

    /** The workers are consumers side by side. Their group also has the highest claim: it gates when all have released. */
    final EventHandlerGroup<T> createWorkerPool(Sequence[] followed, WorkHandler<? super T>[] handlers) {
        checkNotStarted();
        Check.inRange(handlers.length, 1, Integer.MAX_VALUE, "number of workHandlers");
        Sequence[] sequences = new Sequence[handlers.length + 1];
        SequenceBarrier barrier = ringBuffer.newBarrier(followed);
        Sequence claimed = new Sequence();
        sequences[handlers.length] = claimed;
        EventProcessor[] workers = new EventProcessor[handlers.length];
        for (int i = 0; i < handlers.length; i++) {
            workers[i] = new WorkProcessor<>(ringBuffer, barrier, handlers[i], exceptionHandler, claimed);
            sequences[i] = workers[i].getSequence();
        }
        addProcessors(workers); // behind the making of all: where one cannot be made, none is added
        consumers.share(claimed, sequences);
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
    @SafeVarargs
    public final EventHandlerGroup<T> after(EventHandler<T>... handlers) {
        Sequence[] sequences = new Sequence[handlers.length];
        for (int i = 0; i < handlers.length; i++) {
            sequences[i] = consumers.consumerOf(handlers[i]).processor().getSequence();
        }
        return new EventHandlerGroup<>(this, sequences);
    }

    /**
     * The group of processors, which become part of the graph if they are not.
     *
     * @param processors the processors
     * @return a group that others may follow
     */
    public EventHandlerGroup<T> after(EventProcessor... processors) {
        addProcessors(processors);
        return new EventHandlerGroup<>(this, Util.getSequencesFor(processors));
    }

    /**
     * Sets the exception handler of one handler.
     *
     * @param eventHandler the handler
     * @return what takes the exception handler
     */
    public ExceptionHandlerSetting<T> handleExceptionsFor(EventHandler<T> eventHandler) {
        return new ExceptionHandlerSetting<>(eventHandler, consumers);
    }

    // ---- questions

    /**
     * The barrier of a handler.
     *
     * @param handler the handler
     * @return its barrier; null if the handler is not part of the graph
     */
    public @Nullable SequenceBarrier getBarrierFor(EventHandler<T> handler) {
        return consumers.barrierOf(handler);
    }

    /**
     * The progress of a handler.
     *
     * @param b1 the handler
     * @return the last sequence that it has handled
     * @throws IllegalArgumentException if the handler is not part of the graph
     */
    public long getSequenceValueFor(EventHandler<T> b1) {
        return consumers.consumerOf(b1).processor().getSequence().get();
    }
}
