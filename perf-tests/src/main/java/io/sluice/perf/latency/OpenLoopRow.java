package io.sluice.perf.latency;

import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import java.util.List;

/** Events due at a constant rate, whatever became of those before. */
abstract class OpenLoopRow implements Row {
    private final int millions;

    /**
     * Creates a row.
     *
     * @param millions of events a second
     */
    OpenLoopRow(int millions) {
        this.millions = millions;
    }

    @Override
    public final String id() {
        return "open-loop-" + millions + "m";
    }

    @Override
    public final String title() {
        return "open loop at " + millions + " million events a second, 65536 slots, busy spin";
    }

    @Override
    public final String unit() {
        return "ns";
    }

    @Override
    public final List<Entry> entries() {
        return Entries.spinning(lane -> new OpenLoop(lane, millions * 1_000_000L));
    }

    @Override
    public final String reference() {
        return "lmax";
    }

    /**
     * Medians of JVMs that are made the same way are from 83 to 144 ns: few JVMs with many rounds each would say more of those
     * JVMs than of the ring.
     */
    @Override
    public final int nearRoundsAJvm() {
        return 2;
    }

    @Override
    public final List<Target> targets() {
        return List.of(
                Target.atMost("sluice", "lmax", 1.05, 0.95),
                Target.atMost("sluice", "jctools-spsc", 1.05, 0.95),
                Target.atMost("sluice", "agrona-queue", 1.05, 0.95));
    }

    @Override
    public final List<String> topology() {
        return List.of("sender->receiver");
    }
}
