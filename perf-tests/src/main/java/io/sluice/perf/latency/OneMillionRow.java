package io.sluice.perf.latency;

import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import java.util.List;

/** Events due at 1 million a second, whatever became of those before. */
public final class OneMillionRow implements Row {
    /** For the service loader. */
    public OneMillionRow() {}

    @Override
    public String id() {
        return "open-loop-1m";
    }

    @Override
    public String title() {
        return "open loop at 1 million events a second, 65536 slots, busy spin";
    }

    @Override
    public String unit() {
        return "ns";
    }

    @Override
    public List<Entry> entries() {
        return Entries.spinning(lane -> new OpenLoop(lane, 1_000_000));
    }

    @Override
    public String reference() {
        return "lmax";
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.atMost("sluice", "lmax", 1.05, 0.95),
                Target.atMost("sluice", "jctools-spsc", 1.05, 0.95),
                Target.atMost("sluice", "agrona-queue", 1.05, 0.95));
    }

    @Override
    public List<String> topology() {
        return List.of("sender->receiver");
    }
}
