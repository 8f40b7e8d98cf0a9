package io.sluice.perf.rows;

import com.lmax.disruptor.dsl.ProducerType;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import io.sluice.perf.flow.Shape;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.jctools.queues.MpmcArrayQueue;
import org.jctools.queues.MpscArrayQueue;

/** Three producers and one consumer, yielding. */
public final class ThreeToOne implements Row {
    private static final int PRODUCERS = 3;

    /** For the service loader. */
    public ThreeToOne() {}

    @Override
    public String id() {
        return "3p1c";
    }

    @Override
    public String title() {
        return "three producers, one consumer, 65536 slots, yielding, not pinned";
    }

    @Override
    public String unit() {
        return "events/s";
    }

    @Override
    public List<Entry> entries() {
        int capacity = SharedCoreEntries.CAPACITY;
        return List.of(
                SharedCoreEntries.sluiceYielding(false, Shape.ONE, PRODUCERS, false),
                SharedCoreEntries.lmaxYielding(ProducerType.MULTI, Shape.ONE, PRODUCERS),
                SharedCoreEntries.lmaxBlocking(ProducerType.MULTI, Shape.ONE, PRODUCERS),
                SharedCoreEntries.queue(
                        "jctools-mpsc", "JCTools MpscArrayQueue", () -> new MpscArrayQueue<>(capacity), PRODUCERS),
                SharedCoreEntries.queue(
                        "jctools-mpmc", "JCTools MpmcArrayQueue", () -> new MpmcArrayQueue<>(capacity), PRODUCERS),
                SharedCoreEntries.queue(
                        "agrona-nqueue",
                        "Agrona ManyToOneConcurrentArrayQueue",
                        () -> new ManyToOneConcurrentArrayQueue<>(capacity),
                        PRODUCERS),
                SharedCoreEntries.queue(
                        "abq", "ArrayBlockingQueue", () -> new ArrayBlockingQueue<>(capacity), PRODUCERS));
    }

    @Override
    public String reference() {
        return "lmax";
    }

    @Override
    public List<Target> targets() {
        return List.of(Target.atLeast("sluice", "lmax", 2, 3));
    }

    @Override
    public List<String> topology() {
        return List.of("producer 1->consumer", "producer 2->consumer", "producer 3->consumer");
    }
}
