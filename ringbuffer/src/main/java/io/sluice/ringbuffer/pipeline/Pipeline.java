package io.sluice.ringbuffer.pipeline;

import io.sluice.core.FailurePolicy;
import io.sluice.core.Runner;
import io.sluice.core.RunnerAgent;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.RingFailedException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.IdleStrategy;

/**
 * The consumers of a ring and who waits for whom. Handlers are declared before the first claim, and gate the ring from then
 * on; so events published before {@link #start} are handled after it, up to the capacity. After the start others may {@link
 * #join(NewConsumer) join}, and any consumer may leave.
 *
 * <pre>{@code
 * Pipeline<Order> pipeline = Pipeline.on(ring);
 * pipeline.handleEventsWith(journal, risk).then(pipeline.consumer("books", books).batchLimit(64));
 * pipeline.start();
 * }</pre>
 *
 * <p>Before the start one thread builds. After it, declarations and settings are refused, and any thread may call the other methods; but a
 * handler, or a thread of this pipeline, must not call {@code drain}, {@code close}, {@code awaitHandled}, or {@code start}, {@code
 * processor} or {@code poller} of a {@link Join}. These wait. Of the other methods only {@link ConsumerHandle#remove(long)} waits, at most
 * for the time that it is given.
 *
 * @param <E> the events' type
 */
public final class Pipeline<E> extends PipelineGraph<E> implements AutoCloseable {
    private static final long AWAIT_PARK_NANOS = 50_000;

    private Pipeline(FollowedRing<E> ring) {
        super(ring);
    }

    /**
     * Begins a pipeline.
     *
     * @param ring a ring built by RingBufferBuilder, of any kind, without a pipeline and without claims
     * @param <E> the events' type
     * @return a pipeline without consumers
     * @throws IllegalArgumentException if the ring was not built by {@code RingBufferBuilder}
     * @throws IllegalStateException if the ring has a pipeline already
     */
    public static <E> Pipeline<E> on(RingBuffer<E> ring) {
        FollowedRing<E> followed = FollowedRing.of(ring);
        FailurePathWarmUp.done();
        return new Pipeline<>(followed);
    }

    /**
     * The ring.
     *
     * @return the ring that the pipeline was begun with
     */
    public RingBuffer<E> ring() {
        return ring;
    }

    /**
     * Has events emptied once every consumer has finished them, so that the ring keeps nothing alive that they refer to. One
     * more consumer does it, behind the last consumers of the graph and behind those that join later. Publishers wait for it, as for
     * any consumer. The batches of the consumers before it are cut as for any dependent ({@link NewConsumer#batchLimit}). On a ring
     * that {@link RingBufferBuilder#retain retains} events, these are emptied that much later. It runs from the start on,
     * also where all others are pollers.
     *
     * @param name its name, unique in the pipeline
     * @param clearer empties an event; its exceptions go to the failure policy
     * @return a consumer for its settings, which is to be given to {@link #clearEventsWith(NewConsumer)}
     */
    public NewConsumer<E> clearer(String name, EventClearer<? super E> clearer) {
        return newConsumer(name, Check.notNull(clearer, "clearer"), ConsumerKind.CLEARER);
    }

    /**
     * Declares the consumer that empties events: see {@link #clearer}.
     *
     * @param clearer what {@link #clearer} has made
     * @return this
     * @throws IllegalArgumentException if it is a handler of this pipeline too, a name is taken, or it is no clearer
     * @throws IllegalStateException if there is one already, the pipeline has started or is being started, or the ring has handed out
     *     claims
     */
    public Pipeline<E> clearEventsWith(NewConsumer<E> clearer) {
        declarations.declareClearer(Check.notNull(clearer, "clearer"));
        return this;
    }

    /**
     * Declares the consumer that empties events, under the name {@code clear}: see {@link #clearer}.
     *
     * @param clearer empties an event
     * @return this
     * @throws IllegalArgumentException as {@link #clearEventsWith(NewConsumer)}
     * @throws IllegalStateException as {@link #clearEventsWith(NewConsumer)}
     */
    public Pipeline<E> clearEventsWith(EventClearer<? super E> clearer) {
        return clearEventsWith(clearer("clear", clearer));
    }

    // settings

    /**
     * Sets the failure policy of all consumers that have none of their own. The default halts.
     *
     * @param all the policy
     * @return this
     * @throws IllegalStateException if the pipeline has started or is being started
     */
    public Pipeline<E> onFailure(FailurePolicy<? super E> all) {
        Check.notNull(all, "policy");
        settings.beforeStart("onFailure").policy = all;
        return this;
    }

