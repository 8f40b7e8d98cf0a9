package com.lmax.disruptor.dsl;

import com.lmax.disruptor.BatchEventProcessor;
import com.lmax.disruptor.EventProcessor;
import com.lmax.disruptor.EventTranslator;
import com.lmax.disruptor.EventTranslatorOneArg;
import com.lmax.disruptor.EventTranslatorThreeArg;
import com.lmax.disruptor.EventTranslatorTwoArg;
import com.lmax.disruptor.ExceptionHandler;
import com.lmax.disruptor.FatalExceptionHandler;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SequenceBarrier;
import com.lmax.disruptor.TimeoutException;
import com.lmax.disruptor.dsl.ConsumerRepository.Look;
import io.sluice.core.check.Check;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The part of a graph of consumers that all versions of the API share: publishing, life and questions. A subclass adds the wiring. */
abstract class Graph<T> {
    private static final int WIRED = 0;
    private static final int SHUT_DOWN_FIRST = 1;
    private static final int STARTING = 2;
    private static final int STARTED = 3;

    private static final long FIRST_PAUSE_NANOS = 10_000;
    private static final long LONGEST_PAUSE_NANOS = 1_000_000;

    /** A consumer without a thread after this time is taken for one whose executor has too few. */
    private static final long PATIENCE_NANOS = 100_000_000;

    /** After so many looks without a backlog, but with a moving cursor, shutdown takes the publisher for one that does not end. */
    private static final int MOST_MOVED = 1_000;

    final RingBuffer<T> ringBuffer;
    final ConsumerRepository consumers = new ConsumerRepository();
    private final Launcher launcher;
    private final Object threads;
    private final AtomicInteger state = new AtomicInteger(WIRED);

    /** The thread in {@link #start()}. */
    private final AtomicReference<@Nullable Thread> starter = new AtomicReference<>();

    /** Whether the start ends with a shutdown. Of the thread in {@link #start()}. */
    private boolean startsToShutDown;

    /** The exception handler of a handler that is added now; null for the processor's own default. */
    @Nullable
    ExceptionHandler<? super T> exceptionHandler = new ExceptionHandlerWrapper<>();

    /** Takes the source of the launcher's threads, too, for {@code toString}. */
    Graph(RingBuffer<T> ringBuffer, Launcher launcher, Object threads) {
        this.ringBuffer = ringBuffer;
        this.launcher = launcher;
        this.threads = threads;
    }

    // ---- wiring

    final void addProcessors(EventProcessor... processors) {
        for (EventProcessor processor : processors) {
            consumers.add(processor, null, null);
        }
    }

    /**
     * Adds processors with the exception handler that is set now, and returns their progress. They are made
     * before: if one cannot be made, none is added.
     */
    final Sequence[] add(List<BatchEventProcessor<T>> processors, Object[] handlers, SequenceBarrier barrier) {
        Sequence[] sequences = new Sequence[handlers.length];
        for (int i = 0; i < handlers.length; i++) {
            BatchEventProcessor<T> processor = processors.get(i);
            if (exceptionHandler != null) {
                processor.setExceptionHandler(exceptionHandler);
            }
            consumers.add(processor, handlers[i], barrier);
            sequences[i] = processor.getSequence();
        }
        return sequences;
    }

    /** Claims wait for the new consumers, and no longer for the consumers that these follow. */
    final void link(Sequence[] followed, Sequence[] sequences) {
        if (sequences.length > 0) {
            ringBuffer.addGatingSequences(sequences);
            for (Sequence sequence : followed) {
                ringBuffer.removeGatingSequence(sequence);
            }
            consumers.follow(sequences, followed);
        }
    }

    /**
     * Sets the exception handler of handlers that are added after this call.
     *
     * @param exceptionHandler who is told; null for a {@link FatalExceptionHandler}
     */
    public void handleExceptionsWith(@Nullable ExceptionHandler<? super T> exceptionHandler) {
        this.exceptionHandler = exceptionHandler;
    }

