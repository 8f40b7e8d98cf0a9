package io.sluice.perf.rows;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.LiteBlockingWaitStrategy;
import com.lmax.disruptor.PhasedBackoffWaitStrategy;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import com.lmax.disruptor.dsl.ProducerType;
import io.sluice.core.SignalledIdle;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.flow.Event;
import io.sluice.perf.flow.Exchange;
import io.sluice.perf.flow.LmaxDisruptor;
import io.sluice.perf.flow.PolledQueue;
import io.sluice.perf.flow.Publishing;
import io.sluice.perf.flow.Shape;
import io.sluice.perf.flow.SluiceRing;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;

/** Contestants of the rows with more threads than cores: nobody is pinned, and who waits yields or blocks. */
final class SharedCoreEntries {
    static final String LITE = "lmax-lite";
    static final String PHASED = "lmax-phased";
    static final int CAPACITY = 65_536;

    private SharedCoreEntries() {}

    static Entry sluiceYielding(boolean single, Shape shape, int producers, boolean oneThread) {
        return sluice(
                oneThread ? "sluice-one-thread" : "sluice",
                oneThread ? "Sluice, yielding, all consumers on one thread" : "Sluice, yielding",
                YieldingIdleStrategy::new,
                single,
                shape,
                producers,
                oneThread);
    }

    static Entry sluiceExact(Shape shape) {
        return sluice("sluice-exact", "Sluice, signalled idle, exact", SignalledIdle::exact, true, shape, 1, false);
    }

    static Entry sluiceTimed(Shape shape) {
        return sluice("sluice-timed", "Sluice, signalled idle, timed", SignalledIdle::timed, true, shape, 1, false);
    }

    private static Entry sluice(
            String id,
            String label,
            Supplier<? extends IdleStrategy> idle,
            boolean single,
            Shape shape,
            int producers,
            boolean oneThread) {
        SluiceRing.Setup setup =
                new SluiceRing.Setup(single, CAPACITY, idle, YieldingIdleStrategy::new, oneThread, false);
        return RingEntries.sluice(id, label, setup, shape, Publishing.ONE, producers);
    }

    static Entry lmaxYielding(ProducerType type, Shape shape, int producers) {
        return lmax("lmax", "LMAX Disruptor, yielding", type, YieldingWaitStrategy::new, shape, producers);
    }

    /** With each of LMAX's strategies that block: the slowest alone would flatter everybody else. */
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

    static Entry queue(String id, String label, Supplier<Queue<Event>> maker, int producers) {
        return entry(id, label, () -> new PolledQueue(maker.get(), CAPACITY, true, false), producers);
    }

    private static Entry entry(String id, String label, Supplier<Exchange> maker, int producers) {
        return RingEntries.peer(id, label, maker, producers, false);
    }
}
