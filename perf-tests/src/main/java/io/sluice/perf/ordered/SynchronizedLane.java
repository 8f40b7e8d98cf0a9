package io.sluice.perf.ordered;

import io.sluice.core.Sequence;
import org.jspecify.annotations.Nullable;

/** A monitor around the order buffer: the code that one would write first. */
final class SynchronizedLane implements Lane {
    private final @Nullable Item[] slots = new @Nullable Item[WINDOW];
    private final Sequence next = new Sequence(0);

    // under the monitor of this
    private long tail;
    private int waiting;

    @Override
    public long take(int count) throws InterruptedException {
        long first = next.getAndAdd(count);
        synchronized (this) {
            while (first + count > tail + WINDOW) {
                waiting++;
                wait();
                waiting--;
            }
        }
        return first;
    }

    @Override
    public synchronized void complete(long ticket, Item item) {
        slots[(int) ticket & (WINDOW - 1)] = item;
        int slot = (int) tail & (WINDOW - 1);
        for (Item ready = slots[slot]; ready != null; ready = slots[slot]) {
            slots[slot] = null;
            ready.run();
            tail++;
            slot = (int) tail & (WINDOW - 1);
        }
        if (waiting > 0) {
            notifyAll();
        }
    }

    @Override
    public synchronized void awaitOutput(long total) {
        if (tail != total) {
            throw new IllegalStateException("of " + total + " items " + tail + " were put out");
        }
    }
}
