package io.sluice.ordered;

import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The article's pattern: get an input and its ticket together, process it in parallel, push the outputs in the inputs' order.
 * Any number of threads, virtual ones too, call {@link #execute}; each call does one item. Getting is serialized by a lock, so
 * that the source need not be safe for threads; processing is not; pushing is the scheduler's.
 *
 * @param <I> the inputs' type
 * @param <O> the outputs' type
 */
public final class GetProcessPush<I, O> {
    private final ReentrantLock input = new ReentrantLock();
    private final OrderedScheduler<O> scheduler;
    private final Supplier<? extends @Nullable I> get;
    private final Function<? super I, ? extends O> process;

    /**
     * Joins the three steps.
     *
     * @param get the source; null ends it
     * @param process the work; an exception fails the item in its turn
     * @param scheduler pushes: its handler is called in the inputs' order; its tickets are taken here and nowhere else
     */
    public GetProcessPush(
            Supplier<? extends @Nullable I> get,
            Function<? super I, ? extends O> process,
            OrderedScheduler<O> scheduler) {
        this.get = Objects.requireNonNull(get, "get");
        this.process = Objects.requireNonNull(process, "process");
        this.scheduler = Objects.requireNonNull(scheduler, "scheduler");
    }

    /**
     * Does one item. Waits, before it gets the input, while the scheduler's window is full.
     *
     * @return whether there was an input
     * @throws InterruptedException if the thread is interrupted while it waits; nothing was taken from the source
     * @throws TicketRefusedException if the scheduler has ended, or the item has expired meanwhile
     */
    public boolean execute() throws InterruptedException {
        long ticket;
        I in;
        input.lockInterruptibly();
        try {
            ticket = scheduler.next();
            boolean got = false;
            try {
                in = get.get();
                got = in != null;
            } finally {
                if (!got) {
                    scheduler.trash(ticket);
                }
            }
            if (in == null) {
                return false;
            }
        } finally {
            input.unlock();
        }
        scheduler.own(ticket);
        O out;
        try {
            out = Objects.requireNonNull(process.apply(in), "the output");
        } catch (Throwable cause) { // whatever it is, the ticket must not be lost
            scheduler.fail(ticket, cause);
            if (cause instanceof Error error) {
                throw error;
            }
            return true;
        }
        scheduler.complete(ticket, out);
        return true;
    }

    /**
     * Does items until the source ends: what to give to each thread of an executor.
     *
     * @return how many this thread did
     * @throws InterruptedException as {@link #execute}
     */
    public long executeAll() throws InterruptedException {
        long done = 0;
        while (execute()) {
            done++;
        }
        return done;
    }
}
