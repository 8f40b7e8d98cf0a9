package io.sluice.perf.lab;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Times;
import io.sluice.perf.flow.SluiceRing;
import io.sluice.perf.report.Role;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * Events through a ring at intended times, beside a thread that makes garbage, or does the same work without. An event's latency runs from
 * when it was due. The figure is the 99th percentile; the detail is the longest latency of each millisecond, with the collector's pauses
 * and all stops at safepoints as the JVM's flight recorder told them. The ring's threads sleep while they wait, so that they need no core
 * of their own.
 *
 * <p>Checks: each event arrives once and in order; an event that was due while all threads stood still is late by as much; and where there
 * was a collection, the recorder told of a stop.
 */
final class Pauses implements Contestant {
    private static final long INTERVAL_NANOS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LEAD_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** A stop shorter than this is not looked for in the latencies. */
    private static final long LONG_STOP_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** A sample takes this many times the time that was asked for: a collection must have time to come. */
    private static final int LONGER = 4;

    private static final int SLOTS = 1 << 16;
    private static final double P99 = 99;

    /** The event in a slot. */
    private static final class Timed {
        private long number;
        private long due;
    }

    /** Sees the events that arrive; for the consumer's thread, and for others once all events have arrived. */
    private static final class Arrivals {
        private final Histogram histogram = Times.histogram();
        private final long[] slowest;
        private final long start;
        private long expected;
        private @Nullable String wrong;

        Arrivals(long start, int events) {
            this.start = start;
            slowest = new long[(int) ((events - 1) * INTERVAL_NANOS / STEP_NANOS) + 1]; // each has an event
        }

        void arrived(long number, long due) {
            long late = Math.max(0, System.nanoTime() - due);
            if (number != expected && wrong == null) {
                wrong = "event " + expected + " must come next, but " + number + " did";
            }
            expected++;
            Times.record(histogram, late);
            int step = (int) ((due - start) / STEP_NANOS);
            slowest[step] = Math.max(slowest[step], late);
        }
    }

    private final Neighbour.Kind neighbour;
    private String detail = "";

    Pauses(Neighbour.Kind neighbour) {
        this.neighbour = neighbour;
    }

    static List<Entry> entries() {
        List<Entry> entries = new ArrayList<>();
        entries.add(entry("none-serial", "no garbage, Serial", Neighbour.Kind.REUSES, "Serial"));
        for (String collector : List.of("Serial", "Parallel", "G1", "Z", "Shenandoah")) {
            if (Blobs.has(collector)) {
                entries.add(entry(
                        "garbage-" + collector.toLowerCase(Locale.ROOT),
                        "garbage, " + collector,
                        Neighbour.Kind.MAKES_GARBAGE,
                        collector));
            }
        }
        return entries;
    }

    private static Entry entry(String id, String label, Neighbour.Kind kind, String collector) {
        return new Entry(
                id,
                label,
                Role.PEER,
                () -> new Pauses(kind),
                List.of("-XX:+Use" + collector + "GC", "-Xms384m", "-Xmx384m"));
    }

    @Override
    public double sample(long nanos) throws Exception {
        int events = (int) Math.max(20, LONGER * nanos / INTERVAL_NANOS);
        try (Stops stops = Stops.recording()) {
            Neighbour beside = new Neighbour(neighbour);
            long collections = collections();
            long start = System.nanoTime() + LEAD_NANOS;
            Arrivals arrivals = new Arrivals(start, events);
            try {
                run(arrivals, events);
            } finally {
                beside.end();
            }
            boolean collected = collections() > collections;
            stops.stop(start);
            check(arrivals.wrong, arrivals.expected, events, collected, stops.toldOfStops());
            for (Trace.Stop stop : stops.all()) {
                checkStop(stop, arrivals.slowest, STEP_NANOS);
            }
            detail = Trace.write(STEP_NANOS, arrivals.slowest, stops.pauses(), stops.all());
            return (double) arrivals.histogram.getValueAtPercentile(P99);
        }
    }

    private static void run(Arrivals arrivals, int events) {
        RingBuffer<Timed> ring = SluiceRing.ring(
                Timed::new, new SluiceRing.Setup(true, SLOTS, Pauses::idle, Pauses::idle, false, false));
        try {
            Pipeline<Timed> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> arrivals.arrived(event.number, event.due));
            pipeline.start();
            Producer<Timed> producer = ring.producer();
            long last = -1;
            for (int i = 0; i < events; i++) {
                long due = arrivals.start + i * INTERVAL_NANOS;
                for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
                    LockSupport.parkNanos(left);
                }
                last = producer.next();
                Timed event = producer.get(last);
                event.number = i;
                event.due = due;
                producer.publish(last);
            }
            if (!pipeline.awaitHandled(last, LIMIT_NANOS)) {
                throw new IllegalStateException("all events must arrive in time, but did not");
            }
        } finally {
            ring.close();
        }
    }

    private static BackoffIdleStrategy idle() {
        return new BackoffIdleStrategy();
    }

    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(GarbageCollectorMXBean::getCollectionCount)
                .sum();
    }

    /** Checks the events that arrived, and whether the recorder told of a stop where there was a collection. */
    static void check(@Nullable String wrong, long arrived, long sent, boolean collected, boolean told) {
        if (wrong != null) {
            throw new IllegalStateException(wrong);
        }
        if (arrived != sent) {
            throw new IllegalStateException(arrived + " events came, but " + sent + " were sent");
        }
        if (collected && !told) {
            throw new IllegalStateException(
                    "the recorder must tell of stops, since there were collections, but did not");
        }
    }

    /** Checks that an event that was due just after all threads stopped is late by nearly as long as they stood still. */
    static void checkStop(Trace.Stop stop, long[] slowest, long stepNanos) {
        long end = stop.from() + stop.nanos();
        if (stop.nanos() < LONG_STOP_NANOS || stop.from() < 0 || end >= (slowest.length - 1) * stepNanos) {
            return;
        }
        long seen = Arrays.stream(
                        slowest, (int) (stop.from() / stepNanos), (int) Math.min(slowest.length, end / stepNanos + 1))
                .max()
                .orElse(0);
        if (seen < stop.nanos() / 2) {
            throw new IllegalStateException("events must be late by " + stop.nanos()
                    + " ns, since all threads stood still so long, but the slowest was by " + seen);
        }
    }

    @Override
    public String detail() {
        return detail;
    }

    @Override
    public int warmUps() {
        return 3;
    }
}
