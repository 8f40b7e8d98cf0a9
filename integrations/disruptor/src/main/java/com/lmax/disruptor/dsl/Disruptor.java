package com.lmax.disruptor.dsl;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.BatchEventProcessorBuilder;
import com.lmax.disruptor.BatchRewindStrategy;
import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.EventFactory;
import com.lmax.disruptor.EventHandler;
import com.lmax.disruptor.EventHandlerIdentity;
import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.EventTranslator;
import com.lmax.disruptor.EventTranslatorOneArg;
import com.lmax.disruptor.EventTranslatorThreeArg;
import com.lmax.disruptor.EventTranslatorTwoArg;
import com.lmax.disruptor.ExceptionHandler;
import com.lmax.disruptor.RewindableEventHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.TimeoutException;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.util.Util;
import io.sluice.core.check.Check;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A ring with a graph of handlers, each with a thread of its own: wired, started and shut down together.
 *
 * <p>One thread wires the graph and starts it. {@link #shutdown()}, {@link #halt()} and what only asks are for any thread.
 *
 * @param <T> the type of the events
 */
@SuppressWarnings("varargs") // the arrays are only read
public class Disruptor<T> {
    private static final Sequence[] CURSOR = {};

    private static final int WIRED = 0;
    private static final int STARTED = 1;
    private static final int SHUT_DOWN_FIRST = 2;

    private final RingBuffer<T> ringBuffer;
    private final ThreadFactory threadFactory;
    private final ConsumerRepository consumers = new ConsumerRepository();
    private final AtomicInteger state = new AtomicInteger(WIRED);
    private final ExceptionHandlerWrapper<T> defaultHandler = new ExceptionHandlerWrapper<>();
    private ExceptionHandler<? super T> exceptionHandler = defaultHandler;

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
        ringBuffer = RingBuffer.create(producerType, eventFactory, ringBufferSize, waitStrategy);
        this.threadFactory = threadFactory;
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

    final void addProcessors(EventProcessor... processors) {
        for (EventProcessor processor : processors) {
            consumers.add(processor, null, null);
        }
    }

    final EventHandlerGroup<T> createEventProcessors(Sequence[] followed, EventHandler<? super T>[] handlers) {
        checkNotStarted();
        Sequence[] sequences = new Sequence[handlers.length];
        SequenceBarrier barrier = ringBuffer.newBarrier(followed);
        for (int i = 0; i < handlers.length; i++) {
            sequences[i] = add(
                    new BatchEventProcessorBuilder().<T>build(ringBuffer, barrier, handlers[i]), handlers[i], barrier);
        }
        return linked(followed, sequences);
    }

    final EventHandlerGroup<T> createEventProcessors(
            Sequence[] followed, BatchRewindStrategy strategy, RewindableEventHandler<? super T>[] handlers) {
        checkNotStarted();
        Sequence[] sequences = new Sequence[handlers.length];
        SequenceBarrier barrier = ringBuffer.newBarrier(followed);
        for (int i = 0; i < handlers.length; i++) {
            sequences[i] = add(
                    new BatchEventProcessorBuilder().<T>build(ringBuffer, barrier, handlers[i], strategy),
                    handlers[i],
                    barrier);
        }
        return linked(followed, sequences);
    }

    final EventHandlerGroup<T> createEventProcessors(Sequence[] followed, EventProcessorFactory<T>[] factories) {
        EventProcessor[] processors = new EventProcessor[factories.length];
        for (int i = 0; i < factories.length; i++) {
            processors[i] = factories[i].createEventProcessor(ringBuffer, followed.clone());
        }
        return handleEventsWith(processors);
    }

    private Sequence add(BatchEventProcessor<T> processor, EventHandlerIdentity handler, SequenceBarrier barrier) {
        processor.setExceptionHandler(exceptionHandler);
        consumers.add(processor, handler, barrier);
        return processor.getSequence();
    }

    /** Claims wait for the new consumers, and no longer for those whom they follow. */
    private EventHandlerGroup<T> linked(Sequence[] followed, Sequence[] sequences) {
        if (sequences.length > 0) {
            ringBuffer.addGatingSequences(sequences);
            for (Sequence sequence : followed) {
                ringBuffer.removeGatingSequence(sequence);
            }
            consumers.areFollowed(followed);
        }
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
     * Sets the exception handler of handlers that are added after this call.
     *
     * @param exceptionHandler who is told
     */
    public void handleExceptionsWith(ExceptionHandler<? super T> exceptionHandler) {
        this.exceptionHandler = exceptionHandler;
    }

    /**
     * Sets the exception handler of all handlers that have none of their own, before and after the start.
     *
     * @param exceptionHandler who is told
     * @throws IllegalStateException if {@link #handleExceptionsWith} was called
     */
    public void setDefaultExceptionHandler(ExceptionHandler<? super T> exceptionHandler) {
        Check.notNull(exceptionHandler, "exceptionHandler");
        if (this.exceptionHandler != defaultHandler) {
            throw new IllegalStateException(
                    "the default exception handler must be set before handleExceptionsWith, but that was called");
        }
        defaultHandler.switchTo(exceptionHandler);
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

    private void checkNotStarted() {
        if (state.get() == STARTED) {
            throw new IllegalStateException("handlers must be added before the start, but it is started");
        }
    }

    // ---- publishing

    /**
     * Publishes an event. Waits while the ring is full.
     *
     * @param eventTranslator fills it
     */
    public void publishEvent(EventTranslator<T> eventTranslator) {
        ringBuffer.publishEvent(eventTranslator);
    }

    /**
     * Publishes an event. Waits while the ring is full.
     *
     * @param eventTranslator fills it
     * @param arg0 given to the translator
     * @param <A> the type of the first argument
     */
    public <A extends @Nullable Object> void publishEvent(EventTranslatorOneArg<T, A> eventTranslator, A arg0) {
        ringBuffer.publishEvent(eventTranslator, arg0);
    }

    /**
     * Publishes an event. Waits while the ring is full.
     *
     * @param eventTranslator fills it
     * @param arg0 given to the translator
     * @param arg1 given to the translator
     * @param <A> the type of the first argument
     * @param <B> the type of the second argument
     */
    public <A extends @Nullable Object, B extends @Nullable Object> void publishEvent(
            EventTranslatorTwoArg<T, A, B> eventTranslator, A arg0, B arg1) {
        ringBuffer.publishEvent(eventTranslator, arg0, arg1);
    }

    /**
     * Publishes an event. Waits while the ring is full.
     *
     * @param eventTranslator fills it
     * @param arg0 given to the translator
     * @param arg1 given to the translator
     * @param arg2 given to the translator
     * @param <A> the type of the first argument
     * @param <B> the type of the second argument
     * @param <C> the type of the third argument
     */
    public <A extends @Nullable Object, B extends @Nullable Object, C extends @Nullable Object> void publishEvent(
            EventTranslatorThreeArg<T, A, B, C> eventTranslator, A arg0, B arg1, C arg2) {
        ringBuffer.publishEvent(eventTranslator, arg0, arg1, arg2);
    }

    /**
     * Publishes an event for each element of an array, together. Waits while the ring has no room for all.
     *
     * @param eventTranslator fills them
     * @param arg given to the translator, one element for each event
     * @param <A> the type of the argument
     * @throws IllegalArgumentException if there are none, or more than the ring holds
     */
    public <A extends @Nullable Object> void publishEvents(EventTranslatorOneArg<T, A> eventTranslator, A[] arg) {
        ringBuffer.publishEvents(eventTranslator, arg);
    }

    // ---- life

    /**
     * Starts a thread for each consumer. After a {@link #shutdown()} that came first, it waits until what had been published is
     * handled, and halts the consumers again.
     *
     * @return the ring
     * @throws IllegalStateException if it was started before
     */
    public RingBuffer<T> start() {
        int before = state.getAndSet(STARTED);
        if (before == STARTED) {
            throw new IllegalStateException("the graph must be started once, but it is started");
        }
        for (Consumer consumer : consumers.consumers()) {
            consumer.start(threadFactory);
        }
        if (before == SHUT_DOWN_FIRST) {
            shutdown();
        }
        return ringBuffer;
    }

    /** Halts all consumers after the event in hand. Does not wait, and leaves events unhandled. */
    public void halt() {
        for (Consumer consumer : consumers.consumers()) {
            consumer.processor().halt();
        }
    }

    /**
     * Waits until all events that were published are handled, also by consumers whose threads have not begun yet, and halts the
     * consumers. Publishers must have ended. A consumer that has ended by an exception is not waited for. The caller parks while
     * it waits. Before {@link #start} it only has the start end so.
     */
    public void shutdown() {
        try {
            shutdown(-1, TimeUnit.MILLISECONDS);
        } catch (TimeoutException withoutLimit) {
            throw new AssertionError(withoutLimit);
        }
    }

    /**
     * As {@link #shutdown()}, for a limited time.
     *
     * @param timeout how long; negative for any time
     * @param timeUnit the unit of {@code timeout}
     * @throws TimeoutException if events are left after it; then no consumer is halted
     */
    public void shutdown(long timeout, TimeUnit timeUnit) throws TimeoutException {
        if (state.compareAndSet(WIRED, SHUT_DOWN_FIRST)) {
            return;
        }
        long start = System.nanoTime();
        long limit = timeUnit.toNanos(timeout);
        long pauseNanos = FIRST_PAUSE_NANOS;
        while (consumers.hasBacklog(ringBuffer.getCursor())) {
            if (timeout >= 0 && System.nanoTime() - start > limit) {
                throw TimeoutException.INSTANCE;
            }
            boolean interrupted = Thread.interrupted(); // a flag that is set would make each park return at once
            LockSupport.parkNanos(this, pauseNanos);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
        }
        halt();
    }

    private static final long FIRST_PAUSE_NANOS = 10_000;
    private static final long LONGEST_PAUSE_NANOS = 1_000_000;

    // ---- questions

    /**
     * The ring.
     *
     * @return it
     */
    public RingBuffer<T> getRingBuffer() {
        return ringBuffer;
    }

    /**
     * The ring's cursor.
     *
     * @return the last sequence that was claimed or published
     */
    public long getCursor() {
        return ringBuffer.getCursor();
    }

    /**
     * The size of the ring.
     *
     * @return the number of slots
     */
    public long getBufferSize() {
        return ringBuffer.getBufferSize();
    }

    /**
     * The event of a sequence.
     *
     * @param sequence the sequence
     * @return the event
     */
    public T get(long sequence) {
        return ringBuffer.get(sequence);
    }

    /**
     * The barrier of a handler.
     *
     * @param handler the handler
     * @return its barrier
     * @throws IllegalArgumentException if the handler is not part of the graph
     */
    public SequenceBarrier getBarrierFor(EventHandlerIdentity handler) {
        return Check.notNull(consumers.consumerOf(handler).barrier(), "barrier");
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

    /**
     * Whether {@link #start} was called. Any thread.
     *
     * @return whether it is started
     */
    public boolean hasStarted() {
        return state.get() == STARTED;
    }

    @Override
    public String toString() {
        return "Disruptor{ringBuffer=" + ringBuffer + ", started=" + hasStarted() + ", threadFactory=" + threadFactory
                + '}';
    }
}
