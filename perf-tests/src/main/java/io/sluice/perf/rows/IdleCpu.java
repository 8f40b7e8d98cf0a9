package io.sluice.perf.rows;

import com.sun.management.OperatingSystemMXBean;
import io.sluice.core.SignalledIdle;
import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Target;
import io.sluice.perf.flow.Publishing;
import io.sluice.perf.flow.Shape;
import io.sluice.perf.flow.SluiceRing;
import io.sluice.perf.flow.WarmedSluice;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/** The processor time that a pipeline of three threads with nothing to do takes. */
final class IdleCpu {
    private static final int CAPACITY = 1_024;
    private static final double PERCENT = 100;

    private IdleCpu() {}

    static Row row() {
        return Row.of(
                        Row.COMPARE,
                        "idle-cpu",
                        "% of a core",
                        "processor time of a JVM whose pipeline of three threads has nothing to do, in percent of one core")
                .lessIsBetter()
                .contestants(
                        "sluice-spinning",
                        () -> List.of(
                                entry("sluice-exact", "Sluice, signalled idle, exact", SignalledIdle::exact, false),
                                entry(
                                        "sluice-timed",
                                        "Sluice, signalled idle, timed, 50 us to 50 ms",
                                        SignalledIdle::timed,
                                        false),
                                entry(
                                        "sluice-default",
                                        "Sluice, no idle strategy set",
                                        SluiceRing.Setup.withDefaultIdle(true, CAPACITY, false)),
                                entry(
                                        "sluice-spinning",
                                        "Sluice, one thread that spins",
                                        () -> BusySpinIdleStrategy.INSTANCE,
                                        true)))
                .targets(
                        Target.atMost("sluice-exact", "sluice-spinning", 0.002, 0.001),
                        Target.atMost("sluice-default", "sluice-spinning", 0.01, 0.01))
                .topology("producer->a", "a->b", "b->c")
                .build();
    }

    private static Entry entry(String id, String label, Supplier<? extends IdleStrategy> idle, boolean oneThread) {
        return entry(
                id,
                label,
                new SluiceRing.Setup(true, CAPACITY, idle, () -> BusySpinIdleStrategy.INSTANCE, oneThread, false));
    }

    private static Entry entry(String id, String label, SluiceRing.Setup setup) {
        return new Entry(id, label, () -> new WarmedSluice(new Idle(setup)));
    }

    /** The processor time of the whole JVM, and no event is lost behind it. */
    private static final class Idle implements Contestant {
        private static final long SETTLE_MILLIS = 300;
        private static final int EVENTS = 1_000;
        private final SluiceRing.Setup setup;
        private final OperatingSystemMXBean system =
                (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

        Idle(SluiceRing.Setup setup) {
            this.setup = setup;
        }

        @Override
        @SuppressWarnings("ThreadPriorityCheck") // the consumers may need this core
        public double sample(long nanos) throws Exception {
            try (SluiceRing ring = new SluiceRing(setup, Shape.PIPELINE, Publishing.ONE)) {
                ring.source(0).produce(0, EVENTS);
                long begin = System.nanoTime();
                while (!ring.isHandled(EVENTS)) {
                    Thread.yield();
                    if (System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(20)) {
                        throw new IllegalStateException("not all of " + EVENTS + " events were handled in time");
                    }
                }
                Thread.sleep(SETTLE_MILLIS); // until every thread has found that there is nothing
                long wall = System.nanoTime();
                long used = system.getProcessCpuTime();
                Thread.sleep(TimeUnit.NANOSECONDS.toMillis(Math.max(nanos, TimeUnit.SECONDS.toNanos(1))));
                used = system.getProcessCpuTime() - used;
                return used * PERCENT / (System.nanoTime() - wall);
            }
        }
    }
}
