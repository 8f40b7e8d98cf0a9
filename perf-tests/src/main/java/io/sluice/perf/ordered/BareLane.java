package io.sluice.perf.ordered;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The cost of the locked instructions alone, and of the output. A mark shows the ticket that has the turn. A compare-and-set takes the turn
 * (or a look, where nobody else completes the ticket), and another compare-and-set passes it on. The lane can do nothing else: one thread,
 * each ticket in its turn, nothing left for later, nothing that ends, waits, fails or is refused. A bound for lanes with as many, not a
 * lane to be used.
 */
final class BareLane implements Lane {
    private static final int TURN = 1;
    private static final int TAKEN = 2;

    private final long[] words = new long[WINDOW];
    private final boolean takenBySet;
    private long mine;

    private BareLane(boolean takenBySet) {
        this.takenBySet = takenBySet;
        for (int i = 0; i < WINDOW; i++) {
            words[i] = word(i, 0); // plain: published by the final field
        }
        words[0] = word(0, TURN); // plain: published by the final field
    }

    /** Two compare-and-sets an item. */
    static Maker two() {
        return output -> new BareLane(true);
    }

    /** One. */
    static Maker one() {
        return output -> new BareLane(false);
    }

    private static long word(long ticket, int state) {
        return ticket << 2 | state;
    }

    @Override
    public long take(int count) {
        long first = mine;
        mine += count;
        return first;
    }

    @Override
    public void complete(long ticket, Item item) {
        int own = (int) ticket & (words.length - 1);
        boolean taken = takenBySet
                ? WORDS.compareAndSet(words, own, word(ticket, TURN), word(ticket, TAKEN)) // CAS: what is measured
                : (long) WORDS.getAcquire(words, own) == word(ticket, TURN); // acquire: sees what those before did
        if (!taken) {
            throw new IllegalStateException("ticket must have the turn, but " + ticket + " has not");
        }
        item.run();
        WORDS.setRelease(words, own, word(ticket + WINDOW, 0)); // release: frees the slot
        long next = ticket + 1;
        int slot = (int) next & (words.length - 1);
        if (!WORDS.compareAndSet(words, slot, word(next, 0), word(next, TURN))) { // CAS: what is measured
            throw new IllegalStateException("ticket must not come before its turn, but " + next + " did");
        }
    }

    @Override
    public void awaitOutput(long total) {
        if ((long) WORDS.getAcquire(words, (int) total & (WINDOW - 1)) != word(total, TURN)) { // acquire: as above
            throw new IllegalStateException("not " + total + " items were put out");
        }
    }

    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);
}
