package io.sluice.perf.ordered;

import io.sluice.ordered.TicketMode;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Two threads with work of some microseconds an item; beside the same without order. */
abstract class WorkRow implements Row {
    private static final int WORKERS = 2;
    private static final String UNORDERED = "unordered";

    private final int micros;
    private final double must;

    /**
     * Creates a row.
     *
     * @param micros the mean of the work
     * @param must which part of the unordered rate is to be reached
     */
    WorkRow(int micros, double must) {
        this.micros = micros;
        this.must = must;
    }

    @Override
    public final String suite() {
        return OrderedSuite.NAME;
    }

    @Override
    public final String id() {
        return "ordered-work-" + micros;
    }

    @Override
    public final String title() {
        return "two threads, work of " + micros + " us an item, half to one and a half of it";
    }

    @Override
    public final String unit() {
        return "items/s";
    }

    @Override
    public final List<Entry> entries() {
        long nanos = TimeUnit.MICROSECONDS.toNanos(micros);
        Workload work = Workload.working(nanos);
        List<Entry> entries = new ArrayList<>();
        entries.add(Rate.unordered(UNORDERED, "without order", WORKERS, work));
        entries.addAll(
                Lanes.workers(TicketMode.MANY, (id, label, maker) -> Rate.entry(id, label, WORKERS, work, maker)));
        entries.addAll(StageRate.entries(WORKERS, nanos));
        return entries;
    }

    @Override
    public final String reference() {
        return UNORDERED;
    }

    @Override
    public final List<Target> targets() {
        return List.of(Target.atLeast(Lanes.OURS, UNORDERED, must, 1.0));
    }

    @Override
    public final List<String> topology() {
        return List.of("thread-1->output", "thread-2->output");
    }
}
