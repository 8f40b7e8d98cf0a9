package io.sluice.perf.rows;

import io.sluice.core.SignalledIdle;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import io.sluice.perf.flow.Publishing;
import io.sluice.perf.flow.Shape;
import io.sluice.perf.flow.SluiceRing;
import io.sluice.perf.flow.Throughput;
import io.sluice.perf.flow.WarmedSluice;
import java.util.List;
import java.util.function.Supplier;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/** What it costs to publish to a consumer that could block, while it is busy. */
public final class SignalledPublish implements Row {
    private static final int CAPACITY = 65_536;

    /** For the service loader. */
    public SignalledPublish() {}

    @Override
    public String id() {
        return "1p1c-signalled";
    }

    @Override
    public String title() {
        return "one producer, one consumer that could block but is busy, 65536 slots";
    }

    @Override
    public String unit() {
        return "events/s";
    }

    @Override
    public List<Entry> entries() {
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
        return new Entry(
                id,
                label,
                () -> new WarmedSluice(new Throughput(() -> new SluiceRing(setup, Shape.ONE, publishing), 1, true)));
    }

    @Override
    public String reference() {
        return "sluice";
    }

    @Override
    public List<Target> targets() {
        return List.of(
                Target.atLeast("sluice-timed", "sluice", 0.9, 1).limitedBy("sluice-look", 0.95),
                Target.atLeast("sluice-exact-10", "sluice-10", 0.65, 1).limitedBy("sluice-10-fence-look", 0.95),
                Target.atLeast("sluice-exact", "sluice-volatile", 1, 1).limitedBy("sluice-fence-look", 0.97));
    }

    /** Now and then one is slower by a fifth, and keeps to that. */
    @Override
    public int nearRoundsAJvm() {
        return 2;
    }

    @Override
    public List<String> topology() {
        return List.of("producer->consumer");
    }
}
