package io.sluice.examples.feed;

/** The meaning of a message to an order book, whatever the format it came in. */
public enum EventKind {
    /** A new order: instrument, reference, side, shares, price. */
    ADD,
    /** Part of an order, or all that is left of it, was executed: reference, shares. */
    EXECUTE,
    /** Part of an order was cancelled: reference, shares. */
    CANCEL,
    /** All that is left of an order was deleted: reference. */
    DELETE,
    /** An order gave way to another on the same side: reference, new reference, shares, price. */
    REPLACE,
    /** An instrument was announced: instrument. */
    DIRECTORY,
    /** Touches no book. */
    OTHER,
    /** Not a message: the feed has ended, nothing comes after it. */
    END
}
