package io.sluice.perf.rows;

import com.lmax.disruptor.dsl.ProducerType;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import io.sluice.perf.flow.Shape;
import java.util.List;

/** One producer, three consumers side by side, on fewer cores than threads. */
public final class Multicast implements Row {
    /** For the service loader. */
    public Multicast() {}

    @Override
    public String id() {
        return "multicast";
    }

    @Override
    public String title() {
        return "one producer, three consumers that each see all, 65536 slots, not pinned";
    }

    @Override
    public String unit() {
        return "events/s";
    }

    @Override
    public List<Entry> entries() {
        return List.of(
                SharedCoreEntries.sluiceYielding(true, Shape.MULTICAST, 1, false),
                SharedCoreEntries.sluiceExact(Shape.MULTICAST),
                SharedCoreEntries.sluiceTimed(Shape.MULTICAST),
                SharedCoreEntries.lmaxYielding(ProducerType.SINGLE, Shape.MULTICAST, 1),
                SharedCoreEntries.lmaxBlocking(ProducerType.SINGLE, Shape.MULTICAST, 1));
    }

    @Override
    public String reference() {
        return "lmax";
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.atLeast("sluice", "lmax", 1.5, 2.5), Target.atLeast("sluice-exact", "lmax-blocking", 2, 5));
    }

    @Override
    public List<String> topology() {
        return List.of("producer->a", "producer->b", "producer->c");
    }
}
