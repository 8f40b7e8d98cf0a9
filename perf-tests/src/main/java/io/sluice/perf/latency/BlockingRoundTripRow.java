package io.sluice.perf.latency;

import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import java.util.List;

/** Two rings, two threads that block when there is nothing, one ping on its way. */
public final class BlockingRoundTripRow implements Row {
    /** For the service loader. */
    public BlockingRoundTripRow() {}

    @Override
    public String id() {
        return "round-trip-blocking";
    }

    @Override
    public String title() {
        return "round trip over two rings of 65536 slots, blocking, back to back";
    }

    @Override
    public String unit() {
        return "ns";
    }

    @Override
    public List<Entry> entries() {
        return Entries.blocking(lane -> new RoundTrip(lane, 0));
    }

    @Override
    public String reference() {
        return "lmax-blocking";
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atMost("sluice-exact", "lmax-blocking", 0.5, 0.5));
    }

    @Override
    public List<String> topology() {
        return List.of("asking->echoing", "echoing->asking");
    }
}
