package io.sluice.perf.rows;

import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import java.util.List;

/** One producer, one consumer, 65536 slots, a {@code long} an event, both spinning. */
public final class OneToOne implements Row {
    /** For the service loader. */
    public OneToOne() {}

    @Override
    public String id() {
        return "1p1c";
    }

    @Override
    public String title() {
        return "one producer, one consumer, 65536 slots, busy spin";
    }

    @Override
    public String unit() {
        return "events/s";
    }

    @Override
    public List<Entry> entries() {
        return OneToOneEntries.of(65536);
    }

    @Override
    public String reference() {
        return "lmax";
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.atLeast("sluice", "lmax", 1.7, 2.5),
                Target.atLeast("sluice-10", "lmax", 4.5, 5.5),
                Target.atLeast("sluice-multi", "lmax-multi", 5, 10),
                Target.atLeast("sluice-multi", "lmax", 0.6, 0.9));
    }

    @Override
    public List<String> topology() {
        return List.of("producer->consumer");
    }
}
