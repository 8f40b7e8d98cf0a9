package io.sluice.examples.book;

import io.sluice.examples.feed.MarketEvent;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongFunction;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The books of all instruments of a feed.
 *
 * <p>Rules, where a feed can be wrong or incomplete:
 *
 * <ul>
 *   <li>an execution or cancel beyond the rest of an order is clipped to that rest;
 *   <li>an event for an order that the feed never added changes nothing and counts as unknown;
 *   <li>an event for an order of which nothing is left changes nothing and counts as finished, so that a replacement of
 *       such an order adds nothing;
 *   <li>an order added, or replaced by one, under the reference of a live order takes its place, and counts as
 *       duplicate; a replacement may keep its own reference.
 * </ul>
 *
 * <p>Used by one thread at a time. Allocates for a new instrument, for more live orders or levels than ever before, and
 * for a page of references once in about a thousand orders; else nothing.
 */
public final class OrderBooks {
    private final LongFunction<String> names;
    private final Long2ObjectHashMap<Book> books = new Long2ObjectHashMap<>();
    private final Long2ObjectHashMap<Order> orders = new Long2ObjectHashMap<>();
    private final ArrayDeque<Order> pool = new ArrayDeque<>();
    private final References added = new References();
    private long unknown;
    private long finished;
    private long clipped;
    private long duplicates;

    /**
     * Creates books without instruments.
     *
     * @param names gives the name of an instrument's key; called once for each instrument
     */
    public OrderBooks(LongFunction<String> names) {
        this.names = names;
    }

    /**
     * Applies one message.
     *
     * @param event the message
     */
    public void on(MarketEvent event) {
        switch (event.kind()) {
            case ADD -> add(book(event.instrument()), event.reference(), event.buy(), event.price(), event.shares());
            case EXECUTE, CANCEL -> reduce(event.reference(), event.shares());
            case DELETE -> delete(event.reference());
            case REPLACE -> replace(event);
            case DIRECTORY -> book(event.instrument());
            case OTHER, END -> {
                // Touches no book.
            }
        }
    }

    /**
     * Events for orders that the feed never added.
     *
     * @return how many
     */
    public long unknownOrders() {
        return unknown;
    }

    /**
     * Events for orders of which nothing was left.
     *
     * @return how many
     */
    public long finishedOrders() {
        return finished;
    }

    /**
     * Executions and cancels beyond what was left.
     *
     * @return how many
     */
    public long clippedEvents() {
        return clipped;
    }

    /**
     * Orders that came under the reference of a live one.
     *
     * @return how many
     */
    public long duplicateOrders() {
        return duplicates;
    }

    /**
     * Orders of which something is left.
     *
     * @return how many
     */
    public long liveOrders() {
        return orders.size();
    }

    /**
     * Instruments in the directory or with orders.
     *
     * @return how many
     */
    public int instruments() {
        return books.size();
    }

    /** The books, sorted by the name of their instrument. */
    List<Book> sorted() {
        List<Book> sorted = new ArrayList<>(books.values());
        sorted.sort(Comparator.comparing(Book::instrument));
        return sorted;
    }

    private void add(Book book, long reference, boolean buy, long price, long shares) {
        @Nullable Order earlier = orders.get(reference);
        if (earlier != null) {
            duplicates++;
            remove(reference, earlier);
        }
        added.add(reference);
        if (shares == 0) {
            return;
        }
        @Nullable Order pooled = pool.pollLast();
        Order order = pooled == null ? new Order() : pooled;
        order.set(book, buy, price, shares);
        order.rest();
        orders.put(reference, order);
    }

    private void reduce(long reference, long shares) {
        @Nullable Order order = live(reference);
        if (order == null) {
            return;
        }
        if (shares > order.shares()) {
            clipped++;
        }
        if (shares >= order.shares()) {
            remove(reference, order);
        } else if (shares > 0) {
            order.reduce(shares);
        }
    }

    private void delete(long reference) {
        @Nullable Order order = live(reference);
        if (order != null) {
            remove(reference, order);
        }
    }

    private void replace(MarketEvent event) {
        @Nullable Order order = live(event.reference());
        if (order != null) {
            Book book = order.book();
            boolean buy = order.isBuy();
            remove(event.reference(), order);
            add(book, event.newReference(), buy, event.price(), event.shares());
        }
    }

    private @Nullable Order live(long reference) {
        @Nullable Order order = orders.get(reference);
        if (order == null) {
            if (added.contains(reference)) {
                finished++;
            } else {
                unknown++;
            }
        }
        return order;
    }

    private void remove(long reference, Order order) {
        order.reduce(order.shares());
        orders.remove(reference);
        order.clear();
        pool.addLast(order);
    }

    private Book book(long instrument) {
        @Nullable Book book = books.get(instrument);
        if (book == null) {
            book = new Book(names.apply(instrument));
            books.put(instrument, book);
        }
        return book;
    }
}
