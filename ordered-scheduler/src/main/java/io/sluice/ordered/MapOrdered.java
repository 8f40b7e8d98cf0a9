package io.sluice.ordered;

import io.sluice.core.FailurePolicies;
import io.sluice.core.check.Check;
import io.sluice.ordered.TicketRefusedException.Reason;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.stream.Collector;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/*
 * How a future completes. map() puts the future into its slot of `open`; its delivery completes it, and then sets the slot back to
 * null. close() cancels the future that it finds there, and then puts the mark CLOSED into the slot for good. So a future whose
 * completion failed without memory is there still, for the next close. All move the slot by compare-and-set. So a map() after the
 * close finds the mark and cancels its own future, and the close finds the future of a map() before it. A slot is empty again before
 * its ticket's delivery ends, and so before the ticket one window later is granted: a delivery finds its own future there, or a mark.
 *
 * A close from inside a delivery comes before the discarding, which waits for its return. So the close itself looks which failures
 * wait for their turn. For a failure that a future is to tell, it puts a Telling into the slot before the future is complete. The
 * Telling stays there: the discarding finds out by it whether the failure was told, and does not report it again. The discarding
 * may come while the close is still at work, since the dependents of the future may let it go on.
 *
 * An executor may throw after it took the task. Then the task and map() both complete the ticket, and the scheduler takes the
 * first outcome only. An outcome is the value itself or the cause itself: with no memory left, nothing has to be made.
 */

/**
 * Applies a function on an executor, with at most a window of calls outstanding, and gives the results in the inputs' order: as
 * futures, as a stream, as a collector. The executor may be one of virtual threads. Any thread may call any method. Allocates a
 * few objects an item; use {@link OrderedScheduler} where that matters. Every future completes: with a value, with a failure, or
 * cancelled by {@link #close}.
 *
 * @param <I> the inputs' type
 * @param <O> the outputs' type
 */
public final class MapOrdered<I, O> implements AutoCloseable {
    private static final Object CLOSED = new Object();

    /** As {@link #CLOSED}, where the cancellation tells the failure that waits for its turn. */
    private record Telling(CompletableFuture<?> future, CancellationException cancelled) {
        /** Cancels the future, unless it is complete; whether it has told the failure, be it through another thread. */
        boolean tell() {
            return future.completeExceptionally(cancelled)
                    || future.handle((value, cause) -> cause == cancelled).join();
        }
    }

    private final Executor executor;
    private final Function<? super I, ? extends O> function;
    private final OrderedScheduler<O> scheduler;

    // by slot: the future that is not completed yet, or CLOSED, or a Telling
    private final @Nullable Object[] open;

    /**
     * Makes a mapper whose futures complete in the order of the calls of {@link #map}.
     *
     * @param executor runs the function
     * @param window how many calls may be outstanding: a power of two, 1 to {@link OrderedScheduler#MAX_WINDOW}
     * @param function the function; must not return null
     * @throws IllegalArgumentException if the window is out of its range
     */
    public MapOrdered(Executor executor, int window, Function<? super I, ? extends O> function) {
        this.executor = Check.notNull(executor, "executor");
        this.function = Check.notNull(function, "function");
        this.scheduler = OrderedScheduler.<O>builder(new DiscardHandler<O>() {
                    @Override
                    public void onCompleted(long ticket, O value) {
                        deliver(ticket, value, null);
                    }

                    @Override
                    public void onFailed(long ticket, Throwable cause) {
                        deliver(ticket, null, cause);
                    }

                    @Override
                    public void onTrashed(long ticket) {
                        deliver(ticket, null, null);
                    }

                    @Override
                    public void onDiscarded(long ticket, @Nullable O value) {
                        discard(ticket, null);
                    }

                    @Override
                    public boolean onDiscardedFailure(long ticket, Throwable cause) {
                        return discard(ticket, cause);
                    }
                })
                .window(window)
                .onFailure(FailurePolicies.halt())
                .build();
        this.open = new @Nullable Object[window];
    }

    /** With neither a value nor a cause where its holder has cancelled it. */
    private void deliver(long ticket, @Nullable O value, @Nullable Throwable cause) {
        CompletableFuture<O> future = unfinished(ticket);
        if (future == null) { // a close has cancelled it
            return;
        }
        if (cause != null) {
            future.completeExceptionally(cause);
        } else {
            future.complete(value);
        }
        OPEN.compareAndSet(open, index(ticket), future, null); // CAS: never over the mark of a close
    }

