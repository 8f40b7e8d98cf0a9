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

/**
 * Whether the compiler inlines a handler and a translator into their loops also where other classes came before: the first class of a
 * JVM beside one that comes after five others, both producer types, a failure.
 */
final class HandlerInlining {
    private HandlerInlining() {}

    static Row row() {
        return Row.of(
                        Row.COMPARE,
                        "sixth-handler-class",
                        "events/s",
                        "the first class of handlers and of translators in a JVM, and the sixth, 65536 slots, busy spin")
                .contestants(
                        "sluice-first",
                        () -> List.of(
                                new Entry(
                                        "sluice-first",
                                        "Sluice, first classes, through a translator",
                                        HandlerInlining::fresh),
                                new Entry(
                                        "sluice",
                                        "Sluice, sixth classes, through a translator",
                                        () -> new WarmedSluice(fresh()))))
                .targets(Target.atLeast("sluice", "sluice-first", 0.95, 1))
                .topology("producer->consumer")
                .build();
    }

    private static Throughput fresh() {
        SluiceRing.Setup setup = SluiceRing.Setup.spinning(true, 65_536);
        return new Throughput(() -> new SluiceRing(setup, Shape.ONE, Publishing.TRANSLATOR), 1, true);
    }
}
