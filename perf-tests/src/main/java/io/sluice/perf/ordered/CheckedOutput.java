package io.sluice.perf.ordered;

/**
 * Makes sure that every item comes once, in order and with its value. The fields are plain on purpose: the lane that orders the items has
 * to make them visible.
 */
final class CheckedOutput implements Output {
    private long next;
    private long sum;
    private long outOfOrder;

    @Override
    public void on(long ticket, long value) {
        if (ticket != next) {
            outOfOrder++;
        }
        next = ticket + 1;
        sum += value;
    }

    /** Throws unless the items 0 to total - 1 came, in order, with the values that {@link Item#of} gives them. */
    void check(long total) {
        if (outOfOrder != 0 || next != total || sum != Item.sum(total)) {
            throw new IllegalStateException("of " + total + " items " + outOfOrder + " came out of order, the last was "
                    + (next - 1) + ", their sum is " + sum + " and must be " + Item.sum(total));
        }
    }
}
