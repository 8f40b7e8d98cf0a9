package io.sluice.perf.rows;

import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import io.sluice.perf.flow.Publishing;
import io.sluice.perf.flow.Shape;
import io.sluice.perf.flow.SluiceRing;
import io.sluice.perf.flow.Throughput;
import io.sluice.perf.flow.WarmedSluice;
import java.util.List;
import org.agrona.concurrent.BusySpinIdleStrategy;

/** The first class of handlers and translators of a JVM beside one that comes after five others, both producer types, a failure. */
public final class FifthClass implements Row {
    private static final int CAPACITY = 65_536;
    private static final SluiceRing.Setup SETUP = new SluiceRing.Setup(
            true, CAPACITY, () -> BusySpinIdleStrategy.INSTANCE, () -> BusySpinIdleStrategy.INSTANCE, false, true);

    /** For the service loader. */
    public FifthClass() {}

    @Override
    public String id() {
        return "fifth-class";
    }

    @Override
    public String title() {
        return "the first class of handlers and of translators in a JVM, and the sixth, 65536 slots, busy spin";
    }

    @Override
    public String unit() {
        return "events/s";
    }

    @Override
    public List<Entry> entries() {
        return List.of(
                new Entry("sluice-first", "Sluice, first classes, through a translator", FifthClass::fresh),
                new Entry("sluice", "Sluice, sixth classes, through a translator", () -> new WarmedSluice(fresh())));
    }

    private static Throughput fresh() {
        return new Throughput(() -> new SluiceRing(SETUP, Shape.ONE, Publishing.TRANSLATOR), 1, true);
    }

    @Override
    public String reference() {
        return "sluice-first";
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atLeast("sluice", "sluice-first", 0.95, 1));
    }

    @Override
    public List<String> topology() {
        return List.of("producer->consumer");
    }
}