    /** Whether the ticket's future was told. */
    private boolean discard(long ticket, @Nullable Throwable cause) {
        Object future = OPEN.getAcquire(open, index(ticket)); // acquire: with the ticket, or the mark of a close
        return future instanceof Telling telling
                ? telling.tell()
                : future instanceof CompletableFuture<?> unfinished && cancel(unfinished, cause);
    }

    @SuppressWarnings("unchecked") // map() put it there
    private @Nullable CompletableFuture<O> unfinished(long ticket) {
        Object future = OPEN.getAcquire(open, index(ticket)); // acquire: with the ticket, or the mark of a close
        return future instanceof CompletableFuture<?> ? (CompletableFuture<O>) future : null;
    }

    /**
     * Starts the function on an input; waits while the window is full.
     *
     * @param input the input
     * @return the result, or the function's exception; completed after those of all earlier calls. If it is cancelled before
     *     its work begins, the function is not called. What depends on it runs in the thread that delivers, unless told
     *     otherwise
     * @throws InterruptedException if the thread is interrupted while it waits
     * @throws TicketRefusedException if the mapper is closed, or the call comes from the thread that delivers, and the window
     *     is full
     */
    public CompletableFuture<O> map(I input) throws InterruptedException {
        CompletableFuture<O> future = new CompletableFuture<>();
        StackRoom.ask(); // before the ticket, which is completed whatever comes
        long ticket = scheduler.next();
        if (!OPEN.compareAndSet(open, index(ticket), null, future)) { // CAS: against a close
            cancel(future, null);
            return future;
        }
        try {
            executor.execute(() -> work(ticket, input, future));
        } catch (Throwable refused) { // the executor's refusal takes its turn like any failure
            finish(ticket, future, null, refused);
        }
        return future;
    }

    /** For streams: an interrupt closes the mapper, and leaves the thread's flag set. */
    private CompletableFuture<O> mapOrClose(I input) {
        try {
            return map(input);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            throw new CompletionException(
                    "map must wait for room in the window of " + open.length
                            + " without an interrupt, but the thread was interrupted",
                    e);
        }
    }

    private void work(long ticket, I input, CompletableFuture<O> future) {
        @Nullable O value = null;
        @Nullable Throwable failure = null;
        if (!future.isDone()) { // else it was cancelled, by a close or by its holder
            try {
                value = Check.notNull(function.apply(input), "the output");
            } catch (Throwable cause) { // whatever it is, the ticket must not be lost
                failure = cause;
            }
        }
        finish(ticket, future, value, failure);
    }

    /** Completes the ticket. Makes nothing, unless it is refused. */
    private void finish(long ticket, CompletableFuture<O> future, @Nullable O value, @Nullable Throwable cause) {
        try {
            if (value != null) {
                scheduler.complete(ticket, value);
            } else if (cause != null) {
                scheduler.fail(ticket, cause);
            } else {
                scheduler.trash(ticket);
            }
        } catch (TicketRefusedException refused) {
            // an executor that took the task and then threw made two outcomes: the first one counts
            if (refused.reason() != Reason.DUPLICATE) {
                cancel(future, refused);
            }
        }
    }

    private static boolean cancel(CompletableFuture<?> future, @Nullable Throwable cause) {
        return future.completeExceptionally(cancelled(cause));
    }

    private static CancellationException cancelled(@Nullable Throwable cause) {
        CancellationException cancelled =
                new CancellationException("the mapper must be open until its results are complete, but was closed");
        if (cause != null) {
            cancelled.initCause(cause);
        }
        return cancelled;
    }

    private int index(long ticket) {
        return (int) ticket & (open.length - 1);
    }

    /**
     * Waits until all results are completed, and refuses further inputs.
     *
     * @param timeoutNanos how long, in nanoseconds
     * @return whether all are completed by their work; false if {@link #close} has cancelled one
     */
    public boolean drain(long timeoutNanos) {
        return scheduler.drain(timeoutNanos);
    }

    /**
     * As {@link #drain(long)}.
     *
     * @param limit how long to wait; 0 or less: not at all
     * @return as there
     */
    public boolean drain(Duration limit) {
        return drain(Check.nanos(limit, "limit"));
    }

    /**
     * Refuses further inputs and cancels every result that is not completed, whether its work has run or not. Work that has not
     * begun does not call the function any more; work that runs is not interrupted. If it has failed before its turn, the cancellation
     * has that failure as its cause. Waits for a delivery that is under way, unless called from inside it, as by what depends on a
     * result. If there is no memory for that, it throws, and another call cancels the rest.
     */
    @Override
    public void close() {
        scheduler.close();
        long head = scheduler.firstUnhandled();
        for (long ticket = head; ticket < head + open.length; ticket++) {
            end(ticket);
        }
    }