    /**
     * Sets the handler of failures that nobody else would report. It is told of a failure that halts a consumer, once, as a {@link
     * ConsumerFailedException} whose cause is what the handler threw; of a thread that failed; and of what {@link #close} left
     * unhandled, as an {@link EventsLeftException}. Without an error handler the platform's {@code System.Logger} named {@code
     * io.sluice.ringbuffer} logs all this: failures as errors, a leftover as a warning.
     *
     * <p>It is called on the thread that fails or closes, after the ring has failed, and before that thread ends; it must not wait
     * for this ring. If it throws, that is logged, with what it was told.
     *
     * @param handler the error handler
     * @return this
     * @throws IllegalStateException if the pipeline has started or is being started
     */
    public Pipeline<E> errorHandler(ErrorHandler handler) {
        Check.notNull(handler, "handler");
        settings.beforeStart("errorHandler");
        reports.handler(handler);
        return this;
    }

    /**
     * Sets the factory of the threads. The default makes platform threads, never daemons, named {@code sluice-} and the thread's name
     * in the pipeline. A factory names its threads itself. The start calls it on its caller's thread, and so does each join. If several
     * threads join at once, the factory must be thread-safe. An exception that reaches a thread's uncaught handler is a bug of this
     * library: handlers' failures go to the failure policies.
     *
     * @param factory makes threads, not started; virtual ones are refused where the idle strategy spins
     * @return this
     * @throws IllegalStateException if the pipeline has started or is being started
     */
    public Pipeline<E> threads(ThreadFactory factory) {
        Check.notNull(factory, "factory");
        settings.beforeStart("threads");
        settings.factory = factory;
        settings.namesThreads = false;
        return this;
    }

    /**
     * Sets what each thread does first, for instance to pin itself to a core.
     *
     * @param hook called on the new thread with its name in the pipeline; an exception of it fails the ring, and is reported
     * @return this
     * @throws IllegalStateException if the pipeline has started or is being started
     */
    public Pipeline<E> onThreadStart(Consumer<String> hook) {
        Check.notNull(hook, "hook");
        settings.beforeStart("onThreadStart").threadStart = hook;
        return this;
    }

    /**
     * Runs all consumers on one thread, in the order of their declaration.
     *
     * @param name the thread's name
     * @return this
     * @throws IllegalStateException if the pipeline has started or is being started
     */
    public Pipeline<E> oneThread(String name) {
        Check.notNull(name, "name");
        settings.beforeStart("oneThread").oneThread = name;
        return this;
    }

    /**
     * Sets the idle strategy of one thread, instead of the ring's.
     *
     * @param thread the thread's name in the pipeline
     * @param supplier makes the idle strategy; a {@link SignalledIdle} only if the ring's is one, and exact only if that is
     * @return this
     * @throws IllegalStateException if the pipeline has started or is being started
     */
    public Pipeline<E> idle(String thread, Supplier<? extends IdleStrategy> supplier) {
        Check.notNull(thread, "thread");
        settings.beforeStart("idle").idles.put(thread, Check.notNull(supplier, "supplier"));
        return this;
    }

    /**
     * Sets whether consumers' threads wait a little after a batch of four events or more, so that a stream at full speed moves more
     * events: see {@link Runner}. The wait is as long as the batch, 3.2 microseconds at most. A thread that spins waits only while that
     * moves more events. The default is that they may wait.
     *
     * @param wait false for the shortest way to the next event under load
     * @return this
     * @throws IllegalStateException if the pipeline has started or is being started
     */
    public Pipeline<E> pollBackOff(boolean wait) {
        settings.beforeStart("pollBackOff").pollBackOff = wait;
        return this;
    }

    // life

    /**
     * Starts the consumers on their threads. Blocks only for starting threads.
     *
     * @return this
     * @throws IllegalStateException if there is no consumer, the pipeline has started or is being started, or the ring is closed or has
     *     failed, also meanwhile; then nothing has started
     * @throws IllegalArgumentException if an idle strategy, a thread or a worker's failure policy does not fit; then nothing
     *     has started. If a thread's own start throws, that fails the ring, since other threads may have started by then
     */
    public Pipeline<E> start() {
        threads.start();
        return this;
    }

    /**
     * Starts the consumers without threads: the caller runs them all by calling the agent, for instance with Agrona's
     * {@code AgentInvoker}, from one thread at a time.
     *
     * @return the agent: {@code onStart}, then {@code doWork} again and again, then {@code onClose}
     * @throws IllegalStateException as {@link #start()}
     */
    public RunnerAgent startInvoked() {
        return new InvokedPipeline<>(threads.startLoops());
    }

