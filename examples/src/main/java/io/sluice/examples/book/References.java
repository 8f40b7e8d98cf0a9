package io.sluice.examples.book;

import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A set of order references that only grows: a page of 1,024 bits for each neighbourhood. The references of a day lie
 * close together, so that a page, about 180 bytes with its place in the map, is allocated once in many orders.
 */
final class References {
    private static final int PAGE_BITS = 10;
    private static final int PAGE_WORDS = 1 << (PAGE_BITS - 6);

    private final Long2ObjectHashMap<long[]> pages = new Long2ObjectHashMap<>();

    /** Adds a reference; does nothing if it is there. */
    void add(long reference) {
        long number = reference >> PAGE_BITS;
        long @Nullable [] page = pages.get(number);
        if (page == null) {
            page = new long[PAGE_WORDS];
            pages.put(number, page);
        }
        page[word(reference)] |= 1L << reference;
    }

    boolean contains(long reference) {
        long @Nullable [] page = pages.get(reference >> PAGE_BITS);
        return page != null && (page[word(reference)] & 1L << reference) != 0;
    }

    private static int word(long reference) {
        return (int) (reference >> 6) & PAGE_WORDS - 1;
    }
}
