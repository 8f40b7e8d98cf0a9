package io.sluice.backpressure.rate;

/* The word of a MultiWriterLimiter: permits taken and permits in stock, packed into one long. See the overview there. */
final class TakenAndStock {
    private static final int STOCK_BITS = 20;

    static final int MAX_STOCK = 1 << (STOCK_BITS - 2);

    /** Below this a refused acquirer sets the stock to none. The range of the stock ends at -2^19, which is 393,000 threads further. */
    private static final int MANY_IN_VAIN = -(1 << (STOCK_BITS - 3));

    private static final int CREDIT_SHIFT = STOCK_BITS - Permits.UNIT_BITS; // credit in units, modulo as taken is

    private TakenAndStock() {}

    static long of(long taken, long stock) {
        return (taken << STOCK_BITS) + stock;
    }

    private static long stock(long count) {
        return count << (Long.SIZE - STOCK_BITS) >> (Long.SIZE - STOCK_BITS);
    }

    /** Permits in stock, 0 or more. */
    static long inStock(long count) {
        return Math.max(0, stock(count));
    }

    /** Permits taken, modulo 2^44. */
    static long taken(long count) {
        return (count - stock(count)) >> STOCK_BITS;
    }

    static boolean isFarBelow(long count) {
        return stock(count) < MANY_IN_VAIN;
    }

    /** The count for a line that begins at taken: no stock, and one more taken, so that it differs from the count before. */
    static long restarted(long count) {
        return of(taken(count) + 1, 0);
    }

    /** The count that leaves exactly this credit, in permits: credit beyond that is forgotten. */
    static long withCredit(long credit, long allowed, long count) {
        return of(((allowed + Permits.UNITS - 1) >> Permits.UNIT_BITS) - credit, stock(count));
    }

    /** The credit: permits allowed beyond those taken, in units. */
    static long credit(long allowed, long count) {
        return (allowed - (taken(count) << Permits.UNIT_BITS)) << CREDIT_SHIFT >> CREDIT_SHIFT;
    }
}
