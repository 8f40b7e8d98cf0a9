package io.sluice.perf.ordered;

import io.sluice.core.Sequence;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/*
 * The states of the library's order buffer, and its changes of them, without anything else: no life cycle, no failures, no reliable
 * refusals, no counts, nobody is woken. With two compare-and-sets for an item that is left or has the turn, or with one, where the caller
 * promises to complete each ticket once.
 *
 *   EMPTY -> FILLING -> LEFT    the finisher; with one compare-and-set EMPTY -> LEFT
 *   EMPTY -> TURN -> TAKEN      the drainer that leaves; then the finisher, which drains
 *   FILLING -> TAKEN            the drainer that leaves; the finisher fails to leave its item, and drains
 */
/** A bound for lanes with as many locked instructions, not a lane to be used. Any thread may complete a ticket. */
final class BareOrder implements Lane {
    private static final int EMPTY = 0;
    private static final int FILLING = 1;
    private static final int LEFT = 2;
    private static final int TURN = 3;
    private static final int TAKEN = 4;

    private final long[] words = new long[WINDOW];
    private final @Nullable Item[] items = new @Nullable Item[WINDOW];
    private final boolean exact;
    private final Sequence next = new Sequence(0);

    /** Written by the drainer; alone on its cache line, since every thread reads the references beside it. */
    private final Sequence tail = new Sequence(0);

    private BareOrder(boolean exact) {
        this.exact = exact;
        for (int i = 0; i < WINDOW; i++) {
            words[i] = word(i, EMPTY); // plain: published by the final field
        }
        words[0] = word(0, TURN); // plain: published by the final field
    }

    /** Two compare-and-sets an item. */
    static Maker two() {
        return output -> new BareOrder(true);
    }

    /** One. */
    static Maker one() {
        return output -> new BareOrder(false);
    }

    private static long word(long ticket, int state) {
        return ticket << 3 | state;
    }

    private static int slot(long ticket) {
        return (int) ticket & (WINDOW - 1);
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // as the published algorithm does
    public long take(int count) {
        long first = next.getAndAdd(count);
        while (first + count > tail.getAcquire() + WINDOW) { // acquire: the slots have been freed
            Thread.yield();
        }
        return first;
    }

    @Override
    public void complete(long ticket, Item item) {
        long now = (long) WORDS.getAcquire(words, slot(ticket)); // acquire: TURN releases what those before did
        if (now == word(ticket, TURN) ? !takesTurn(ticket) : isLeft(ticket, item)) {
            return;
        }
        item.run();
        free(ticket);
        drain(ticket + 1);
    }

    private boolean takesTurn(long ticket) {
        return !exact || cas(ticket, TURN, TAKEN); // CAS: what is measured
    }

    /** Leaves an item; false if the turn came first. */
    private boolean isLeft(long ticket, Item item) {
        int own = slot(ticket);
        if (exact && !cas(ticket, EMPTY, FILLING)) { // CAS: what is measured
            return !takesTurn(ticket);
        }
        items[own] = item; // plain: released by the next change
        if (cas(ticket, exact ? FILLING : EMPTY, LEFT)) { // CAS: against who passes the turn
            return true;
        }
        items[own] = null; // plain: nobody reads it
        return false;
    }

    private void drain(long from) {
        long ticket = from;
        while (true) {
            long now = (long) WORDS.getAcquire(words, slot(ticket)); // acquire: sees the item
            if (now == word(ticket, LEFT)) {
                Item item = items[slot(ticket)];
                items[slot(ticket)] = null; // plain: released by free()
                if (item == null) {
                    throw new IllegalStateException("ticket " + ticket + ": its item is gone");
                }
                item.run();
                free(ticket);
                ticket++;
                continue;
            }
            tail.setRelease(ticket); // release: opens the window
            int state = (int) (now & 7);
            if (cas(ticket, state, state == EMPTY ? TURN : TAKEN)) { // CAS: against the finisher
                return;
            }
        }
    }

    private void free(long ticket) {
        WORDS.setRelease(words, slot(ticket), word(ticket + WINDOW, EMPTY)); // release: the item was taken out
    }

    private boolean cas(long ticket, int from, int to) {
        return WORDS.compareAndSet(words, slot(ticket), word(ticket, from), word(ticket, to));
    }

    @Override
    public void awaitOutput(long total) {
        if ((long) WORDS.getAcquire(words, slot(total)) != word(total, TURN)) { // acquire: sees what the items did
            throw new IllegalStateException("not " + total + " items were put out");
        }
    }

    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);
}
