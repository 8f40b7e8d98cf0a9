package io.sluice.perf.latency;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Two rings, two spinning threads, one ping on its way. */
public final class RoundTripRow implements Row {
    /** For the service loader. */
    public RoundTripRow() {}

    @Override
    public String id() {
        return "round-trip";
    }

    @Override
    public String title() {
        return "round trip over two rings of 65536 slots, busy spin";
    }

    @Override
    public String unit() {
        return "ns";
    }

    @Override
    public List<Entry> entries() {
        Function<Lane.Transport, Contestant> work = lane -> new RoundTrip(lane, 0);
        List<Entry> entries = new ArrayList<>(Entries.spinning(work));
        entries.add(Entries.raw(work));
        return entries;
    }

    @Override
    public String reference() {
        return "raw";
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atMost("sluice", "raw", 1.4, 1.2));
    }

    @Override
    public List<String> topology() {
        return List.of("asking->echoing", "echoing->asking");
    }
}
