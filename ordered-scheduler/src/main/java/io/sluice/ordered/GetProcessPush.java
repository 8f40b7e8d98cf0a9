package io.sluice.ordered;

import io.sluice.core.check.Check;
import io.sluice.ordered.TicketRefusedException.Reason;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The article's pattern: get an input and its ticket together, process it in parallel, push the outputs in the inputs' order.
 * Any number of threads, virtual ones too, call {@link #execute}, and each call does one item. Inputs are got under a lock, so
 * the source need not be thread-safe. They are processed without one. The scheduler pushes.
 *
 * @param <I> the inputs' type
 * @param <O> the outputs' type
 */
public final class GetProcessPush<I, O> {
    private static final long NONE = -1;

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
        this.get = Check.notNull(get, "get");
        this.process = Check.notNull(process, "process");
        this.scheduler = Check.notNull(scheduler, "scheduler");
    }

    /**
     * Does one item. Waits, before it gets the input, while the scheduler's window is full. The time that the source takes does
     * not count towards the scheduler's time limit. A ticket is taken before the input; if there is none, or the source throws,
     * that ticket is trashed: {@link OrderedHandler#onTrashed} is called for it, in each stage.
     *
     * <p>If the executor of a {@link OrderedSchedulerBuilder#batchLimit} has not begun yet, the thread waits for it, some 50 µs, and then
     * delivers in its stead, before it gets the input. So what is finished is pushed although the source is quiet and keeps all threads of
     * that executor. The price: the thread may deliver more than the limit in a row, and gets its input later.
     *
     * @return whether there was an input
     * @throws InterruptedException if the thread is interrupted while it waits; nothing was taken from the source
     * @throws TicketRefusedException if the scheduler has ended, or the item has expired meanwhile; or if the calling thread
     *     is inside the scheduler's handler, and the window is full or another thread is getting an input
     */
    public boolean execute() throws InterruptedException {
        return one(false) != Item.NONE;
    }

    /** The source may be quiet for long, and keep all threads of the executor. */
    private void helpExecutor() {
        while (scheduler.delivery.needsHelp()) {
            LockSupport.parkNanos(
                    this, Admission.MIN_PARK_NANOS); // an executor has the time of a park to go on by itself
            if (!scheduler.delivery.helpOn()) {
                return; // it has begun, or another thread has
            }
        }
    }

    private enum Item {
        NONE,
        DONE,
        LATE
    }

    /**
     * As {@link #execute}.
     *
     * @param reportsLate whether to report an item that has expired, instead of throwing; what the source throws may look alike
     */
    private Item one(boolean reportsLate) throws InterruptedException {
        StackRoom.ask(); // before the lock and the ticket, which are given back whatever comes
        long ticket = NONE;
        @Nullable I in = null;
        while (ticket < 0) {
            helpExecutor();
            lock();
            try {
                ticket = scheduler.nextUntimed();
                if (ticket >= 0) {
                    in = get.get();
                }
            } finally {
                input.unlock();
                if (ticket >= 0 && in == null) { // no input, whatever the reason: the ticket must not be lost
                    scheduler.tryTrash(ticket); // once the scheduler has ended nobody waits for it
                }
            }
            if (ticket < 0) {
                scheduler.helpOn(); // outside the lock: it may call handlers
            }
        }
        if (in == null) {
            return Item.NONE;
        }
        scheduler.startClocks(ticket);
        try {
            push(ticket, in);
        } catch (TicketRefusedException refused) {
            if (!reportsLate || refused.reason() != Reason.EXPIRED) {
                throw refused;
            }
            scheduler.delivery.failures.report(refused, "got an output too late at ticket ", ticket, "");
            return Item.LATE;
        }
        return Item.DONE;
    }

    private void push(long ticket, I in) {
        O out;
        try {
            out = Check.notNull(process.apply(in), "the output");
        } catch (Throwable cause) { // whatever it is, the ticket must not be lost
            fail(ticket, cause);
            return;
        }
        scheduler.complete(ticket, out);
    }

    private void fail(long ticket, Throwable cause) {
        try {
            scheduler.fail(ticket, cause);
        } catch (TicketRefusedException ended) {
            if (cause instanceof Error error) {
                error.addSuppressed(ended);
                throw error;
            }
            ended.addSuppressed(cause);
            throw ended;
        }
        if (cause instanceof Error error) {
            throw error;
        }
    }

    /** A thread that is delivering does not wait for the lock: its holder may wait for room that only this thread can make. */
    private void lock() throws InterruptedException {
        if (!scheduler.isDelivering()) {
            input.lockInterruptibly();
        } else if (!input.tryLock()) {
            throw Refusals.waitForOthers(scheduler.delivery, "execute()");
        }
    }

    /**
     * Does items until the source ends. Give it to each thread of an executor, which may be that of the batch limit, at the price that
     * {@link #execute} names. Each thread and call trashes one ticket at the end. An item that has expired while it was processed is passed
     * over; the scheduler's error handler is told.
     *
     * @return how many this thread did, without those that had expired
     * @throws InterruptedException as {@link #execute}
     * @throws TicketRefusedException as {@code execute}, but for an item that has expired
     */
    public long executeAll() throws InterruptedException {
        long done = 0;
        for (Item item = one(true); item != Item.NONE; item = one(true)) {
            done += item == Item.DONE ? 1 : 0;
        }
        return done;
    }
}
