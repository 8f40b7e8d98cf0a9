package io.sluice.perf.rows;

import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.dsl.ProducerType;
import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import io.sluice.perf.flow.Guests;
import io.sluice.perf.flow.Living;
import io.sluice.perf.flow.LmaxDisruptor;
import io.sluice.perf.flow.LmaxGuest;
import io.sluice.perf.flow.Publishing;
import io.sluice.perf.flow.Shape;
import io.sluice.perf.flow.SluiceGuest;
import io.sluice.perf.flow.SluiceRing;
import java.util.List;
import java.util.function.LongUnaryOperator;

/**
 * Whether a ring is as fast in an application as in a benchmark's loop. The rows differ in how the producer is kept, and in the other
 * classes that the JVM has loaded.
 */
final class Applications {
    private static final int CAPACITY = 65_536;
    private static final int CLASSES = 20;
    private static final String SINGLE = ", in a JVM with a single class of events and of handlers";
    private static final String TWENTY = ", in a JVM with twenty other classes of events and of handlers";

    private Applications() {}

    static List<Row> rows() {
        return List.of(
                row("producer-field", "a producer in a field of an application's object and in a local variable")
                        .contestants(
                                "sluice-local",
                                () -> List.of(
                                        kept("sluice-local", "Sluice, producer in a local variable", Publishing.LOCAL),
                                        kept("sluice", "Sluice, producer in a field", Publishing.FIELD)))
                        .targets(Target.atLeast("sluice", "sluice-local", 0.95, 1))
                        .build(),
                row("single-class", "one producer, one consumer" + SINGLE)
                        .contestants(
                                "lmax",
                                () -> List.of(
                                        new Entry("sluice", "Sluice" + SINGLE, Applications::sluice),
                                        new Entry("lmax", "LMAX Disruptor" + SINGLE, Applications::lmax)))
                        .targets(Target.atLeast("sluice", "lmax", 2.5, 4))
                        .build(),
                row("twenty-classes", "one producer, one consumer" + TWENTY)
                        .contestants(
                                "lmax",
                                () -> List.of(
                                        new Entry(
                                                "sluice", "Sluice" + TWENTY, () -> behind(SluiceGuest.class, sluice())),
                                        new Entry("sluice-single", "Sluice" + SINGLE, Applications::sluice),
                                        new Entry(
                                                "lmax",
                                                "LMAX Disruptor" + TWENTY,
                                                () -> behind(LmaxGuest.class, lmax()))))
                        .targets(
                                Target.atLeast("sluice", "lmax", 2.5, 4),
                                Target.atLeast("sluice", "sluice-single", 0.9, 1))
                        .build());
    }

    private static Row.Builder row(String id, String title) {
        return Row.of(Row.COMPARE, id, "events/s", title + ", " + CAPACITY + " slots, busy spin")
                .topology("producer->consumer");
    }

    private static Entry kept(String id, String label, Publishing publishing) {
        return RingEntries.sluice(id, label, SluiceRing.Setup.spinning(true, CAPACITY), Shape.ONE, publishing, 1);
    }

    private static Living sluice() {
        SluiceRing.Setup setup = SluiceRing.Setup.spinning(true, CAPACITY);
        return new Living(() -> new SluiceRing(setup, Shape.ONE, Publishing.ONE), 1, true);
    }

    private static Living lmax() {
        return new Living(
                () -> new LmaxDisruptor(ProducerType.SINGLE, CAPACITY, BusySpinWaitStrategy::new, Shape.ONE, 1, true),
                1,
                true);
    }

    private static Contestant behind(Class<? extends LongUnaryOperator> guest, Contestant contestant)
            throws ReflectiveOperationException {
        Guests.live(guest, CLASSES);
        return contestant;
    }
}
