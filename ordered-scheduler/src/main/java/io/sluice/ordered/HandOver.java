package io.sluice.ordered;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;

/*
 * The drainer's role on its way to an executor. `pending` is ticket + 1, or 0: whoever moves it back to 0 by compare-and-set
 * is the drainer at that ticket, be it the executor's thread, the giver after a refusal, or a closer; however often the
 * executor runs the task, or throws after it has taken it. `giver` is the id of the thread inside execute(): a task that runs
 * on that very thread leaves at once, and the giver goes on, so that a direct executor does not make the stack grow.
 */
final class HandOver implements Runnable {
    private final Executor executor;
    private final OrderedScheduler<?> scheduler;
    final int limit;

    @SuppressWarnings("unused")
    private long pending;

    @SuppressWarnings("unused")
    private long giver;

    HandOver(Executor executor, int limit, OrderedScheduler<?> scheduler) {
        this.executor = executor;
        this.limit = limit;
        this.scheduler = scheduler;
    }

    /** Gives the role away; false if it came back, and the caller still is the drainer. */
    boolean give(long ticket) {
        long me = Thread.currentThread().getId();
        GIVER.setOpaque(this, me); // opaque: matters to this thread only
        PENDING.setRelease(this, ticket + 1); // release: what the drainer did, to whoever takes the role
        boolean refused = false;
        try {
            executor.execute(this);
        } catch (Throwable refusal) { // whatever it is: the order must go on, here
            refused = true;
        }
        boolean inline = !GIVER.compareAndSet(this, me, 0L) || refused; // CAS: run() on this thread, or a later giver
        return !(inline && PENDING.compareAndSet(this, ticket + 1, 0L)); // CAS: one taker of the role
    }

    /** Takes the role if it is on its way: the ticket, or -1. */
    long take() {
        long now = (long) PENDING.getAcquire(this); // acquire: what the giver did
        return now != 0 && PENDING.compareAndSet(this, now, 0L) ? now - 1 : -1; // CAS: one taker of the role
    }

    @Override
    public void run() {
        if (GIVER.compareAndSet(this, Thread.currentThread().getId(), 0L)) { // CAS: only this thread writes its own id
            return;
        }
        long ticket = take();
        if (ticket >= 0) {
            scheduler.resume(ticket);
        }
    }

    private static final VarHandle PENDING;
    private static final VarHandle GIVER;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            PENDING = lookup.findVarHandle(HandOver.class, "pending", long.class);
            GIVER = lookup.findVarHandle(HandOver.class, "giver", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
