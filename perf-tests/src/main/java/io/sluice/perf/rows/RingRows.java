package io.sluice.perf.rows;

import com.lmax.disruptor.dsl.ProducerType;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.RowTable;
import io.sluice.perf.compare.Target;
import io.sluice.perf.flow.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.stream.Stream;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.jctools.queues.MpmcArrayQueue;
import org.jctools.queues.MpscArrayQueue;

/** The rows of events a second through a ring, and what a ring takes that has none. */
public final class RingRows implements RowTable {
    private static final String PEER = "lmax";
    private static final int PRODUCERS = 3;

    /** For the service loader. */
    public RingRows() {}

    @Override
    public List<Row> rows() {
        return List.of(
                pinned(
                        "1p1c",
                        65_536,
                        Target.atLeast("sluice", PEER, 1.7, 2.5),
                        Target.atLeast("sluice-10", "lmax-10", 1.3, 2),
                        Target.atLeast("sluice-multi", "lmax-multi", 5, 10),
                        Target.atLeast("sluice-multi", PEER, 0.6, 0.9)),
                pinned(
                        "1p1c-1024",
                        1_024,
                        Target.atLeast("sluice", PEER, 1.4, 2.0),
                        Target.atLeast("sluice-10", "lmax-10", 1.3, 2)),
                SignalledPublish.row(),
                HandlerInlining.row(),
                threeProducers(),
                threeConsumers("multicast", "three consumers that each see all", Shape.MULTICAST)
                        .topology("producer->a", "producer->b", "producer->c")
                        .build(),
                threeConsumers("pipeline", "three consumers one behind the other", Shape.PIPELINE)
                        .topology("producer->a", "a->b", "b->c")
                        .build(),
                threeConsumers("diamond", "two consumers and a third behind both", Shape.DIAMOND)
                        .topology("producer->a", "producer->b", "a->c", "b->c")
                        .build(),
                IdleCpu.row());
    }

    private static Row pinned(String id, int capacity, Target... targets) {
        return Row.of(Row.COMPARE, id, "events/s", "one producer, one consumer, " + capacity + " slots, busy spin")
                .contestants(PEER, () -> OneToOneEntries.of(capacity))
                .targets(targets)
                .topology("producer->consumer")
                .build();
    }

    /** One producer and three consumers, on fewer cores than threads; a pipeline's consumers also all on one thread. */
    private static Row.Builder threeConsumers(String id, String consumers, Shape shape) {
        List<Target> targets = new ArrayList<>();
        targets.add(Target.atLeast("sluice", PEER, 1.5, 2.5));
        if (shape == Shape.PIPELINE) {
            targets.add(Target.atLeast("sluice-one-thread", PEER, 2, 4));
        }
        targets.add(Target.atLeast("sluice-exact", "lmax-blocking", 2, 5));
        targets.add(Target.atLeast("sluice-exact", SharedCoreEntries.LITE, 1, 2));
        targets.add(Target.atLeast("sluice-exact", SharedCoreEntries.PHASED, 1, 2));
        return Row.of(Row.COMPARE, id, "events/s", "one producer, " + consumers + ", 65536 slots, not pinned")
                .contestants(PEER, () -> {
                    List<Entry> entries = new ArrayList<>();
                    entries.add(SharedCoreEntries.sluiceYielding(true, shape, 1, false));
                    if (shape == Shape.PIPELINE) {
                        entries.add(SharedCoreEntries.sluiceYielding(true, shape, 1, true));
                    }
                    entries.add(SharedCoreEntries.sluiceExact(shape));
                    entries.add(SharedCoreEntries.sluiceTimed(shape));
                    entries.add(SharedCoreEntries.lmaxYielding(ProducerType.SINGLE, shape, 1));
                    entries.addAll(SharedCoreEntries.lmaxBlocking(ProducerType.SINGLE, shape, 1));
                    return entries;
                })
                .targets(targets.toArray(Target[]::new));
    }

    private static Row threeProducers() {
        int capacity = SharedCoreEntries.CAPACITY;
        return Row.of(
                        Row.COMPARE,
                        "3p1c",
                        "events/s",
                        "three producers, one consumer, 65536 slots, yielding, not pinned")
                .contestants(
                        PEER,
                        () -> Stream.concat(
                                        SharedCoreEntries.lmaxBlocking(ProducerType.MULTI, Shape.ONE, PRODUCERS)
                                                .stream(),
                                        Stream.of(
                                                SharedCoreEntries.sluiceYielding(false, Shape.ONE, PRODUCERS, false),
                                                SharedCoreEntries.lmaxYielding(
                                                        ProducerType.MULTI, Shape.ONE, PRODUCERS),
                                                SharedCoreEntries.queue(
                                                        "jctools-mpsc",
                                                        "JCTools MpscArrayQueue",
                                                        () -> new MpscArrayQueue<>(capacity),
                                                        PRODUCERS),
                                                SharedCoreEntries.queue(
                                                        "jctools-mpmc",
                                                        "JCTools MpmcArrayQueue",
                                                        () -> new MpmcArrayQueue<>(capacity),
                                                        PRODUCERS),
                                                SharedCoreEntries.queue(
                                                        "agrona-nqueue",
                                                        "Agrona ManyToOneConcurrentArrayQueue",
                                                        () -> new ManyToOneConcurrentArrayQueue<>(capacity),
                                                        PRODUCERS),
                                                SharedCoreEntries.queue(
                                                        "abq",
                                                        "ArrayBlockingQueue",
                                                        () -> new ArrayBlockingQueue<>(capacity),
                                                        PRODUCERS)))
                                .toList())
                .targets(Target.atLeast("sluice", PEER, 2, 3))
                .topology("producer 1->consumer", "producer 2->consumer", "producer 3->consumer")
                .build();
    }
}
