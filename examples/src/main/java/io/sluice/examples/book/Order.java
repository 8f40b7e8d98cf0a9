package io.sluice.examples.book;

import org.jspecify.annotations.Nullable;

/** A live order. Taken from a pool and given back, so that a busy book allocates nothing. */
final class Order {
    private @Nullable Book book;
    private boolean buy;
    private long price;
    private long shares;

    void set(Book ofBook, boolean isBuy, long atPrice, long ofShares) {
        book = ofBook;
        buy = isBuy;
        price = atPrice;
        shares = ofShares;
    }

    /** The book of a live order. */
    Book book() {
        if (book == null) {
            throw new IllegalStateException("the order is in no book");
        }
        return book;
    }

    boolean isBuy() {
        return buy;
    }

    long shares() {
        return shares;
    }

    /** Puts the shares on their level. */
    void rest() {
        book().side(buy).add(price, shares);
    }

    /** Takes shares off the level; at most those that are left. */
    void reduce(long by) {
        book().side(buy).remove(price, by);
        shares -= by;
    }

    /** Leaves the pool nothing to keep alive. */
    void clear() {
        book = null;
    }
}
