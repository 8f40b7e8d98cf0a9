package io.sluice.perf.ordered;

import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import java.util.List;

/** The way that an item takes when it comes in its turn: one thread, no work. */
public final class InOrderRow implements Row {
    /** For the service loader. */
    public InOrderRow() {}

    @Override
    public String suite() {
        return OrderedSuite.NAME;
    }

    @Override
    public String id() {
        return "ordered-1";
    }

    @Override
    public String title() {
        return "one thread completes tickets that it counts, each in its turn, no work";
    }

    @Override
    public String unit() {
        return "items/s";
    }

    @Override
    public List<Entry> entries() {
        return Lanes.oneWorker((id, label, maker) -> Rate.entry(id, label, 1, Workload.inOrder(), maker));
    }

    @Override
    public String reference() {
        return Lanes.PUBLISHED;
    }

    /** A tenth lies between one JVM and another. */
    @Override
    public int nearRoundsAJvm() {
        return 5;
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.atLeast(Lanes.OURS, Lanes.PUBLISHED, 1.5, 2.0).limitedBy(Lanes.TWO, 0.85),
                Target.atLeast(Lanes.UNCHECKED, Lanes.PUBLISHED, 2.0, 3.0).limitedBy(Lanes.ONE_AND_DUTIES, 0.9),
                Target.atLeast(Lanes.OURS, "synchronized", 1.5, 2.0));
    }

    @Override
    public List<String> topology() {
        return List.of("thread->output");
    }
}
