package io.sluice.perf.dropin;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One comparison: a workload, the flags of its JVM, and the meaning of its figures.
 *
 * @param group the word after {@code bench drop-in}
 * @param id its name within all
 * @param title in words
 * @param flags of the JVM
 * @param measures what {@link Workload#run} returns
 */
record Case(String group, String id, String title, List<String> flags, List<Measure> measures) {
    static final String SHAPES = "shapes";
    static final String FULL_RING = "full-ring";
    static final String IDLE = "idle";
    static final String LOG4J = "log4j";
    static final String BOUND = "bound";

    private static final String BOUND_OF = BOUND + "-";
    private static final String BARE = "bare-";

    private static final List<String> ALL_ASYNC = List.of(
            "-Dlog4j2.contextSelector=org.apache.logging.log4j.core.async.AsyncLoggerContextSelector",
            "-Dlog4j2.isWebapp=false");

    /**
     * One figure.
     *
     * @param unit what it is, in words
     * @param format how it is printed
     * @param ratioBound what the drop-in's share of the Disruptor's figure has to be: at least where more is better, at most where less is
     * @param moreIsBetter whether so
     * @param absoluteBound what the drop-in's own figure may be at most, instead of a ratio; NaN for none
     */
    record Measure(String unit, String format, double ratioBound, boolean moreIsBetter, double absoluteBound) {
        static final Measure RATE = new Measure("events/s", "%,.0f", 1.0, true, Double.NaN);
        /** The rate of threads that keep a pace: both jars have the same pace, so a ratio says only whether they keep it. */
        static final Measure PACE = new Measure("events/s", "%,.0f", 0.99, true, Double.NaN);

        static final Measure CPU = new Measure("CPU us an event", "%,.1f", 0.5, false, Double.NaN);
        static final Measure P99 = new Measure("p99 of a call, us", "%,.1f", 1.0, false, Double.NaN);
        static final Measure PERCENT = new Measure("% of a core", "%.3f", 0, false, 0.2);
        static final Measure LOST = new Measure("events lost", "%,.0f", 0, false, 0);

        boolean isAbsolute() {
            return !Double.isNaN(absoluteBound);
        }

        boolean holds(double ratio, double own) {
            if (isAbsolute()) {
                return own <= absoluteBound;
            }
            return moreIsBetter ? ratio >= ratioBound : ratio <= ratioBound;
        }

        String bound() {
            return isAbsolute()
                    ? String.format(Locale.ROOT, "at most %.1f", absoluteBound)
                    : String.format(
                            Locale.ROOT, moreIsBetter ? "ratio at least %.2f" : "ratio at most %.2f", ratioBound);
        }
    }

    static List<Case> all() {
        List<Case> all = new ArrayList<>();
        shape(all, "one-to-one", "one producer, one consumer, 65536 slots");
        shape(all, "batches", "one producer that claims ten at a time, one consumer, 65536 slots");
        shape(all, "poller", "one producer, a poller on a thread of its own, 65536 slots");
        shape(all, "translator", "one producer that publishes by a translator, one consumer, 65536 slots");
        shape(all, "one-to-three", "one producer, three consumers of all events, 8192 slots");
        shape(all, "three-to-one", "three producers, one consumer, 65536 slots");
        shape(all, "three-to-three", "three producers with a ring each, one consumer of three rings, 65536 slots each");
        shape(all, "pipeline", "one producer, three consumers one behind the other, 8192 slots");
        shape(all, "diamond", "one producer, two consumers, a third behind both, 8192 slots");
        shape(all, "ping-pong", "two rings and two threads, one ping on its way, 1024 slots, a tenth of the events");
        bound(all, "batches");
        bound(all, "poller");
        bound(all, "three-to-three");
        List<Measure> full = List.of(Measure.RATE, Measure.CPU);
        all.add(new Case(
                FULL_RING,
                "full-ring",
                "64 threads publish to 128 slots, blocking, the consumer parks for 20 us at each event",
                List.of(),
                full));
        List<String> notSynchronized = new ArrayList<>(ALL_ASYNC);
        notSynchronized.add("-DAsyncLogger.SynchronizeEnqueueWhenQueueFull=false");
        notSynchronized.add("-Dlog4j2.asyncLoggerRingBufferSize=128");
        all.add(new Case(
                FULL_RING,
                "full-ring-log4j",
                "64 threads log through 128 slots, unsynchronized, the appender parks for 20 us at each event",
                notSynchronized,
                List.of(Measure.RATE, Measure.CPU, Measure.LOST)));
        all.add(new Case(
                IDLE,
                "idle",
                "a ring and its consumer with the default strategy and nothing to do",
                List.of(),
                List.of(Measure.PERCENT)));
        for (boolean paced : new boolean[] {false, true}) {
            for (int threads : new int[] {1, 4, 16}) {
                logs(all, paced, threads, Logging.Sink.NOTHING, "an appender that does nothing");
                logs(all, paced, threads, Logging.Sink.FILE, "a random-access file");
            }
        }
        return List.copyOf(all);
    }

    private static void logs(List<Case> all, boolean paced, int threads, Logging.Sink sink, String to) {
        all.add(new Case(
                LOG4J,
                "log4j-" + (paced ? "paced-" : "") + sink.name().toLowerCase(Locale.ROOT) + "-" + threads,
                threads
                        + (threads == 1 ? " thread logs" : " threads log")
                        + (paced ? ", together " + Logging.PACE + " events each millisecond, to " : " to ")
                        + to,
                ALL_ASYNC,
                List.of(paced ? Measure.PACE : Measure.RATE, Measure.P99, Measure.LOST)));
    }

    private static void shape(List<Case> all, String id, String title) {
        all.add(new Case(SHAPES, id, title, List.of(), List.of(Measure.RATE)));
    }

    private static void bound(List<Case> all, String shape) {
        all.add(new Case(
                BOUND,
                BOUND_OF + shape,
                "the shape " + shape + " by loops without a jar",
                List.of(),
                List.of(Measure.RATE)));
    }

    /** The two that are compared: the Disruptor is the first. */
    List<Jar> jars() {
        return List.of(Jar.DISRUPTOR, group.equals(BOUND) ? Jar.BARE : Jar.DROP_IN);
    }

    /** The id of the program that the child of a jar runs. */
    String program(Jar jar) {
        return jar == Jar.BARE ? id.replaceFirst(BOUND_OF, BARE) : id;
    }

    /** Makes the workload, in the child. */
    static Workload workload(String id, int size) throws Exception {
        if (id.startsWith(BARE)) {
            return BareShapes.named(id.substring(BARE.length()), size);
        }
        if (id.startsWith(BOUND_OF)) {
            return Shapes.named(id.substring(BOUND_OF.length()), size);
        }
        if (id.startsWith("log4j-")) {
            List<String> parts = List.of(id.split("-", -1));
            Logging.Sink sink = parts.contains("file") ? Logging.Sink.FILE : Logging.Sink.NOTHING;
            int threads = Integer.parseInt(parts.get(parts.size() - 1));
            return new Logging(sink, threads, size, parts.contains("paced") ? Logging.PACE / threads : size);
        }
        return switch (id) {
            case "full-ring" -> new FullRing(size);
            case "full-ring-log4j" -> new Logging(Logging.Sink.SLOW, 64, size, size);
            case "idle" -> new Idle(size);
            default -> Shapes.named(id, size);
        };
    }
}
