package io.sluice.examples.book;

import java.util.Arrays;

/**
 * The price levels of one side of a book, sorted, the best at the end of the arrays, where most of the work is. Adding
 * and removing is linear in the distance from the best level. Allocates only when more levels are needed than ever
 * before. Used by one thread at a time.
 */
final class BookSide {
    private static final int FIRST_CAPACITY = 16;
    private static final int LINEAR_STEPS = 8;

    private final boolean buy;
    private long[] prices = new long[FIRST_CAPACITY];
    private long[] sizes = new long[FIRST_CAPACITY];
    private int levels;

    BookSide(boolean buy) {
        this.buy = buy;
    }

    /** Adds shares to a level, which begins if it was not there. {@code shares} is positive. */
    void add(long price, long shares) {
        int at = find(price);
        if (at < levels && prices[at] == price) {
            sizes[at] += shares;
            return;
        }
        if (levels == prices.length) {
            prices = Arrays.copyOf(prices, 2 * levels);
            sizes = Arrays.copyOf(sizes, 2 * levels);
        }
        System.arraycopy(prices, at, prices, at + 1, levels - at);
        System.arraycopy(sizes, at, sizes, at + 1, levels - at);
        prices[at] = price;
        sizes[at] = shares;
        levels++;
    }

    /** Takes shares from a level, which ends when none are left. The level holds at least so many. */
    void remove(long price, long shares) {
        int at = find(price);
        sizes[at] -= shares;
        if (sizes[at] == 0) {
            levels--;
            System.arraycopy(prices, at + 1, prices, at, levels - at);
            System.arraycopy(sizes, at + 1, sizes, at, levels - at);
        }
    }

    boolean isBuy() {
        return buy;
    }

    int levels() {
        return levels;
    }

    /** The price of a level; 0 is the best one. */
    long price(int fromBest) {
        return prices[levels - 1 - fromBest];
    }

    /** The shares of a level; 0 is the best one. */
    long size(int fromBest) {
        return sizes[levels - 1 - fromBest];
    }

    /** Where the level of a price is, or would be: the first that is not worse. */
    private int find(long price) {
        int high = levels;
        int lowestLinear = Math.max(0, levels - LINEAR_STEPS);
        while (high > lowestLinear && !worse(prices[high - 1], price)) {
            high--;
        }
        if (high > lowestLinear || high == 0) {
            return high;
        }
        int low = 0;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (worse(prices[middle], price)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    private boolean worse(long one, long other) {
        return buy ? one < other : one > other;
    }
}
