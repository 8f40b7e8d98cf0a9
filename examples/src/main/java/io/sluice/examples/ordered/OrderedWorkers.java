package io.sluice.examples.ordered;

import io.sluice.core.State;
import io.sluice.ordered.OrderedScheduler;
import io.sluice.ordered.SchedulerSnapshot;
import io.sluice.ordered.TicketMode;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.BatchHandler;

/*
 * Worker k of n works on the sequences k, k + n, k + 2n, ... and passes over the others. Each sequence of the ring is the
 * ticket of its event.
 *
 * Why no ticket is ever beyond the window. The window is the ring's capacity C. Sequence s + C is published only after every
 * worker has passed s, and the worker that delivers s does so inside its call for some sequence x <= s of its own: a
 * delivering thread starts at its own ticket and goes upward. So once all workers have passed s, s has been delivered.
 *
 * For the same reason a handler declared behind all workers sees the output of s done when it gets s, and the slot of s still
 * holds its event while the output reads it.
 *
 * An aborted claim: every worker is called for the next live event, and the one that owns the aborted sequence trashes its
 * ticket first. So a handler behind all workers still sees the output of every live event done. But workers pass aborted slots
 * without a call, so a ticket can be beyond the window for the moment until the owner of an aborted one has had its call; that
 * is the one case in which a worker waits for another.
 */

/**
 * Several threads work on the events of one ring at once. Their results are handed out in the order of the events, by the
 * thread that has the turn. The ring's sequences are the tickets of an {@link OrderedScheduler}. Declare {@link #handlers} in
 * the ring's pipeline; a consumer that follows all of them gets an event after its output.
 *
 * <p>Costs no thread besides the workers' own, and no allocation but for what the work makes. A worker waits for another only behind
 * aborted claims.
 *
 * @param <E> the events' type
 * @param <R> what the work on an event results in
 */
public final class OrderedWorkers<E, R> implements AutoCloseable {
    /** The most workers: {@value}. */
    public static final int MAX_WORKERS = 64;

    /**
     * The work in parallel.
     *
     * @param <E> the events' type
     * @param <R> the result's type
     */
    @FunctionalInterface
    public interface Work<E, R> {
        /**
         * Works on an event. Called by several threads at once, each with events of its own.
         *
         * @param event the event, which others read meanwhile
         * @return what comes of it, not null
         * @throws Exception by failing; that ends the ring, in the event's turn
         */
        R on(E event) throws Exception;
    }

    /**
     * The output in order.
     *
     * @param <E> the events' type
     * @param <R> the result's type
     */
    @FunctionalInterface
    public interface Output<E, R> {
        /**
         * Takes a result. One call at a time, in the order of the events; each call sees what those before did.
         *
         * @param event the event, still in its slot
         * @param result what the work on it came to
         * @throws Exception by failing; that ends the ring
         */
        void accept(E event, R result) throws Exception;
    }

    private static final long PATIENCE_NANOS = 1_000_000;

    private final RingBuffer<E> ring;
    private final Work<? super E, ? extends R> work;
    private final OrderedScheduler<R> scheduler;
    private final BatchHandler<E>[] handlers;

    /**
     * Creates workers.
     *
     * @param ring a ring from which nothing has been claimed yet, of at most {@link OrderedScheduler#MAX_WINDOW} slots
     * @param workers how many, 1 to {@link #MAX_WORKERS}
     * @param work what is done in parallel
     * @param output what is done in order
     * @throws IllegalArgumentException if the number of workers or the ring's capacity is out of its range
     */
    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type, for varargs
    public OrderedWorkers(
            RingBuffer<E> ring, int workers, Work<? super E, ? extends R> work, Output<? super E, ? super R> output) {
        if (workers < 1 || workers > MAX_WORKERS) {
            throw new IllegalArgumentException("workers must be from 1 to " + MAX_WORKERS + ", but was " + workers);
        }
        this.ring = ring;
        this.work = work;
        this.scheduler = OrderedScheduler.<R>builder((ticket, result) -> output.accept(ring.get(ticket), result))
                .tickets(TicketMode.EXTERNAL)
                .window((int) Math.min(ring.capacity(), Integer.MAX_VALUE))
                .build();
        this.handlers = new BatchHandler[workers];
        for (int i = 0; i < workers; i++) {
            handlers[i] = new Worker(i);
        }
    }

    /**
     * The workers, all of which are to be declared in the ring's pipeline before its start, each on a thread of its own.
     *
     * @return a handler a worker
     */
    public BatchHandler<E>[] handlers() {
        return handlers.clone();
    }

    /**
     * How the ordering goes. Any thread.
     *
     * @return a snapshot
     */
    public SchedulerSnapshot snapshot() {
        return scheduler.snapshot();
    }

    /** Ends the ordering; results that were not handed out are dropped. To be called after the ring has been closed. */
    @Override
    public void close() {
        scheduler.close();
    }

    private final class Worker implements BatchHandler<E> {
        private long own;

        Worker(int number) {
            this.own = number;
        }

        @Override
        public long onBatch(RingBuffer<E> from, long lo, long hi) throws Exception {
            while (own <= hi) {
                long ticket = own;
                if (!awaitRoom(ticket)) {
                    return Math.max(lo, ticket) - 1; // the ring has ended, and with it the others
                }
                own += handlers.length; // before: a ticket that is refused is not to be offered again
                if (ticket < lo) {
                    scheduler.trash(ticket); // aborted
                } else {
                    complete(ticket);
                }
            }
            Throwable failure = scheduler.failure();
            if (failure != null) {
                throw new IllegalStateException("the ordered output has ended before sequence " + hi, failure);
            }
            return hi;
        }

        private boolean awaitRoom(long ticket) {
            while (true) {
                long room = scheduler.awaitRoom(ticket, PATIENCE_NANOS);
                if (room != OrderedScheduler.TIMED_OUT) {
                    return room != OrderedScheduler.INTERRUPTED; // what has ended says so when the ticket is completed
                }
                if (ring.state() == State.CLOSED || ring.state() == State.FAILED) {
                    return false;
                }
            }
        }

        private void complete(long ticket) {
            R result;
            try {
                result = work.on(ring.get(ticket));
            } catch (Exception e) {
                if (e instanceof InterruptedException) {
                    Thread.currentThread().interrupt();
                }
                scheduler.fail(ticket, e);
                return;
            }
            scheduler.complete(ticket, result);
        }
    }
}