    /** Cancels what is in the slot, and leaves a mark there. Others move the slot once at most: a map fills it, a delivery empties it. */
    private void end(long ticket) {
        int i = index(ticket);
        while (true) {
            Object now = OPEN.getAcquire(open, i); // acquire: with the future, or what tells a failure
            if (now == CLOSED) {
                return;
            }
            if (now instanceof Telling telling) {
                telling.tell();
                return;
            }
            Object mark = CLOSED;
            if (now instanceof CompletableFuture<?> future) {
                Throwable cause = scheduler.waitingFailure(ticket); // none once all is discarded
                if (cause != null) {
                    mark = new Telling(future, cancelled(cause)); // made here, and told in the next round
                } else {
                    cancel(future, null);
                }
            }
            OPEN.compareAndSet(open, i, now, mark); // CAS: against the map and the delivery; the next round looks again
        }
    }

    /**
     * A collector that maps a stream's elements in parallel and lists the results in encounter order. Its accumulator waits
     * while the window is full, its finisher until all results are there; an exception of the function is thrown by one of
     * them in a {@link CompletionException}. Not for parallel streams: it refuses to combine.
     *
     * @param executor runs the function
     * @param window how many calls may be outstanding: a power of two
     * @param function the function; must not return null
     * @param <I> the inputs' type
     * @param <O> the outputs' type
     * @return the collector
     */
    public static <I, O> Collector<I, ?, List<O>> mapOrdered(
            Executor executor, int window, Function<? super I, ? extends O> function) {
        return Collector.of(
                () -> new Collected<I, O>(new MapOrdered<I, O>(executor, window, function)),
                Collected::add,
                (one, other) -> {
                    throw new UnsupportedOperationException(
                            "mapOrdered must be used with a sequential stream, but this one is parallel");
                },
                Collected::finish);
    }

    private static final class Collected<I, O> {
        private final MapOrdered<I, O> mapper;
        private final List<CompletableFuture<O>> futures = new ArrayList<>();

        Collected(MapOrdered<I, O> mapper) {
            this.mapper = mapper;
        }

        void add(I input) {
            futures.add(mapper.mapOrClose(input));
        }

        List<O> finish() {
            try (mapper) {
                List<O> results = new ArrayList<>(futures.size());
                for (CompletableFuture<O> future : futures) {
                    results.add(future.join());
                }
                return results;
            }
        }
    }

    /**
     * A sequential stream of the results, in the inputs' order; lazy: at most a window of inputs is taken ahead of the result
     * that is wanted. An exception of the function is thrown, in a {@link CompletionException}, where its result would have
     * come. Close the stream if it is not read to its end.
     *
     * @param inputs the inputs
     * @param executor runs the function
     * @param window how many results may be outstanding or waiting to be read: a power of two
     * @param function the function; must not return null
     * @param <I> the inputs' type
     * @param <O> the outputs' type
     * @return the stream; closing it closes {@code inputs}
     */
    public static <I, O> Stream<O> mapOrdered(
            Stream<? extends I> inputs, Executor executor, int window, Function<? super I, ? extends O> function) {
        Results<I, O> results = new Results<>(inputs.iterator(), new MapOrdered<>(executor, window, function), window);
        return StreamSupport.stream(
                        Spliterators.spliteratorUnknownSize(results, Spliterator.ORDERED | Spliterator.NONNULL), false)
                .onClose(results.mapper::close)
                .onClose(inputs::close);
    }

    private static final class Results<I, O> implements Iterator<O> {
        private final Iterator<? extends I> inputs;
        private final MapOrdered<I, O> mapper;
        private final int window;
        private final ArrayDeque<CompletableFuture<O>> ready = new ArrayDeque<>();
        private int outstanding;

        Results(Iterator<? extends I> inputs, MapOrdered<I, O> mapper, int window) {
            this.inputs = inputs;
            this.mapper = mapper;
            this.window = window;
        }

        @Override
        public boolean hasNext() {
            while (outstanding < window && inputs.hasNext()) {
                ready.add(mapper.mapOrClose(inputs.next()));
                outstanding++;
            }
            return outstanding > 0;
        }

        @Override
        public O next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            outstanding--;
            return ready.remove().join();
        }
    }

    private static final VarHandle OPEN = MethodHandles.arrayElementVarHandle(Object[].class);
}
