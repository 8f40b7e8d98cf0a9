package io.sluice.perf.ordered;

import io.sluice.core.State;
import io.sluice.ordered.OrderedScheduler;
import io.sluice.ordered.TicketMode;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Ours, with tickets of its own or, where several are taken at once, from outside. */
final class SchedulerLane implements Lane {
    private final OrderedScheduler<Item> scheduler;
    private final TicketMode mode;
    private final boolean tasks;
    private final AtomicLong next = new AtomicLong();

    private SchedulerLane(Output output, TicketMode mode, boolean unchecked, boolean tasks) {
        OrderedScheduler.Builder<Item> builder = OrderedScheduler.<Item>builder(
                        (ticket, item) -> output.on(ticket, item.value()))
                .window(WINDOW)
                .tickets(mode);
        this.scheduler = (unchecked ? builder.unchecked() : builder).build();
        this.mode = mode;
        this.tasks = tasks;
    }

    static Maker exact(TicketMode mode) {
        return output -> new SchedulerLane(output, mode, false, false);
    }

    static Maker unchecked(TicketMode mode) {
        return output -> new SchedulerLane(output, mode, true, false);
    }

    /** With a task for each ticket in place of a value and one handler. */
    static Maker tasks(TicketMode mode) {
        return output -> new SchedulerLane(output, mode, false, true);
    }

    @Override
    public long take(int count) throws InterruptedException {
        if (mode != TicketMode.EXTERNAL) {
            if (count != 1) {
                throw new IllegalArgumentException("count " + count + ": allowed is 1 with tickets of the scheduler");
            }
            return scheduler.next();
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
                || scheduler.account().delivered() != total) {
            throw new IllegalStateException(
                    "of " + total + " items not all were put out: " + scheduler.account(), scheduler.failure());
        }
    }

    @Override
    public void close() {
        scheduler.close();
    }
}
