package io.sluice.ordered;

import io.sluice.core.OpaqueCounters;
import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.Executor;

/*
 * The drainer's role on its way to an executor.
 *
 * `pending` is ticket + 1, or 0. The thread that moves it back to 0 by compare-and-set is the drainer at that ticket: the
 * executor's thread, the giver after a refusal, a closer, or a thread that waits for a ticket or a drain. So it does not
 * matter how often the executor runs the task, or whether it throws after it has taken it.
 *
 * `queued`: the executor has the task and has not begun with it. It gets no second one then, so that tasks do not heap up in an
 * executor whose threads are busy while others go on in its stead. But it may have dropped the task without a word. So it gets
 * another one at the 4th hand-over that found the first one waiting, at the 8th, the 16th and so on: few tasks wait in the end.
 *
 * `givenAt` says when the role was given away. A taker that waits shorter than a park asks it whether the executor has had its time.
 *
 * `giver` is the id of the thread inside execute(). A task that runs on that very thread leaves at once, and the giver goes on,
 * so that an executor that runs tasks at once does not make the stack grow. An executor that waits for a ticket inside execute() is
 * a taker like any other: it takes the role once the executor has had its time, and the giver finds the role gone.
 */

/** Gives the drainer's role to an executor. */
final class HandOver implements Runnable {
    private static final int GIVEN = 0;
    private static final int RETURNED = 1;
    private static final int FIRST_OVERDUE = 4;

    private final Executor executor;
    private final Delivery<?> delivery;
    final int limit;

    @SuppressWarnings("unused")
    private long pending;

    @SuppressWarnings("unused")
    private long giver;

    @SuppressWarnings("unused")
    private boolean queued;

    // when the role was last given away, by the stage's clock
    private long givenAt;

    // how many hand-overs in a row found a task waiting; the drainer's own: the role orders its plain accesses
    private int missed;

    // written by the drainer only: the role orders its plain reads
    private final OpaqueCounters counts = new OpaqueCounters(RETURNED + 1);

    HandOver(Executor executor, int limit, Delivery<?> delivery) {
        this.executor = executor;
        this.limit = limit;
        this.delivery = delivery;
    }

    /** Gives the role away; false if it came back, and the caller still is the drainer. */
    boolean give(long ticket) {
        long me = Thread.currentThread().getId();
        counts.add(GIVEN, 1); // the caller is the drainer, the only writer
        boolean again = isOverdue(); // before another thread has the role
        givenAt = delivery.time.nanoTime(); // plain: released with `pending`
        GIVER.setOpaque(this, me); // opaque: matters to this thread only
        PENDING.setRelease(this, ticket + 1); // release: what the drainer did, to whoever takes the role
        boolean refused = false;
        boolean back = false;
        try {
            // exchange: with `pending`, to a task that has yet to begin
            if (!(boolean) QUEUED.getAndSet(this, true) || again) {
                executor.execute(this);
            }
        } catch (Throwable refusal) { // whatever it is: the order must go on, here
            refused = true;
        }
        try {
            if (refused) {
                QUEUED.setOpaque(this, false); // opaque: if it took the task all the same, there are two
            }
            boolean inline =
                    !GIVER.compareAndSet(this, me, 0L) || refused; // CAS: run() on this thread, or a later giver
            back = inline && PENDING.compareAndSet(this, ticket + 1, 0L); // CAS: one taker of the role
            if (back) {
                counts.add(RETURNED, 1); // the caller is the drainer again
            }
        } catch (StackOverflowError noStack) { // the role is where it is
            return !back;
        }
        return !back;
    }

    /** Whether the executor has not begun its task for so long that it may have dropped it. */
    private boolean isOverdue() {
        missed = (boolean) QUEUED.getOpaque(this) ? missed + 1 : 0; // opaque: a hint; only a drainer sets it
        return missed >= FIRST_OVERDUE && (missed & missed - 1) == 0;
    }

    /** Takes the role if it is on its way: the ticket, or -1. */
    long take() {
        long now = (long) PENDING.getAcquire(this); // acquire: what the giver did
        return now != 0 && PENDING.compareAndSet(this, now, 0L) ? now - 1 : -1; // CAS: one taker of the role
    }

    /** Whether the role waits for a thread that takes it. */
    boolean isUnderWay() {
        return (long) PENDING.getOpaque(this) != 0; // opaque: looked at again and again
    }

    /** Whether the role has waited for so long that a thread that waits for room may take it at once. */
    boolean isUnderWayFor(long nanos) {
        return (long) PENDING.getAcquire(this) != 0 // acquire: with `givenAt`
                && delivery.time.nanoTime() - givenAt
                        >= nanos; // plain: as old as `pending`, or of a later giver, and so too late
    }

    @Override
    public void run() {
        QUEUED.getAndSet(this, false); // exchange: sees `pending` of a giver that gave no task because of this one
        if (GIVER.compareAndSet(this, Thread.currentThread().getId(), 0L)) { // CAS: only this thread writes its own id
            return;
        }
        delivery.resume();
    }

    /** How often the role was given to the executor. */
    long given() {
        return counts.get(GIVEN);
    }

    /** How often it came back at once. */
    long returned() {
        return counts.get(RETURNED);
    }

    private static final VarHandle PENDING =
            VarHandles.field(MethodHandles.lookup(), HandOver.class, "pending", long.class);
    private static final VarHandle GIVER =
            VarHandles.field(MethodHandles.lookup(), HandOver.class, "giver", long.class);
    private static final VarHandle QUEUED =
            VarHandles.field(MethodHandles.lookup(), HandOver.class, "queued", boolean.class);
}
