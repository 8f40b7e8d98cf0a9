package io.sluice.perf.ordered;

import io.sluice.ordered.TicketMode;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Measurement;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.RowTable;
import io.sluice.perf.compare.Target;
import io.sluice.perf.compare.Times;
import io.sluice.perf.latency.Platform;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** The rows of {@code bench ordered}: the ordered scheduler beside other ways to put out in order. */
public final class OrderedRows implements RowTable {
    /** The word after {@code bench}. */
    public static final String SUITE = "ordered";

    private static final int WORKERS = 2;
    private static final String UNORDERED = "unordered";
    private static final String HOP = "hop";

    /** For the service loader. */
    public OrderedRows() {}

    @Override
    public List<Row> rows() {
        return List.of(
                inTurn(),
                randomOrder(),
                work(1, 0.90),
                work(5, 0.97),
                work(20, 0.99),
                delay(50, 2, 1),
                delay(99, 20, 10));
    }

    /** The row of items that come in their turn. The figures of two JVMs may differ by a tenth. */
    private static Row inTurn() {
        return Row.of(
                        SUITE,
                        "ordered-1",
                        "items/s",
                        "one thread completes tickets that it counts, each in its turn, no work")
                .contestants(
                        Lanes.PUBLISHED,
                        () -> Lanes.oneWorker(
                                (id, label, maker) -> Rate.entry(id, label, 1, Workload.inOrder(), maker)))
                .freshJvmsAfter(5)
                .targets(
                        Target.atLeast(Lanes.OURS, Lanes.PUBLISHED, 1.5, 2.0).limitedBy(Lanes.TWO, 0.85),
                        Target.atLeast(Lanes.UNCHECKED, Lanes.PUBLISHED, 2.0, 3.0)
                                .limitedBy(Lanes.ONE_AND_DUTIES, 0.9),
                        Target.atLeast(Lanes.OURS, "synchronized", 1.5, 2.0))
                .topology("thread->output")
                .build();
    }

    private static Row randomOrder() {
        return twoThreads(
                        "ordered-2",
                        "items/s",
                        Orders.HANDFUL + " tickets at once each, completed in random order, no work")
                .contestants(Lanes.PUBLISHED, () -> {
                    Lanes.Kind rate =
                            (id, label, maker) -> Rate.entry(id, label, WORKERS, Workload.randomOrder(), maker);
                    List<Entry> entries = Lanes.workers(TicketMode.EXTERNAL, rate);
                    entries.add(rate.entry(Lanes.TWO, "the same states, two compare-and-sets, no more", BareOrder.two())
                            .asBound());
                    entries.add(rate.entry(Lanes.ONE, "the same states, one compare-and-set, no more", BareOrder.one())
                            .asBound());
                    return entries;
                })
                .targets(
                        Target.atLeast(Lanes.OURS, Lanes.PUBLISHED, 1.5, 2.0).limitedBy(Lanes.TWO, 0.9),
                        Target.atLeast(Lanes.OURS, "synchronized", 1.5, 2.0))
                .build();
    }

    /** Work of some microseconds an item; the target is a part of the rate without order. */
    private static Row work(int micros, double must) {
        return twoThreads(
                        "ordered-work-" + micros,
                        "items/s",
                        "work of " + micros + " us an item, half to one and a half of it")
                .contestants(UNORDERED, () -> {
                    long nanos = TimeUnit.MICROSECONDS.toNanos(micros);
                    Workload work = Workload.working(nanos);
                    List<Entry> entries = new ArrayList<>();
                    entries.add(Rate.unordered(UNORDERED, "without order", WORKERS, work)
                            .asBound());
                    entries.addAll(Lanes.workers(
                            TicketMode.MANY, (id, label, maker) -> Rate.entry(id, label, WORKERS, work, maker)));
                    entries.addAll(StageRate.entries(WORKERS, nanos));
                    return entries;
                })
                .targets(Target.atLeast(Lanes.OURS, UNORDERED, must, 1.0))
                .build();
    }

    /** The delay that the ordering adds to an item, a percentile of a sample, in ways between the cores. */
    private static Row delay(int percentile, double must, double stretch) {
        return Row.of(
                        SUITE,
                        "ordered-delay-" + percentile,
                        "ns",
                        "what the ordering adds, percentile " + percentile
                                + ": two threads, work of 1 us an item; beside one way between the cores")
                .contestants(HOP, () -> delayed(percentile))
                .targets(Target.atMost(Lanes.OURS, HOP, must, stretch))
                .topology("thread-1->output", "thread-2->output")
                .notes(measurement -> preempted(measurement, delayed(percentile)))
                .build();
    }

    private static Row.Builder twoThreads(String id, String unit, String what) {
        return Row.of(SUITE, id, unit, "two threads, " + what).topology("thread-1->output", "thread-2->output");
    }

    private static List<Entry> delayed(int percentile) {
        List<Entry> entries = new ArrayList<>();
        entries.add(new Entry(HOP, "one way between the cores", Hop::new).asBound());
        entries.add(new Entry("platform", "the platform alone: a look at the clock", () -> new Platform(percentile))
                .asBound());
        entries.addAll(Lanes.workers(TicketMode.MANY, (id, label, maker) -> Delay.entry(id, label, percentile, maker)));
        return entries;
    }

    private static List<String> preempted(Measurement measurement, List<Entry> entries) {
        List<String> notes = new ArrayList<>();
        for (Entry entry : entries) {
            Histogram all = Times.histogram();
            for (Measurement.Sample sample : measurement.samples()) {
                if (sample.contestant().equals(entry.id()) && !sample.detail().isEmpty()) {
                    all.add(Times.read(sample.detail()));
                }
            }
            if (all.getTotalCount() > 0) {
                notes.add(String.format(
                        Locale.ROOT,
                        "%s: %.4f %% of %,d items took more than %,d ns, counted apart where they are one in a thousand of a sample at most",
                        entry.label(),
                        100.0 * Delay.preempted(all) / all.getTotalCount(),
                        all.getTotalCount(),
                        Delay.PREEMPTED_NANOS));
            }
        }
        return notes;
    }
}
