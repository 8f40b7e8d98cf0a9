package io.sluice.perf.rows;

import com.lmax.disruptor.dsl.ProducerType;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import io.sluice.perf.flow.Shape;
import java.util.List;

/** One producer, two consumers and a third behind both, on fewer cores than threads. */
public final class Diamond implements Row {
    /** For the service loader. */
    public Diamond() {}

    @Override
    public String id() {
        return "diamond";
    }

    @Override
    public String title() {
        return "one producer, two consumers and a third behind both, 65536 slots, not pinned";
    }

    @Override
    public String unit() {
        return "events/s";
    }

    @Override
    public List<Entry> entries() {
        return List.of(
                SharedCoreEntries.sluiceYielding(true, Shape.DIAMOND, 1, false),
                SharedCoreEntries.sluiceExact(Shape.DIAMOND),
                SharedCoreEntries.sluiceTimed(Shape.DIAMOND),
                SharedCoreEntries.lmaxYielding(ProducerType.SINGLE, Shape.DIAMOND, 1),
                SharedCoreEntries.lmaxBlocking(ProducerType.SINGLE, Shape.DIAMOND, 1));
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
        return List.of("producer->a", "producer->b", "a->c", "b->c");
    }
}
