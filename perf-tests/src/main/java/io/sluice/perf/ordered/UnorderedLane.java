package io.sluice.perf.ordered;

import io.sluice.core.Sequence;
import java.util.concurrent.atomic.LongAdder;

/** No order at all: the thread that completes an item puts it out. Ordering may not cost much more than this. */
final class UnorderedLane implements Lane {
    private final Sequence next = new Sequence(0);
    private final LongAdder count = new LongAdder();
    private final LongAdder sum = new LongAdder();

    @Override
    public long take(int tickets) {
        return next.getAndAdd(tickets);
    }

    @Override
    public void complete(long ticket, Item item) {
        count.increment();
        sum.add(Item.of(ticket)); // without a window the item may be another's by now
    }

    /** Also checks the count and the tickets, since the output does not see them. */
    @Override
    public void awaitOutput(long total) {
        if (count.sum() != total || sum.sum() != Item.sum(total)) {
            throw new IllegalStateException("of " + total + " items " + count + " were put out, their sum is " + sum
                    + " and must be " + Item.sum(total));
        }
    }
}
