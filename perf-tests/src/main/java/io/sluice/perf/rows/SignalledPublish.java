package io.sluice.perf.rows;

import io.sluice.core.SignalledIdle;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import io.sluice.perf.flow.Publishing;
import io.sluice.perf.flow.SluiceRing;
import java.util.List;
import java.util.function.Supplier;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/** The cost of publishing to a consumer that could block, while it is busy. */
final class SignalledPublish {
    private static final int CAPACITY = 65_536;

    private SignalledPublish() {}

    /** Now and then a JVM is slower by a fifth, and stays so. Therefore the JVMs are fresh after every two near rounds. */
    static Row row() {
        return Row.of(
                        Row.COMPARE,
                        "1p1c-signalled",
                        "events/s",
                        "one producer, one consumer that could block but is busy, 65536 slots")
                .contestants("sluice", SignalledPublish::entries)
                .freshJvmsAfter(2)
                .targets(
                        Target.atLeast("sluice-timed", "sluice", 0.9, 1).limitedBy("sluice-look", 0.95),
                        Target.atLeast("sluice-exact-10", "sluice-10", 0.65, 1).limitedBy("sluice-10-fence-look", 0.95),
                        Target.atLeast("sluice-exact", "sluice-volatile", 1, 1).limitedBy("sluice-fence-look", 0.97))
                .topology("producer->consumer")
                .build();
    }

    private static List<Entry> entries() {
        Supplier<IdleStrategy> spinning = () -> BusySpinIdleStrategy.INSTANCE;
        return List.of(
                entry("sluice", "Sluice, busy spin", spinning, Publishing.ONE),
                entry("sluice-10", "Sluice, busy spin, claims of 10", spinning, Publishing.TEN),
                entry("sluice-timed", "Sluice, signalled idle, timed", SignalledIdle::timed, Publishing.ONE),
                entry("sluice-exact", "Sluice, signalled idle, exact", SignalledIdle::exact, Publishing.ONE),
                entry(
                        "sluice-exact-10",
                        "Sluice, signalled idle, exact, claims of 10",
                        SignalledIdle::exact,
                        Publishing.TEN),
                entry(
                        "sluice-volatile",
                        "Sluice, busy spin, a full fence behind each publication",
                        spinning,
                        Publishing.ONE_AND_FENCE),
                entry(
                        "sluice-look",
                        "Sluice, busy spin, a look at a word behind each publication",
                        spinning,
                        Publishing.ONE_AND_LOOK),
                entry(
                        "sluice-fence-look",
                        "Sluice, busy spin, a full fence and a look at a word behind each publication",
                        spinning,
                        Publishing.ONE_AND_FENCE_AND_LOOK),
                entry(
                        "sluice-10-fence-look",
                        "Sluice, busy spin, claims of 10, a full fence and a look at a word behind each",
                        spinning,
                        Publishing.TEN_AND_FENCE_AND_LOOK));
    }

    private static Entry entry(String id, String label, Supplier<? extends IdleStrategy> idle, Publishing publishing) {
        SluiceRing.Setup setup =
                new SluiceRing.Setup(true, CAPACITY, idle, () -> BusySpinIdleStrategy.INSTANCE, false, true);
        return RingEntries.sluiceFresh(id, label, setup, publishing);
    }
}
