package io.sluice.perf.rows;

import com.lmax.disruptor.dsl.ProducerType;
import io.sluice.perf.compare.Band;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Figure;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.RowTable;
import io.sluice.perf.compare.Target;
import io.sluice.perf.flow.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The rows of events a second through a ring, and of the processor time that a ring without events takes. */
public final class RingRows implements RowTable {
    private static final String PEER = "lmax";
    private static final int PRODUCERS = 3;

    /** One producer and one consumer, each on a core of its own. */
    private record Pinned(String id, int capacity, List<Target> targets) {
        Row row() {
            return Row.of(Row.COMPARE, id, "events/s", "one producer, one consumer, " + capacity + " slots, busy spin")
                    .contestants(PEER, () -> OneToOneEntries.of(capacity))
                    .targets(targets.toArray(Target[]::new))
                    .topology("producer->consumer")
                    .build();
        }
    }

    private static final List<Pinned> PINNED = List.of(
            new Pinned(
                    "1p1c",
                    65_536,
                    List.of(
                            Target.atLeast("sluice", PEER, 2.5, 4),
                            Target.atLeast("sluice", PEER, 1.0, 1.3).on(Figure.UPPER_DECILE),
                            Target.atLeast("sluice-10", "lmax-10", 1.3, 2),
                            Target.atLeast("sluice-multi", "lmax-multi", 5, 10),
                            Target.atLeast("sluice-multi", PEER, 0.6, 0.9))),
            new Pinned(
                    "1p1c-1024",
                    1_024,
                    List.of(Target.atLeast("sluice", PEER, 1.5, 2.5), Target.atLeast("sluice-10", "lmax-10", 1.3, 2))));

    /** One producer and three consumers, on fewer cores than threads. */
    private record Shared(String consumers, Shape shape, List<String> topology) {
        Row row() {
            String id = shape.name().toLowerCase(java.util.Locale.ROOT);
            return Row.of(Row.COMPARE, id, "events/s", "one producer, " + consumers + ", 65536 slots, not pinned")
                    .contestants(PEER, this::entries)
                    .targets(targets().toArray(Target[]::new))
                    .topology(topology.toArray(String[]::new))
                    .build();
        }

        /** The contestants; a pipeline's consumers also run all on one thread. */
        private List<Entry> entries() {
            List<Entry> entries = new ArrayList<>();
            entries.add(SharedCoreEntries.sluiceYielding(true, shape, 1));
            entries.add(SharedCoreEntries.sluiceNoBackOff(true, shape, 1));
            if (shape == Shape.PIPELINE) {
                entries.add(SharedCoreEntries.sluiceOneThread(shape));
            }
            entries.add(SharedCoreEntries.sluiceExact(shape));
            entries.add(SharedCoreEntries.sluiceTimed(shape));
            entries.add(SharedCoreEntries.lmaxYielding(ProducerType.SINGLE, shape, 1));
            entries.addAll(SharedCoreEntries.lmaxBlocking(ProducerType.SINGLE, shape, 1));
            entries.addAll(SharedCoreEntries.chained(shape));
            return entries;
        }

        private List<Target> targets() {
            List<Target> targets = new ArrayList<>();
            targets.add(Target.atLeast("sluice", PEER, 1.5, 2.5));
            if (shape == Shape.PIPELINE) {
                targets.add(Target.atLeast("sluice-one-thread", PEER, 2, 4));
            }
            targets.add(Target.atLeast("sluice-exact", "lmax-blocking", 2, 5));
            targets.add(Target.atLeast("sluice-exact", SharedCoreEntries.LITE, 1, 2));
            targets.add(Target.atLeast("sluice-exact", SharedCoreEntries.PHASED, 1, 2));
            return targets;
        }
    }

    private static final List<Shared> SHARED = List.of(
            new Shared(
                    "three consumers that each see all",
                    Shape.MULTICAST,
                    List.of("producer->a", "producer->b", "producer->c")),
            new Shared("three consumers one behind the other", Shape.PIPELINE, List.of("producer->a", "a->b", "b->c")),
            new Shared(
                    "two consumers and a third behind both",
                    Shape.DIAMOND,
                    List.of("producer->a", "producer->b", "a->c", "b->c")));

    /** For the service loader. */
    public RingRows() {}

    @Override
    public List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        PINNED.forEach(one -> rows.add(one.row()));
        SHARED.forEach(one -> rows.add(one.row()));
        rows.add(threeProducers("3p1c", "")
                .targets(Target.atLeast("sluice", PEER, 2, 3))
                .build());
        rows.add(threeProducers("3p1c-far", ", cores far from each other")
                .onlyAt(Band.FAR)
                .targets(Target.atLeast("sluice", PEER, 1, 2))
                .build());
        rows.addAll(ByteRows.rows());
        rows.addAll(MessageRows.rows());
        rows.add(SignalledPublish.row());
        rows.addAll(Applications.rows());
        rows.add(HandlerInlining.row());
        rows.add(IdleCpu.row());
        return rows;
    }

    private static Row.Builder threeProducers(String id, String where) {
        return Row.of(
                        Row.COMPARE,
                        id,
                        "events/s",
                        "three producers, one consumer, 65536 slots, yielding, not pinned" + where)
                .contestants(
                        PEER,
                        () -> Stream.of(
                                        List.of(
                                                SharedCoreEntries.sluiceYielding(false, Shape.ONE, PRODUCERS),
                                                SharedCoreEntries.sluiceNoBackOff(false, Shape.ONE, PRODUCERS),
                                                SharedCoreEntries.lmaxYielding(
                                                        ProducerType.MULTI, Shape.ONE, PRODUCERS)),
                                        SharedCoreEntries.lmaxBlocking(ProducerType.MULTI, Shape.ONE, PRODUCERS),
                                        SharedCoreEntries.queues(PRODUCERS))
                                .flatMap(List::stream)
                                .toList())
                .topology("producer 1->consumer", "producer 2->consumer", "producer 3->consumer");
    }
}
