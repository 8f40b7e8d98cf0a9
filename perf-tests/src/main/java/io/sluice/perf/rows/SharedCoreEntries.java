package io.sluice.perf.rows;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.LiteBlockingWaitStrategy;
import com.lmax.disruptor.PhasedBackoffWaitStrategy;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import com.lmax.disruptor.dsl.ProducerType;
import io.sluice.core.SignalledIdle;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.flow.ChainedQueues;
import io.sluice.perf.flow.Event;
import io.sluice.perf.flow.Exchange;
import io.sluice.perf.flow.LmaxDisruptor;
import io.sluice.perf.flow.PolledQueue;
import io.sluice.perf.flow.Publishing;
import io.sluice.perf.flow.Shape;
import io.sluice.perf.flow.SluiceRing;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.agrona.concurrent.OneToOneConcurrentArrayQueue;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.jctools.queues.MpmcArrayQueue;
import org.jctools.queues.MpscArrayQueue;
import org.jctools.queues.SpscArrayQueue;

/** Contestants of the rows with more threads than cores: nobody is pinned, and a thread that waits yields or blocks. */
final class SharedCoreEntries {
    static final String LITE = "lmax-lite";
    static final String PHASED = "lmax-phased";
    static final int CAPACITY = 65_536;

    private SharedCoreEntries() {}

    static Entry sluiceYielding(boolean single, Shape shape, int producers) {
        return sluice("sluice", "Sluice, yielding", yielding(single, false), shape, producers);
    }

    static Entry sluiceNoBackOff(boolean single, Shape shape, int producers) {
        return sluice(
                "sluice-no-back-off",
                "Sluice, yielding, no wait after a batch",
                yielding(single, false).withoutBackOff(),
                shape,
                producers);
    }

    static Entry sluiceOneThread(Shape shape) {
        return sluice(
                "sluice-one-thread", "Sluice, yielding, all consumers on one thread", yielding(true, true), shape, 1);
    }

    static Entry sluiceExact(Shape shape) {
        return sluice(
                "sluice-exact", "Sluice, signalled idle, exact", setup(SignalledIdle::exact, true, false), shape, 1);
    }

    static Entry sluiceTimed(Shape shape) {
        return sluice(
                "sluice-timed", "Sluice, signalled idle, timed", setup(SignalledIdle::timed, true, false), shape, 1);
    }

    private static SluiceRing.Setup yielding(boolean single, boolean oneThread) {
        return setup(YieldingIdleStrategy::new, single, oneThread);
    }

    private static SluiceRing.Setup setup(Supplier<? extends IdleStrategy> idle, boolean single, boolean oneThread) {
        return new SluiceRing.Setup(single, CAPACITY, idle, YieldingIdleStrategy::new, oneThread, false);
    }

    private static Entry sluice(String id, String label, SluiceRing.Setup setup, Shape shape, int producers) {
        return RingEntries.sluice(id, label, setup, shape, Publishing.ONE, producers);
    }

    static Entry lmaxYielding(ProducerType type, Shape shape, int producers) {
        return lmax("lmax", "LMAX Disruptor, yielding", type, YieldingWaitStrategy::new, shape, producers);
    }

    /** A contestant for each of LMAX's strategies that block: the slowest alone would flatter all others. */
    static List<Entry> lmaxBlocking(ProducerType type, Shape shape, int producers) {
        return List.of(
                lmax("lmax-blocking", "LMAX Disruptor, blocking", type, BlockingWaitStrategy::new, shape, producers),
                lmax(LITE, "LMAX Disruptor, lite blocking", type, LiteBlockingWaitStrategy::new, shape, producers),
                lmax(
                        PHASED,
                        "LMAX Disruptor, spins 10 us, yields 10 us, then lite blocking",
                        type,
                        () -> PhasedBackoffWaitStrategy.withLiteLock(10, 10, TimeUnit.MICROSECONDS),
                        shape,
                        producers));
    }

    private static Entry lmax(
            String id, String label, ProducerType type, Supplier<WaitStrategy> wait, Shape shape, int producers) {
        return entry(id, label, () -> new LmaxDisruptor(type, CAPACITY, wait, shape, 1, false), producers);
    }

    /** The queues that one producer and three consumers are built of, one behind the other or side by side. */
    static List<Entry> chained(Shape shape) {
        return List.of(
                chained("jctools-spsc", "JCTools SpscArrayQueue, between each two", SpscArrayQueue::new, shape),
                chained(
                        "agrona-queue",
                        "Agrona OneToOneConcurrentArrayQueue, between each two",
                        OneToOneConcurrentArrayQueue::new,
                        shape),
                chained("abq", "ArrayBlockingQueue, between each two", ArrayBlockingQueue::new, shape));
    }

    private static Entry chained(String id, String label, IntFunction<Queue<Event>> maker, Shape shape) {
        return entry(id, label, () -> new ChainedQueues(maker, CAPACITY, shape), 1);
    }

    /** The queues for many producers and one consumer. */
    static List<Entry> queues(int producers) {
        return List.of(
                queue("jctools-mpsc", "JCTools MpscArrayQueue", MpscArrayQueue::new, producers),
                queue("jctools-mpmc", "JCTools MpmcArrayQueue", MpmcArrayQueue::new, producers),
                queue(
                        "agrona-nqueue",
                        "Agrona ManyToOneConcurrentArrayQueue",
                        ManyToOneConcurrentArrayQueue::new,
                        producers),
                queue("abq", "ArrayBlockingQueue", ArrayBlockingQueue::new, producers));
    }

    private static Entry queue(String id, String label, IntFunction<Queue<Event>> maker, int producers) {
        return entry(id, label, () -> new PolledQueue(maker.apply(CAPACITY), CAPACITY, true, false), producers);
    }

    private static Entry entry(String id, String label, Supplier<Exchange> maker, int producers) {
        return RingEntries.peer(id, label, maker, producers, false);
    }
}
