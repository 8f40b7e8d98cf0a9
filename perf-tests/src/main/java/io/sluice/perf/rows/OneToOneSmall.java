package io.sluice.perf.rows;

import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import java.util.List;

/** One producer, one consumer, 1024 slots, a {@code long} an event, both spinning. */
public final class OneToOneSmall implements Row {
    /** For the service loader. */
    public OneToOneSmall() {}

    @Override
    public String id() {
        return "1p1c-1024";
    }

    @Override
    public String title() {
        return "one producer, one consumer, 1024 slots, busy spin";
    }

    @Override
    public String unit() {
        return "events/s";
    }

    @Override
    public List<Entry> entries() {
        return OneToOneEntries.of(1024);
    }

    @Override
    public String reference() {
        return "lmax";
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atLeast("sluice", "lmax", 1.4, 2.0), Target.atLeast("sluice-10", "lmax", 1.5, 3.0));
    }

    @Override
    public List<String> topology() {
        return List.of("producer->consumer");
    }
}
