package io.sluice.perf.ordered;

/**
 * One of the items that a lane moves: a value, or a task, as the lane likes it. They are made once and used again, so that nobody
 * allocates; the thread that completes a ticket fills its item just before.
 */
final class Item implements Runnable {
    private static final long STEP = 7;

    private final Output output;
    private long ticket;
    private long value;

    Item(Output output) {
        this.output = output;
    }

    static Item[] ring(Output output, int size) {
        Item[] items = new Item[size];
        for (int i = 0; i < size; i++) {
            items[i] = new Item(output);
        }
        return items;
    }

    /** The value of a ticket's item. */
    static long of(long ticket) {
        return ticket * STEP + 1;
    }

    /** The ticket of an item's value. */
    static long ticket(long value) {
        return (value - 1) / STEP;
    }

    /** The sum of the values of the tickets 0 to total - 1, modulo 2^64. */
    static long sum(long total) {
        long half = total % 2 == 0 ? total / 2 * (total - 1) : (total - 1) / 2 * total;
        return half * STEP + total;
    }

    Item fill(long newTicket) {
        ticket = newTicket;
        value = of(newTicket);
        return this;
    }

    long value() {
        return value;
    }

    @Override
    public void run() {
        output.on(ticket, value);
    }
}
