package io.sluice.perf.ordered;

import io.sluice.core.Sequence;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/*
 * J.-Ph. Bempel's Ordered Scheduler of 2015, written anew from a description of how it works, as a peer to measure against. A slot is
 * empty, holds a task, or holds the mark TURN: the ticket's turn has come and nobody drains. A thread that brings a task puts it into its
 * slot by an exchange. If the slot was empty, the task is left there and its thread is free. If it held TURN, the thread runs its own task
 * and then all that wait behind it; at the first empty slot it tells how far it came, by a volatile store, and sets TURN there by a
 * compare-and-set. If the thread loses that race, it finds a task in the slot, and goes on.
 *
 * An item in its turn thus costs two read-modify-writes and one fence; a waiting one costs one exchange.
 *
 * Kept as described: a slot is reused only after the tail has passed it; a thread that is too early spins and yields while it completes its
 * ticket; an exception of a task is dropped. Nothing that an item passes through is left out. The tail stands alone on its cache line, as
 * in every lane that is measured.
 */
/** The algorithm of the article, as a peer. Any thread may complete a ticket; each ticket is to be completed once. */
public final class PublishedScheduler {
    @SuppressWarnings("UnnecessaryLambda") // a mark, known by its identity
    private static final Runnable TURN = () -> {};

    private final Runnable[] slots;
    private final int mask;

    /** Written by the drainer; alone on its cache line, since every thread reads the references beside it. */
    private final Sequence tail = new Sequence(0);

    /**
     * Creates one.
     *
     * @param window how many tickets may be outstanding, a power of two
     */
    public PublishedScheduler(int window) {
        this.slots = new Runnable[window];
        this.mask = window - 1;
        slots[0] = TURN; // plain: published by the final field
    }

    /**
     * Brings a ticket's task; spins and yields while the ticket is beyond the window.
     *
     * @param ticket from 0 on, each once
     * @param task what is to be run in the ticket's turn
     * @return whether this thread ran it
     */
    @SuppressWarnings("ThreadPriorityCheck") // as described
    public boolean run(long ticket, Runnable task) {
        while (ticket >= tail() + slots.length) {
            Thread.yield();
        }
        int own = (int) ticket & mask;
        Runnable before = (Runnable) SLOTS.getAndSet(slots, own, task); // read-modify-write: against the drainer
        if (before == null) {
            return false;
        }
        if (before != TURN) {
            throw new IllegalStateException("ticket " + ticket + " was completed twice");
        }
        execute(task);
        SLOTS.set(slots, own, null); // plain: comes before the store of the tail
        drain(ticket + 1);
        return true;
    }

    private void drain(long from) {
        long ticket = from;
        while (true) {
            int slot = (int) ticket & mask;
            Runnable task = (Runnable) SLOTS.getVolatile(slots, slot); // volatile: sees what its thread did before
            if (task != null) {
                execute(task);
                SLOTS.set(slots, slot, null); // plain: as in run()
                ticket++;
                continue;
            }
            tail.setVolatile(ticket); // volatile: opens the window; a full fence
            if (SLOTS.compareAndSet(slots, slot, null, TURN)) { // read-modify-write: against the ticket's thread
                return;
            }
        }
    }

    @SuppressWarnings("CatchAndPrintStackTrace")
    private static void execute(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException e) {
            // dropped, as described
        }
    }

    /** The first ticket that has not been handled, as far as told. */
    long tail() {
        return tail.getVolatile(); // volatile: pairs with drain()
    }

    private static final VarHandle SLOTS = MethodHandles.arrayElementVarHandle(Runnable[].class);
}
