package io.sluice.perf.ordered;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.LongSupplier;

/** The items of a source, one after the other, until it gives something below 0. */
final class Items implements Iterator<Long> {
    private final LongSupplier source;
    private long next;

    Items(LongSupplier source) {
        this.source = source;
        this.next = source.getAsLong();
    }

    @Override
    public boolean hasNext() {
        return next >= 0;
    }

    @Override
    public Long next() {
        if (next < 0) {
            throw new NoSuchElementException();
        }
        long item = next;
        next = source.getAsLong();
        return item;
    }
}
