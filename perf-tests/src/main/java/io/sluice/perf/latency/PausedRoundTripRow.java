package io.sluice.perf.latency;

import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Two rings, two threads that block, a ping every millisecond. */
public final class PausedRoundTripRow implements Row {
    /** For the service loader. */
    public PausedRoundTripRow() {}

    @Override
    public String id() {
        return "round-trip-blocking-1ms";
    }

    @Override
    public String title() {
        return "round trip over two rings of 65536 slots, blocking, 1 ms between pings";
    }

    @Override
    public String unit() {
        return "ns";
    }

    @Override
    public List<Entry> entries() {
        return Entries.blocking(lane -> new RoundTrip(lane, TimeUnit.MILLISECONDS.toNanos(1)));
    }

    @Override
    public String reference() {
        return "lmax-blocking";
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atMost("sluice-exact", "lmax-blocking", 1.1, 1.1));
    }

    @Override
    public List<String> topology() {
        return List.of("asking->echoing", "echoing->asking");
    }
}
