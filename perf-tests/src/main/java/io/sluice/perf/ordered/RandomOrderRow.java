package io.sluice.perf.ordered;

import io.sluice.ordered.TicketMode;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import java.util.List;

/** Two threads that complete what they took in random order, without work. */
public final class RandomOrderRow implements Row {
    private static final int WORKERS = 2;

    /** For the service loader. */
    public RandomOrderRow() {}

    @Override
    public String suite() {
        return OrderedSuite.NAME;
    }

    @Override
    public String id() {
        return "ordered-2";
    }

    @Override
    public String title() {
        return "two threads, " + Orders.HANDFUL + " tickets at once each, completed in random order, no work";
    }

    @Override
    public String unit() {
        return "items/s";
    }

    @Override
    public List<Entry> entries() {
        Lanes.Kind rate = (id, label, maker) -> Rate.entry(id, label, WORKERS, Workload.randomOrder(), maker);
        List<Entry> entries = Lanes.workers(TicketMode.EXTERNAL, rate);
        entries.add(rate.entry(Lanes.TWO, "the same states, two compare-and-sets, no more", BareOrder.two()));
        entries.add(rate.entry(Lanes.ONE, "the same states, one compare-and-set, no more", BareOrder.one()));
        return entries;
    }

    @Override
    public String reference() {
        return Lanes.PUBLISHED;
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.atLeast(Lanes.OURS, Lanes.PUBLISHED, 1.5, 2.0).limitedBy(Lanes.TWO, 0.9),
                Target.atLeast(Lanes.OURS, "synchronized", 1.5, 2.0));
    }

    @Override
    public List<String> topology() {
        return List.of("thread-1->output", "thread-2->output");
    }
}