    /**
     * Sets the exception handler of all handlers that have none of their own, before and after the start.
     *
     * @param exceptionHandler who is told
     * @throws IllegalStateException if {@link #handleExceptionsWith} was called, but for one with an {@link ExceptionHandlerWrapper}:
     *     then this exchanges the handler of that wrapper
     */
    @SuppressWarnings("unchecked") // a wrapper of the program's own is for these events
    public void setDefaultExceptionHandler(ExceptionHandler<? super T> exceptionHandler) {
        Check.notNull(exceptionHandler, "exceptionHandler");
        if (!(this.exceptionHandler instanceof ExceptionHandlerWrapper<?> wrapper)) {
            throw new IllegalStateException(
                    "the default exception handler must be set before handleExceptionsWith, but that was called");
        }
        ((ExceptionHandlerWrapper<T>) wrapper).switchTo(exceptionHandler);
    }

    final void checkNotStarted() {
        if (hasStarted()) {
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
        int before = state.getAndUpdate(now -> now == WIRED || now == SHUT_DOWN_FIRST ? STARTING : now);
        if (before == STARTING || before == STARTED) {
            throw new IllegalStateException("the graph must be started once, but it is started");
        }
        startsToShutDown = before == SHUT_DOWN_FIRST;
        starter.setOpaque(Thread.currentThread()); // opaque: each thread looks for itself only
        try {
            for (Consumer consumer : consumers.consumers()) {
                consumer.start(launcher);
            }
        } finally {
            starter.setOpaque(null); // opaque: as above
            state.set(STARTED); // volatile: who sees it sees which consumers have a thread
            if (startsToShutDown) {
                shutdown();
            }
        }
        return ringBuffer;
    }

    /** Halts all consumers after the batch in hand. Does not wait, and leaves events unhandled. */
    public void halt() {
        for (Consumer consumer : consumers.consumers()) {
            consumer.processor().halt();
        }
    }

    /**
     * Waits until all events that were published are handled, also by consumers whose threads have not begun yet, and halts the
     * consumers. Publishers must have ended; only those that wait for room may go on, and their events are handled too. A consumer that
     * has ended, by a halt or by an exception, is not waited for, and neither are events that reach another consumer only through it, nor
     * producers to whom only it could give room. A gate that is no consumer of the graph counts as alive: while it gives no room, producers
     * are waited for. Events that handlers publish meanwhile are handled too. If a consumer waits for a thread of an executor
     * that has too few, consumers that have handled all are halted before the others, so that it gets one of their threads;
     * they run again if more events come for them. The caller parks while it waits. Before {@link #start}, and by the thread
     * that is in it, it only has the start end so.
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
        // volatile: as in start; a second one before the start changes nothing
        if (state.getAndAccumulate(SHUT_DOWN_FIRST, Math::max) <= SHUT_DOWN_FIRST) {
            return;
        }
        if (starter.getOpaque() == Thread.currentThread()) { // opaque: as in start
            startsToShutDown = true; // it would wait for itself
            return;
        }
        long start = System.nanoTime();
        long limit = timeUnit.toNanos(timeout);
        long pauseNanos = FIRST_PAUSE_NANOS;
        boolean mayHalt = false;
        int moved = 0;
        while (true) {
            Look look = consumers.look(ringBuffer, launcher, state.get() == STARTING, mayHalt); // volatile: as in start
            if (look == Look.DONE || (look == Look.MOVED && ++moved > MOST_MOVED)) {
                break;
            }
            long waited = System.nanoTime() - start;
            if (timeout >= 0 && waited > limit) {
                throw TimeoutException.INSTANCE;
            }
            mayHalt = timeout < 0 && waited > PATIENCE_NANOS;
            boolean interrupted = Thread.interrupted(); // a flag that is set would make each park return at once
            LockSupport.parkNanos(this, pauseNanos);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
        }
        halt();
    }

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
     * Whether {@link #start} was called. Any thread.
     *
     * @return whether it is started
     */
    public boolean hasStarted() {
        return state.get() >= STARTING;
    }

    @Override
    public String toString() {
        return "Disruptor{ringBuffer=" + ringBuffer + ", started=" + hasStarted() + ", threads by " + threads + '}';
    }
}
