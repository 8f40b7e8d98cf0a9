package io.sluice.perf.rows;

import com.lmax.disruptor.dsl.ProducerType;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import io.sluice.perf.flow.Shape;
import java.util.List;

/** One producer, three consumers one behind the other, on fewer cores than threads. */
public final class ThreeStages implements Row {
    /** For the service loader. */
    public ThreeStages() {}

    @Override
    public String id() {
        return "pipeline";
    }

    @Override
    public String title() {
        return "one producer, three consumers one behind the other, 65536 slots, not pinned";
    }

    @Override
    public String unit() {
        return "events/s";
    }

    @Override
    public List<Entry> entries() {
        return List.of(
                SharedCoreEntries.sluiceYielding(true, Shape.PIPELINE, 1, false),
                SharedCoreEntries.sluiceYielding(true, Shape.PIPELINE, 1, true),
                SharedCoreEntries.sluiceExact(Shape.PIPELINE),
                SharedCoreEntries.sluiceTimed(Shape.PIPELINE),
                SharedCoreEntries.lmaxYielding(ProducerType.SINGLE, Shape.PIPELINE, 1),
                SharedCoreEntries.lmaxBlocking(ProducerType.SINGLE, Shape.PIPELINE, 1));
    }

    @Override
    public String reference() {
        return "lmax";
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.atLeast("sluice", "lmax", 1.5, 2.5),
                Target.atLeast("sluice-one-thread", "lmax", 2, 4),
                Target.atLeast("sluice-exact", "lmax-blocking", 2, 5));
    }

    @Override
    public List<String> topology() {
        return List.of("producer->a", "a->b", "b->c");
    }
}
