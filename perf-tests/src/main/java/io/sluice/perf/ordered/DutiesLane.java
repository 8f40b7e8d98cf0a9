package io.sluice.perf.ordered;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One compare-and-set an item, as {@link BareLane#one}, and the other duties of a scheduler to each item, in as few instructions as one
 * class without layers, policies, stages and clocks can have. A bound for lanes with as many, not a lane to be used: one thread, each
 * ticket in its turn, and nobody else waits, fails or closes. The duties:
 *
 * <ul>
 *   <li>a ticket that was not issued is refused;
 *   <li>the thread that handles an item is known, so that its task is refused at once if it asks for a ticket that only it could grant;
 *   <li>a mark says that an item is being handled, for a second completion of it and for a thread that closes;
 *   <li>nothing is handled after the end;
 *   <li>a handler is called, and anything that it throws is caught;
 *   <li>the window moves on, and a thread that waits for that is found.
 * </ul>
 */
// The code that it shares with BareLane stands twice on purpose: the two classes may share no profile and no call.
final class DutiesLane implements Lane {
    private static final int TURN = 1;
    private static final int TAKEN = 2;

    private final long[] words = new long[WINDOW];
    private final Handler handler;
    private final Object running = new Object();
    private long mine;

    // fields that other threads would read
    private Object state = running;
    private long issued = Long.MAX_VALUE;
    private int waiting;

    @SuppressWarnings("unused")
    private long tail;

    private long drainer;

    DutiesLane(Output output) {
        handler = (ticket, item) -> output.on(ticket, item.value());
        for (int i = 0; i < WINDOW; i++) {
            words[i] = word(i, 0); // plain: published by the final field
        }
        words[0] = word(0, TURN); // plain: published by the final field
    }

    /** The handler that is called in order, and may throw. */
    @FunctionalInterface
    private interface Handler {
        void on(long ticket, Item item) throws Exception;
    }

    private static long word(long ticket, int state) {
        return ticket << 2 | state;
    }

    private static int slot(long ticket) {
        return (int) ticket & (WINDOW - 1);
    }

    @Override
    public long take(int count) {
        long first = mine;
        mine += count;
        return first;
    }

    @Override
    public void complete(long ticket, Item item) {
        // opaque: a lower bound of the tickets that were issued
        if (Long.compareUnsigned(ticket, (long) ISSUED.getOpaque(this)) >= 0) {
            throw new IllegalArgumentException("ticket must be one that was issued, but was " + ticket);
        }
        int own = slot(ticket);
        if ((long) WORDS.getAcquire(words, own) != word(ticket, TURN)) { // acquire: sees what those before did
            throw new IllegalStateException("ticket must have the turn, but " + ticket + " has not");
        }
        long me = Thread.currentThread().getId();
        if (drainer != me) { // plain: with the turn
            DRAINER.setOpaque(this, me); // opaque: released with the word
        }
        WORDS.setRelease(words, own, word(ticket, TAKEN)); // release: with who drains
        if (STATE.getOpaque(this) != running) { // opaque: the end comes before the turn, or beside it
            throw new IllegalStateException("ticket " + ticket + ": after the end");
        }
        try {
            handler.on(ticket, item);
        } catch (Throwable thrown) {
            throw new IllegalStateException("ticket " + ticket + ": its handler failed", thrown);
        }
        WORDS.setRelease(words, own, word(ticket + WINDOW, 0)); // release: frees the slot
        long next = ticket + 1;
        TAIL.setRelease(this, next); // release: opens the window
        int slot = slot(next);
        long empty = word(next, 0);
        if ((long) WORDS.getAcquire(words, slot) != empty // acquire: would see an item left there
                || !WORDS.compareAndSet(words, slot, empty, empty | TURN)) { // CAS: what is measured
            throw new IllegalStateException("ticket must not come before its turn, but " + next + " did");
        }
        if ((int) WAITING.getVolatile(this) != 0) { // volatile: after the turn was passed
            throw new IllegalStateException("somebody waits");
        }
    }

    @Override
    public void awaitOutput(long total) {
        if ((long) WORDS.getAcquire(words, slot(total)) != word(total, TURN)) { // acquire: as above
            throw new IllegalStateException("not " + total + " items were put out");
        }
    }

    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle STATE;
    private static final VarHandle ISSUED;
    private static final VarHandle WAITING;
    private static final VarHandle TAIL;
    private static final VarHandle DRAINER;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(DutiesLane.class, "state", Object.class);
            ISSUED = lookup.findVarHandle(DutiesLane.class, "issued", long.class);
            WAITING = lookup.findVarHandle(DutiesLane.class, "waiting", int.class);
            TAIL = lookup.findVarHandle(DutiesLane.class, "tail", long.class);
            DRAINER = lookup.findVarHandle(DutiesLane.class, "drainer", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
