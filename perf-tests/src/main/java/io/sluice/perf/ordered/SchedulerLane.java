package io.sluice.perf.ordered;

import io.sluice.core.Sequence;
import io.sluice.core.State;
import io.sluice.ordered.OrderedScheduler;
import io.sluice.ordered.OrderedSchedulerBuilder;
import io.sluice.ordered.TicketMode;
import java.util.concurrent.TimeUnit;

/** Ours, with tickets of its own, or with tickets from outside, as the published algorithm has them. */
final class SchedulerLane implements Lane {
    private final OrderedScheduler<Item> scheduler;
    private final TicketMode mode;
    private final boolean tasks;
    private final boolean oneTaker;
    private long mine;
    private final Sequence next = new Sequence(0);

    private SchedulerLane(Output output, TicketMode mode, boolean unchecked, boolean tasks, boolean oneTaker) {
        OrderedSchedulerBuilder<Item> builder = OrderedScheduler.<Item>builder(
                        (ticket, item) -> output.on(ticket, item.value()))
                .window(WINDOW)
                .tickets(mode);
        this.scheduler = (unchecked ? builder.unchecked() : builder).build();
        this.mode = mode;
        this.tasks = tasks;
        this.oneTaker = oneTaker;
    }

    /** For any number of workers: one ticket at a time from the scheduler, or several at once from outside. */
    static Maker of(TicketMode mode, boolean unchecked, boolean tasks) {
        return output -> new SchedulerLane(output, mode, unchecked, tasks, false);
    }

    /** For one worker, which counts its tickets. */
    static Maker oneTaker(boolean unchecked, boolean tasks) {
        return output -> new SchedulerLane(output, TicketMode.EXTERNAL, unchecked, tasks, true);
    }

    @Override
    public long take(int count) throws InterruptedException {
        if (mode != TicketMode.EXTERNAL) {
            if (count != 1) {
                throw new IllegalArgumentException("count must be 1 with tickets of the scheduler, but was " + count);
            }
            return scheduler.next();
        }
        if (oneTaker) {
            long first = mine;
            mine += count;
            return first; // in turn, so there is room
        }
        long first = next.getAndAdd(count);
        if (scheduler.awaitRoom(first + count - 1, Long.MAX_VALUE) < 0) {
            throw new IllegalStateException("no room: " + scheduler, scheduler.failure());
        }
        return first;
    }

    @Override
    public void complete(long ticket, Item item) {
        if (tasks) {
            scheduler.run(ticket, item);
        } else {
            scheduler.complete(ticket, item);
        }
    }

    @Override
    public void awaitOutput(long total) {
        if (!scheduler.drain(TimeUnit.SECONDS.toNanos(20))
                || scheduler.state() == State.FAILED
                || scheduler.totals().delivered() != total) {
            throw new IllegalStateException(
                    "of " + total + " items not all were put out: " + scheduler.totals(), scheduler.failure());
        }
    }

    @Override
    public void close() {
        scheduler.close();
    }
}
