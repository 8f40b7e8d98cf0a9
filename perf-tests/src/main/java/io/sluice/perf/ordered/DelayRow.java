package io.sluice.perf.ordered;

import io.sluice.ordered.TicketMode;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Measurement;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import io.sluice.perf.compare.Times;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** What the ordering adds to an item, beside one way between the cores. */
abstract class DelayRow implements Row {
    private static final String HOP = "hop";

    private final double percentile;
    private final double must;
    private final double stretch;

    /**
     * Creates a row.
     *
     * @param percentile of the delays of a sample
     * @param must how many hops it may be
     * @param stretch how many it should be
     */
    DelayRow(double percentile, double must, double stretch) {
        this.percentile = percentile;
        this.must = must;
        this.stretch = stretch;
    }

    @Override
    public final String suite() {
        return OrderedSuite.NAME;
    }

    @Override
    public final String id() {
        return String.format(Locale.ROOT, "ordered-delay-%.0f", percentile);
    }

    @Override
    public final String title() {
        return String.format(
                Locale.ROOT,
                "what the ordering adds, percentile %.0f: two threads, work of 1 us an item; beside one way between the cores",
                percentile);
    }

    @Override
    public final String unit() {
        return "ns";
    }

    @Override
    public final List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        entries.add(new Entry(HOP, "one way between the cores", Hop::new));
        entries.addAll(Lanes.workers(TicketMode.MANY, (id, label, maker) -> Delay.entry(id, label, percentile, maker)));
        return entries;
    }

    @Override
    public final String reference() {
        return HOP;
    }

    @Override
    public final List<Target> targets() {
        return List.of(Target.atMost(Lanes.OURS, HOP, must, stretch));
    }

    @Override
    public final List<String> topology() {
        return List.of("thread-1->output", "thread-2->output");
    }

    @Override
    public final List<String> notes(Measurement measurement) {
        List<String> notes = new ArrayList<>();
        for (Entry entry : entries()) {
            Histogram all = Times.histogram();
            for (Measurement.Sample sample : measurement.samples()) {
                if (sample.contestant().equals(entry.id()) && !sample.detail().isEmpty()) {
                    all.add(Times.read(sample.detail()));
                }
            }
            if (all.getTotalCount() > 0) {
                notes.add(String.format(
                        Locale.ROOT,
                        "%s: %.4f %% of %,d items took more than %,d ns, counted apart where they are a quarter at most",
                        entry.label(),
                        100.0 * Delay.preempted(all) / all.getTotalCount(),
                        all.getTotalCount(),
                        Delay.PREEMPTED_NANOS));
            }
        }
        return notes;
    }
}
