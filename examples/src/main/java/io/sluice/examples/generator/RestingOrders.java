package io.sluice.examples.generator;

import java.util.Arrays;

/**
 * The live orders of a generated session, in slots: each in the queue of its price level, in the order of arrival, and
 * in a list from which any one can be picked at random. Prices are ticks of one cent in a window of {@link #TICKS}.
 */
final class RestingOrders {
    /** Ticks of an instrument, from 0. */
    static final int TICKS = 512;

    /** No slot. */
    static final int NONE = -1;

    private static final int BUY = 0;
    private static final int SELL = 1;

    // By slot.
    private long[] reference = new long[1024];
    private int[] shares = new int[1024];
    private int[] level = new int[1024];
    private int[] earlier = new int[1024];
    private int[] later = new int[1024];
    private int[] listIndex = new int[1024];

    // By level: (instrument * 2 + side) * TICKS + tick.
    private final int[] first;
    private final int[] last;

    // By instrument * 2 + side: a tick no order of that side is better than.
    private final int[] bestHint;

    // The slots in use come first, the free ones after.
    private int[] slots = new int[1024];
    private int live;

    RestingOrders(int instruments) {
        first = new int[instruments * 2 * TICKS];
        last = new int[instruments * 2 * TICKS];
        bestHint = new int[instruments * 2];
        Arrays.fill(first, NONE);
        Arrays.fill(last, NONE);
        for (int instrument = 0; instrument < instruments; instrument++) {
            bestHint[instrument * 2 + SELL] = TICKS;
            bestHint[instrument * 2 + BUY] = -1;
        }
        for (int i = 0; i < slots.length; i++) {
            slots[i] = i;
            listIndex[i] = i;
        }
    }

    int live() {
        return live;
    }

    /** A live slot; {@code index} is from 0 to {@code live() - 1}. */
    int pick(int index) {
        return slots[index];
    }

    void add(int instrument, boolean buy, int tick, long newReference, int newShares) {
        if (live == slots.length) {
            grow();
        }
        int slot = slots[live];
        live++;
        int side = instrument * 2 + (buy ? BUY : SELL);
        int at = side * TICKS + tick;
        reference[slot] = newReference;
        shares[slot] = newShares;
        level[slot] = at;
        earlier[slot] = last[at];
        later[slot] = NONE;
        if (last[at] == NONE) {
            first[at] = slot;
        } else {
            later[last[at]] = slot;
        }
        last[at] = slot;
        bestHint[side] = buy ? Math.max(bestHint[side], tick) : Math.min(bestHint[side], tick);
    }

    void remove(int slot) {
        int at = level[slot];
        if (earlier[slot] == NONE) {
            first[at] = later[slot];
        } else {
            later[earlier[slot]] = later[slot];
        }
        if (later[slot] == NONE) {
            last[at] = earlier[slot];
        } else {
            earlier[later[slot]] = earlier[slot];
        }
        live--;
        int index = listIndex[slot];
        int moved = slots[live];
        slots[index] = moved;
        listIndex[moved] = index;
        slots[live] = slot;
        listIndex[slot] = live;
    }

    void reduce(int slot, int by) {
        shares[slot] -= by;
    }

    long reference(int slot) {
        return reference[slot];
    }

    int shares(int slot) {
        return shares[slot];
    }

    int instrument(int slot) {
        return level[slot] / TICKS / 2;
    }

    boolean buy(int slot) {
        return level[slot] / TICKS % 2 == BUY;
    }

    int tick(int slot) {
        return level[slot] % TICKS;
    }

    /** The best tick of a side; -1 for no buy order, {@link #TICKS} for no sell order. */
    int best(int instrument, boolean buy) {
        int side = instrument * 2 + (buy ? BUY : SELL);
        int tick = bestHint[side];
        int step = buy ? -1 : 1;
        while (tick >= 0 && tick < TICKS && first[side * TICKS + tick] == NONE) {
            tick += step;
        }
        bestHint[side] = tick;
        return tick;
    }

    /** The order that is executed next on a side, or {@link #NONE}. */
    int front(int instrument, boolean buy) {
        int tick = best(instrument, buy);
        return tick < 0 || tick == TICKS ? NONE : first[(instrument * 2 + (buy ? BUY : SELL)) * TICKS + tick];
    }

    private void grow() {
        int size = slots.length;
        int larger = 2 * size;
        reference = Arrays.copyOf(reference, larger);
        shares = Arrays.copyOf(shares, larger);
        level = Arrays.copyOf(level, larger);
        earlier = Arrays.copyOf(earlier, larger);
        later = Arrays.copyOf(later, larger);
        listIndex = Arrays.copyOf(listIndex, larger);
        slots = Arrays.copyOf(slots, larger);
        for (int i = size; i < larger; i++) {
            slots[i] = i;
            listIndex[i] = i;
        }
    }
}