    /**
     * Starts the consumers without threads and hands out their processors, for the caller's own agent runners. Idle
     * strategies are the runners' then; nothing signals them.
     *
     * @return one processor for each consumer but the pollers, in the order of their declaration; each for one thread at a
     *     time
     * @throws IllegalStateException as {@link #start()}
     */
    public List<EventProcessor> startProcessors() {
        return List.copyOf(threads.startLoops());
    }

    /**
     * As {@link #awaitHandled(long, long)}.
     *
     * @param sequence the sequence, 0 or more
     * @param limit how long to wait at most
     * @return whether it is finished
     */
    public boolean awaitHandled(long sequence, Duration limit) {
        return awaitHandled(sequence, Check.nanos(limit, "limit"));
    }

    /**
     * Waits until every consumer has finished a sequence. Blocks.
     *
     * @param sequence the sequence, 0 or more
     * @param timeoutNanos how long to wait at most, in nanoseconds; 0 or less only to look
     * @return whether it is finished; false when the time is over, the thread is interrupted (its flag stays set), or the
     *     ring is closed before
     * @throws IllegalArgumentException if the sequence is negative
     * @throws RingFailedException if the ring fails before: once every consumer has ended, is paused, or is run by no thread;
     *     at the latest when the time is over
     * @throws IllegalStateException if called from a handler of this ring or a thread of this pipeline, or if the sequence is published
     *     and it had to wait for a consumer that the calling thread polls or invokes: it would wait for itself
     */
    public boolean awaitHandled(long sequence, long timeoutNanos) {
        Check.inRange(sequence, 0, Long.MAX_VALUE, "sequence");
        followers.checkMayWait("awaitHandled");
        return awaitFinished(sequence, timeoutNanos);
    }

    private boolean awaitFinished(long sequence, long timeoutNanos) {
        long started = System.nanoTime();
        for (; ; ) {
            State state = ring.state(); // before the consumers are looked at: they end after the ring
            boolean hopeless = (state == State.FAILED || state == State.CLOSED) && threads.noConsumerRuns();
            followers.takeOutRefused();
            ring.settleWakeUps();
            if (ring.gating().minimum(Long.MAX_VALUE) >= sequence) { // acquire inside
                return true;
            }
            boolean late = Thread.currentThread().isInterrupted() || System.nanoTime() - started >= timeoutNanos;
            if (state == State.FAILED && (hopeless || late)) {
                throw ring.failed();
            }
            if (hopeless || late) {
                return false;
            }
            followers.checkNotAwaitedBy(Thread.currentThread(), "awaitHandled", sequence);
            LockSupport.parkNanos(this, AWAIT_PARK_NANOS);
        }
    }

    /**
     * {@link Ring#drain(long)} of the ring.
     *
     * @param timeoutNanos how long to wait at most, in nanoseconds
     * @return what is left
     * @throws RingFailedException if the ring has failed or fails meanwhile
     */
    public Ring.Leftover drain(long timeoutNanos) {
        return ring.drain(timeoutNanos);
    }

    /**
     * {@link Ring#drain(Duration)} of the ring.
     *
     * @param limit how long to wait at most
     * @return what is left
     * @throws RingFailedException if the ring has failed or fails meanwhile
     */
    public Ring.Leftover drain(Duration limit) {
        return ring.drain(limit);
    }

    /**
     * {@link Ring#close()} of the ring: stops the consumers and waits for their threads, 10 seconds at most. Reports
     * once how much is unhandled then, and which threads are still inside a handler: see {@link #errorHandler}.
     *
     * @throws IllegalStateException if called from a handler
     */
    @Override
    public void close() {
        ring.close();
    }

    /**
     * {@link Ring#close(Duration)} of the ring.
     *
     * @param limit how long to wait for the threads
     * @return what is left
     * @throws IllegalStateException if called from a handler
     */
    public Ring.Leftover close(Duration limit) {
        return ring.close(limit);
    }

    // inspection

    /**
     * The consumers in the order of their declaration.
     *
     * @return a copy
     */
    public List<ConsumerHandle> consumers() {
        return List.copyOf(consumers.all());
    }

    /**
     * The consumer that runs a handler of events.
     *
     * @param handler a handler of this pipeline
     * @return its consumer
     * @throws IllegalArgumentException if the handler is not in the pipeline
     */
    public ConsumerHandle consumer(EventHandler<? super E> handler) {
        return consumers.of(Check.notNull(handler, "handler"));
    }
}
