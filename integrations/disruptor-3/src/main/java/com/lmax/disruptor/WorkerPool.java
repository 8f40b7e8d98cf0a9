package com.lmax.disruptor;

import io.sluice.core.check.Check;
import java.util.Arrays;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Workers that share out the events of a ring: each event goes to one of them. Any thread may call any method; only {@link
 * #drainAndHalt()} waits.
 *
 * @param <T> the type of the events
 */
@SuppressWarnings("varargs") // only read
public final class WorkerPool<T> {
    private static final int OWN_RING = 1024;

    /** A gating sequence that stands still for so long is taken for dead. */
    private static final long PATIENCE_NANOS = 1_000_000_000;

    private static final int MOST_MOVED = 1_000;

    private final Sequence workSequence = new Sequence();
    private final RingBuffer<T> ringBuffer;

    /** Also the lock of a start and a halt. */
    private final Worker[] workers;

    private boolean started;

    /**
     * Creates a pool on a ring. Add {@link #getWorkerSequences()} to the gating sequences of the ring before the start.
     *
     * @param ringBuffer gives the events
     * @param sequenceBarrier says how far the workers may go
     * @param exceptionHandler is told of exceptions; null for a {@link FatalExceptionHandler}
     * @param workHandlers one for each worker
     * @throws NullPointerException if another argument is null
     * @throws IllegalArgumentException if there are no handlers
     */
    @SafeVarargs
    public WorkerPool(
            RingBuffer<T> ringBuffer,
            SequenceBarrier sequenceBarrier,
            @Nullable ExceptionHandler<? super T> exceptionHandler,
            WorkHandler<? super T>... workHandlers) {
        this.ringBuffer = Check.notNull(ringBuffer, "ringBuffer");
        Check.notNull(sequenceBarrier, "sequenceBarrier");
        Check.inRange(workHandlers.length, 1, Integer.MAX_VALUE, "number of workHandlers");
        workers = Arrays.stream(workHandlers)
                .map(handler -> new Worker(
                        new WorkProcessor<T>(ringBuffer, sequenceBarrier, handler, exceptionHandler, workSequence)))
                .toArray(Worker[]::new);
    }

    /**
     * Creates a pool with a ring of its own: 1,024 slots, any number of producers, a {@link BlockingWaitStrategy}.
     *
     * @param eventFactory makes the events
     * @param exceptionHandler is told of exceptions; null for a {@link FatalExceptionHandler}
     * @param workHandlers one for each worker
     * @throws NullPointerException if another argument is null
     * @throws IllegalArgumentException if there are no handlers
     */
    @SafeVarargs
    public WorkerPool(
            EventFactory<T> eventFactory,
            @Nullable ExceptionHandler<? super T> exceptionHandler,
            WorkHandler<? super T>... workHandlers) {
        this(RingBuffer.createMultiProducer(eventFactory, OWN_RING), exceptionHandler, workHandlers);
        ringBuffer.addGatingSequences(getWorkerSequences());
    }

    @SafeVarargs
    private WorkerPool(
            RingBuffer<T> ringBuffer,
            @Nullable ExceptionHandler<? super T> exceptionHandler,
            WorkHandler<? super T>... workHandlers) {
        this(ringBuffer, ringBuffer.newBarrier(), exceptionHandler, workHandlers);
    }

    /**
     * The progress of the workers, and behind it the highest sequence that one of them has claimed.
     *
     * @return a new array
     */
    public Sequence[] getWorkerSequences() {
        Sequence[] sequences = new Sequence[workers.length + 1];
        for (int i = 0; i < workers.length; i++) {
            sequences[i] = workers[i].processor.getSequence();
        }
        sequences[workers.length] = workSequence;
        return sequences;
    }

    /**
     * Starts the workers. They go on from where they are, if claims wait for them: with events published before the start too. If
     * claims do not, they begin after the cursor. An executor that drops a worker without a word lets {@link #drainAndHalt()} wait
     * for ever. If the executor throws, those workers that it has not got yet have no run: halt the pool before another start.
     *
     * @param executor has a thread for each of them
     * @return the ring
     * @throws IllegalStateException if it is started and was not halted
     */
    public RingBuffer<T> start(Executor executor) {
        Run[] runs = new Run[workers.length];
        synchronized (workers) {
            if (started) {
                throw new IllegalStateException(
                        "the pool must be halted before it is started again, but it is started");
            }
            started = true;
            if (!ringBuffer.isGatedBy(workSequence)) {
                long cursor = ringBuffer.getCursor();
                skipTo(cursor, workSequence);
                for (Worker worker : workers) {
                    skipTo(cursor, worker.processor.getSequence());
                }
            }
            Arrays.setAll(runs, i -> workers[i].newRun());
        }
        for (int i = 0; i < runs.length; i++) { // without the lock: the executor may run it at once
            workers[i].handTo(executor, runs[i]);
        }
        return ringBuffer;
    }

    /**
     * Moves a sequence on to the cursor. One that is ahead stays, for a claim that a worker keeps; but not one that was released. A
     * run that was halted and has not ended may move it too.
     */
    private static void skipTo(long cursor, Sequence sequence) {
        long at;
        do {
            at = sequence.get();
        } while ((at < cursor || at == Long.MAX_VALUE) && !sequence.compareAndSet(at, cursor));
    }

    /**
     * Waits until all published events are handled, also those of producers that wait for room, and halts the workers. A worker that has
     * ended by an exception is not waited for. If the slowest gating sequence has not moved for a second, producers that wait for it are
     * not waited for. The caller spins, yields, then parks while it waits.
     */
    public void drainAndHalt() {
        long gate = Long.MIN_VALUE;
        long movedAt = 0;
        int moved = 0;
        for (int attempt = 0; ; attempt = RoomPause.pause(attempt)) {
            boolean producerWaits =
                    ringBuffer.getAsBoolean(); // before the cursor, which has the claim of who waits no longer
            long cursor = ringBuffer.getCursor();
            boolean backlog = hasBacklog(cursor);
            long lowest = ringBuffer.getMinimumGatingSequence();
            if (backlog || lowest != gate) {
                gate = lowest;
                movedAt = System.nanoTime();
            }
            // the lowest gate may be that of a worker that has ended, or of anybody else
            boolean mayGetRoom = lowest >= cursor || System.nanoTime() - movedAt < PATIENCE_NANOS;
            boolean works = isAtWork();
            // a handler of the pool may have published; after so many looks it is a publisher that does not end
            boolean hasMoved = works && ringBuffer.getCursor() != cursor && ++moved <= MOST_MOVED;
            if (!backlog && !hasMoved && !(producerWaits && mayGetRoom && works)) {
                break;
            }
        }
        halt();
    }

    private boolean hasBacklog(long cursor) {
        long claimed = workSequence.get(); // acquire: before the workers; who claims has moved its own sequence first
        for (Worker worker : workers) {
            // one that has released its event shows the highest number, and may have events to claim
            if (worker.isAtWork()
                    && Math.min(claimed, worker.processor.getSequence().get()) < cursor) {
                return true;
            }
        }
        return false;
    }

    private boolean isAtWork() {
        return Arrays.stream(workers).anyMatch(Worker::isAtWork);
    }

    /** Halts the workers after the events that they know to be published. Does not wait. */
    public void halt() {
        synchronized (workers) {
            for (Worker worker : workers) {
                worker.halted.set(true); // volatile: before the look at the state, and before the alert
                worker.processor.state.haltRun(); // with the lock: a run of the next start has not begun
            }
            started = false;
        }
        for (Worker worker : workers) { // a wait strategy of the program's own may count on one signal for each
            worker.processor.state.alert();
        }
    }

    /**
     * Whether it was started and not halted since.
     *
     * @return whether it is started
     */
    public boolean isRunning() {
        synchronized (workers) {
            return started;
        }
    }

    /** A worker of the pool. Its fields are guarded by the pool, but for the count. */
    private static final class Worker {
        final WorkProcessor<?> processor;
        private final AtomicInteger runsToEnd = new AtomicInteger();
        private AtomicBoolean halted = new AtomicBoolean(true);

        Worker(WorkProcessor<?> processor) {
            this.processor = processor;
        }

        /** The run for the executor. A run that it has not begun counts as work to come. */
        Run newRun() {
            Run run = new Run(this);
            halted = run.halted;
            return run;
        }

        void handTo(Executor executor, Run run) {
            runsToEnd.incrementAndGet();
            boolean handed = false;
            try {
                executor.execute(run);
                handed = true;
            } finally {
                if (!handed) { // refused, or no thread was to be had; or the executor ran it at once, and it threw
                    run.end();
                }
            }
        }

        boolean isAtWork() {
            return runsToEnd.get() > 0;
        }
    }

    /** A run of a worker. It ends once. */
    private static final class Run implements Runnable {
        final AtomicBoolean halted = new AtomicBoolean();
        private final AtomicBoolean ended = new AtomicBoolean();
        private final Worker worker;

        Run(Worker worker) {
            this.worker = worker;
        }

        @Override
        public void run() {
            try {
                worker.processor.runForPoolUnless(halted);
            } finally {
                end();
            }
        }

        void end() {
            if (ended.compareAndSet(false, true)) { // CAS: counted once
                worker.runsToEnd.decrementAndGet();
            }
        }
    }
}
