package io.sluice.perf.rows;

import io.sluice.perf.compare.Entry;
import io.sluice.perf.flow.Exchange;
import io.sluice.perf.flow.Living;
import io.sluice.perf.flow.Publishing;
import io.sluice.perf.flow.Shape;
import io.sluice.perf.flow.SluiceRing;
import io.sluice.perf.flow.Throughput;
import io.sluice.perf.flow.WarmedSluice;
import java.util.function.Supplier;

/** Contestants of events a second. */
final class RingEntries {
    private RingEntries() {}

    /** A ring of Sluice in a JVM with a past; it lives on from sample to sample. */
    static Entry sluice(
            String id, String label, SluiceRing.Setup setup, Shape shape, Publishing publishing, int producers) {
        return new Entry(
                id,
                label,
                () -> new WarmedSluice(
                        new Living(() -> new SluiceRing(setup, shape, publishing), producers, setup.pinned())));
    }

    /** The same with a fresh ring for each sample, for one producer and one consumer. */
    static Entry sluiceFresh(String id, String label, SluiceRing.Setup setup, Publishing publishing) {
        return new Entry(
                id,
                label,
                () -> new WarmedSluice(
                        new Throughput(() -> new SluiceRing(setup, Shape.ONE, publishing), 1, setup.pinned())));
    }

    /** A peer; it lives on from sample to sample. */
    static Entry peer(String id, String label, Supplier<Exchange> maker, int producers, boolean pinned) {
        return new Entry(id, label, () -> new Living(maker, producers, pinned));
    }
}
