package io.sluice.perf.ordered;

import io.sluice.core.Sequence;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/** A thread of its own that looks at one slot after the other and puts out the items that it finds. */
@SuppressWarnings("ThreadPriorityCheck") // yields where there may be more threads than cores
final class SequencerLane implements Lane {
    private static final int MASK = WINDOW - 1;

    private final AtomicReferenceArray<Item> slots = new AtomicReferenceArray<>(WINDOW);
    private final Sequence tail = new Sequence(0);
    private final Sequence next = new Sequence(0);
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final Thread sequencer = new Thread(this::sequence, "sequencer");

    SequencerLane() {
        sequencer.setDaemon(true);
        sequencer.start();
    }

    private void sequence() {
        IdleStrategy idle = new BackoffIdleStrategy();
        long ticket = 0;
        while (!stopped.getOpaque()) { // opaque: a flag that is polled
            Item item = slots.getAcquire((int) ticket & MASK); // acquire: sees the item
            if (item == null) {
                idle.idle();
                continue;
            }
            idle.reset();
            item.run();
            slots.setPlain((int) ticket & MASK, null); // plain: released with the tail
            ticket++;
            tail.setRelease(ticket); // release: the slot, and what the output did
        }
    }

    @Override
    public long take(int count) {
        long first = next.getAndAdd(count);
        while (first + count > tail.getAcquire() + WINDOW) { // acquire: the slots have been freed
            Thread.yield();
        }
        return first;
    }

    @Override
    public void complete(long ticket, Item item) {
        slots.setRelease((int) ticket & MASK, item); // release: to the sequencer
    }

    @Override
    public void awaitOutput(long total) {
        while (tail.getAcquire() < total) { // acquire: what the output did
            Thread.yield();
        }
    }

    @Override
    public void close() {
        stopped.setRelease(true); // release: nothing that was written before matters; the thread only has to see it
    }
}
