package io.sluice.perf.lab;

import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Measurement;
import io.sluice.perf.compare.Quartiles;
import io.sluice.perf.compare.Row;
import io.sluice.perf.compare.Times;
import io.sluice.perf.jmh.JmhContestant;
import io.sluice.perf.lab.Experiment.Must;
import io.sluice.perf.report.Role;
import io.sluice.perf.report.svg.Labels;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/** The experiments, in the order in which they are listed. */
final class Experiments {
    private static final String NANOS = "ns";
    private static final double P50 = 50;
    private static final double P99 = 99;

    /** For two that are the same instructions on some processors, so that chance decides which is ahead. */
    private static final double SAME_INSTRUCTIONS = 1.5;

    /** A lock that is taken again at once is taken once for several turns, unless the compiler is told not to. */
    private static final List<String> EACH_LOCK_BY_ITSELF = List.of("-XX:-EliminateLocks");

    private static final double P999 = 99.9;

    static final List<Experiment> ALL = List.of(
            pingPong(),
            singleWriter(),
            xadd(),
            locks(),
            condition(),
            notifying(),
            memory(),
            dispatch(),
            blobs(),
            MoreExperiments.pauses(),
            MoreExperiments.pi(),
            MoreExperiments.serialise(),
            MoreExperiments.tables(),
            MoreExperiments.ordered());

    private Experiments() {}

    static Row.Builder row(String name, String title) {
        return Row.of(Experiment.SUITE, Experiment.PREFIX + name, NANOS, title).onRequest();
    }

    /** All are peers of each other. */
    private static Entry entry(String id, String label, Entry.Maker maker) {
        return new Entry(id, label, Role.PEER, maker);
    }

    private static Entry trip(String id, String label, boolean pinned, Supplier<Baton> baton) {
        return entry(id, label, () -> new ToAndFro(baton, pinned, ToAndFro.platform()));
    }

    private static Entry count(String id, String label, int threads, Supplier<Contended.Shared> shared) {
        return count(id, label, threads, shared, List.of());
    }

    /** One thread alone is timed by JMH. */
    private static Entry count(
            String id, String label, int threads, Supplier<Contended.Shared> shared, List<String> flags) {
        return threads == 1
                ? JmhContestant.entry(id, label, () -> () -> new Addition(shared.get()), Addition.EACH, flags)
                : new Entry(id, label, Role.PEER, () -> new Contended(threads, false, shared), flags);
    }

    /** The same with virtual threads. */
    private static Entry virtual(String id, String label, int threads, Supplier<Contended.Shared> shared) {
        return entry(id, label, () -> new Contended(threads, true, shared));
    }

    private static Experiment pingPong() {
        return new Experiment(
                row("ping-pong", "one word to and fro between two threads that spin")
                        .contestants(
                                "release",
                                () -> List.of(
                                        trip("opaque", "opaque", true, () -> new Baton.Opaque(true)),
                                        trip("release", "release and acquire", true, () -> new Baton.Release(true)),
                                        trip("volatile", "volatile", true, () -> new Baton.Volatile(true)),
                                        trip("cas", "compare-and-set", true, () -> new Baton.CompareAndSet(true)),
                                        trip(
                                                "release-no-hint",
                                                "release, no spin hint",
                                                true,
                                                () -> new Baton.Release(false)),
                                        trip(
                                                "volatile-no-hint",
                                                "volatile, no spin hint",
                                                true,
                                                () -> new Baton.Volatile(false)),
                                        trip(
                                                "release-not-pinned",
                                                "release, not pinned",
                                                false,
                                                () -> new Baton.Release(true)),
                                        trip("condition", "a lock and a condition", true, Baton.LockAndCondition::new)))
                        .notes(measurement -> StoreCode.lines())
                        .build(),
                "Printing Generated Assembly Code, June 2013",
                "The ping-pong of 100 million volatile writes is the program whose machine code shows where the fence is.",
                List.of(
                        "A round trip is two moves of a cache line between cores, and that is nearly all of it.",
                        "A fence behind the store is paid beside the way of the line, so modes differ less than their instructions do.",
                        "A thread that sleeps instead of spinning pays for two wake-ups."),
                List.of(new Must("release", "condition", 2), new Must("volatile", "condition", 2)),
                List.of());
    }

    private static Experiment singleWriter() {
        return new Experiment(
                row("single-writer", "add one to a counter, as often as it goes")
                        .contestants(
                                "plain",
                                () -> List.of(
                                        count("plain", "one thread, plain", 1, Counters.Plain::new),
                                        count("release", "one thread, release store", 1, Counters.Release::new),
                                        count("volatile", "one thread, volatile store", 1, Counters.Volatile::new),
                                        count("cas", "one thread, CAS", 1, Counters.CompareAndSet::new),
                                        count("cas-2", "two threads, CAS", 2, Counters.CompareAndSet::new),
                                        count("add", "one thread, getAndAdd", 1, Counters.GetAndAdd::new),
                                        count("add-2", "two threads, getAndAdd", 2, Counters.GetAndAdd::new),
                                        count("lock", "one thread, lock", 1, Counters.Reentrant::new),
                                        count("lock-2", "two threads, lock", 2, Counters.Reentrant::new),
                                        count("adder-2", "two threads, LongAdder", 2, Counters.Adder::new)))
                        .notes(measurement -> Contended.CORES < 2 ? turns(Contended.CORES) : List.of())
                        .build(),
                "Single Writer Principle, September 2011",
                "A variable with one writer needs neither lock nor compare-and-set, and contended ones cost a hundred times as much.",
                List.of(
                        "One writer with ordered stores costs about what a plain variable costs.",
                        "A volatile store costs a fence, and a compare-and-set about as much without any contention.",
                        "With a second thread the line moves to and fro, and a lock makes it worse."),
                List.of(
                        new Must("plain", "release", 1, SAME_INSTRUCTIONS),
                        new Must("plain", "volatile", 1),
                        new Must("release", "volatile", 1),
                        new Must("release", "lock", 1),
                        new Must("volatile", "lock-2", 2),
                        new Must("cas", "cas-2", 2)),
                PublishedFigures.SINGLE_WRITER);
    }

    private static Experiment xadd() {
        return new Experiment(
                row("xadd", "add to one word: getAndAdd against a loop around a compare-and-set")
                        .contestants("add-1", Experiments::addEntries)
                        .notes(Experiments::fairness)
                        .build(),
                "CAS or LOCK XADD, January 2013",
                "One instruction that adds does not fail, so under contention it beats a loop that has to try again.",
                List.of(
                        "Alone, both cost one locked instruction.",
                        "With more threads a compare-and-set fails and is tried again; an addition never fails.",
                        "The notes say how many times as much the busiest thread did as the laziest."),
                List.of(new Must("add-1", "add-2", 2), new Must("cas-1", "cas-2", 2)),
                List.of());
    }

    private static List<Entry> addEntries() {
        List<Entry> entries = new ArrayList<>();
        for (int threads : counts(Contended.CORES)) {
            String id = "-" + threads;
            entries.add(count("add" + id, threads(threads) + ", getAndAdd", threads, Counters.GetAndAdd::new));
            entries.add(count("cas" + id, threads(threads) + ", CAS", threads, Counters.CompareAndSet::new));
        }
        if (Virtual.AVAILABLE) {
            int most = 2 * Contended.CORES;
            entries.add(virtual("add-virtual", most + " virtual threads, getAndAdd", most, Counters.GetAndAdd::new));
            entries.add(virtual("cas-virtual", most + " virtual threads, CAS", most, Counters.CompareAndSet::new));
        }
        return entries;
    }

    /** One to four threads, as the articles had, as many as there are cores, and twice as many. */
    static List<Integer> counts(int cores) {
        return IntStream.of(1, 2, 3, 4, cores, 2 * cores)
                .distinct()
                .sorted()
                .boxed()
                .toList();
    }

    private static String threads(int count) {
        return count == 1 ? "1 thread" : count + " threads";
    }

    private static Experiment locks() {
        return new Experiment(
                row("locks", "a counter under a lock")
                        .contestants("synchronized-1", Experiments::lockEntries)
                        .notes(Experiments::fairness)
                        .build(),
                "Java Lock Implementations, 22 November 2011",
                "How locks compare changes with the number of threads, and none of them scales.",
                List.of(
                        "A lock that nobody wants costs one or two locked instructions.",
                        "With a second thread it costs many times as much, since the line moves and threads park.",
                        "More threads than cores do not make it faster."),
                List.of(
                        new Must("synchronized-1", "synchronized-2", 2),
                        new Must("reentrant-1", "reentrant-2", 2),
                        new Must("stamped-1", "stamped-2", 2)),
                PublishedFigures.LOCKS);
    }

    private static List<Entry> lockEntries() {
        Map<String, Supplier<Contended.Shared>> locks = new TreeMap<>(Map.of(
                "synchronized", Counters.Synchronized::new,
                "reentrant", Counters.Reentrant::new,
                "stamped", Counters.Stamped::new,
                "spin", Counters.Spin::new));
        List<Entry> entries = new ArrayList<>();
        for (int threads : counts(Contended.CORES)) {
            locks.forEach((name, shared) -> entries.add(
                    count(name + "-" + threads, threads(threads) + ", " + name, threads, shared, EACH_LOCK_BY_ITSELF)));
        }
        if (Virtual.AVAILABLE) {
            IntStream.of(1, Contended.CORES, 2 * Contended.CORES).distinct().forEach(threads -> {
                String who = threads == 1 ? "1 virtual thread" : threads + " virtual threads";
                locks.forEach((name, shared) -> entries.add(new Entry(
                        name + "-virtual-" + threads,
                        who + ", " + name,
                        Role.PEER,
                        () -> new Contended(threads, true, shared),
                        EACH_LOCK_BY_ITSELF)));
            });
        }
        return entries;
    }

    private static Experiment condition() {
        return new Experiment(
                row("condition", "a number to and fro between two threads that sleep while they wait")
                        .contestants("spin", () -> {
                            List<Entry> entries = new ArrayList<>(List.of(
                                    trip("spin", "two threads that spin", true, () -> new Baton.Release(true)),
                                    trip("condition", "a lock and a condition", false, Baton.LockAndCondition::new),
                                    trip(
                                            "condition-pinned",
                                            "a lock and a condition, pinned",
                                            true,
                                            Baton.LockAndCondition::new),
                                    trip("monitor", "synchronized, wait and notify", false, Baton.Monitor::new),
                                    trip("park", "park and unpark", false, Baton.Park::new),
                                    trip("synchronous-queue", "SynchronousQueue", false, Baton.Queues::new)));
                            if (Virtual.AVAILABLE) {
                                entries.add(entry(
                                        "virtual",
                                        "virtual threads, a lock and a condition",
                                        () -> new ToAndFro(Baton.LockAndCondition::new, false, Virtual::start)));
                                entries.add(entry(
                                        "virtual-park",
                                        "virtual threads, park and unpark",
                                        () -> new ToAndFro(Baton.Park::new, false, Virtual::start)));
                                entries.add(entry(
                                        "virtual-queue",
                                        "virtual threads, SynchronousQueue",
                                        () -> new ToAndFro(Baton.Queues::new, false, Virtual::start)));
                            }
                            return entries;
                        })
                        .build(),
                "Locks & Condition Variables - Latency Impact, 5 November 2011",
                "To wake a thread by a condition costs microseconds, to be seen by a thread that spins less than 50 ns.",
                List.of(
                        "Whoever sleeps must be woken by the kernel, twice in each round trip.",
                        "It makes little difference which of the library's classes asks for it.",
                        "Virtual threads are woken without the kernel where their carriers do not sleep."),
                List.of(new Must("spin", "condition-pinned", 2)),
                PublishedFigures.CONDITION);
    }

    private static Experiment notifying() {
        return new Experiment(
                row("notify", "what a wake-up costs the one who wakes")
                        .contestants(
                                "pairs-16",
                                () -> List.of(
                                        entry("nobody-16", "16 that wake nobody", () -> new WakeUps(16, false)),
                                        entry("pairs-16", "16 pairs", () -> new WakeUps(16, true)),
                                        entry("pairs-256", "256 pairs", () -> new WakeUps(256, true))))
                        .notes(Experiments::percentiles)
                        .build(),
                "Notify... oh, wait! I have a signal, 13 July 2015",
                "Whoever wakes a thread pays more than a microsecond, and milliseconds at worst.",
                List.of(
                        "A wake-up is a call into the kernel, and its price is paid by the one who has work to hand over.",
                        "With many pairs the scheduler has more to do, and the tail grows.",
                        "The percentiles of all wake-ups stand in the notes."),
                List.of(new Must("nobody-16", "pairs-16", 1)),
                PublishedFigures.NOTIFY);
    }

    private static Experiment memory() {
        return new Experiment(
                row("memory", "a walk over memory, in three orders")
                        .contestants("linear", Walk::entries)
                        .notes(measurement -> Walk.notes(Settings.room()))
                        .build(),
                "Memory Access Patterns Are Important, August 2012",
                "The order in which memory is visited decides what a visit costs, and a predictable one is ten times as cheap.",
                List.of(
                        "The processor fetches ahead where the next line can be foreseen.",
                        "Within a page the translation of addresses is at hand, over all memory it is not; large pages help there.",
                        "A ring is walked one line after the other; in a linked queue each step waits for the last, which costs most."),
                List.of(
                        new Must("linear", "all", 1),
                        new Must("page", "all", 1),
                        new Must("chain-linear", "chain-all", 1),
                        new Must("chain-page", "chain-all", 1),
                        new Must("all", "chain-all", 1)),
                PublishedFigures.MEMORY);
    }

    private static Experiment dispatch() {
        return new Experiment(
                row("dispatch", "a call through an interface, whose receivers are of so many classes")
                        .contestants("one", Experiments::dispatches)
                        .build(),
                "Invoke Interface Optimisations, April 2012",
                "A call through an interface is free with one implementer, cheap with two, and a real call with three.",
                List.of(
                        "With one or two classes the compiler puts the called code in place.",
                        "From three on each call looks up where to go.",
                        "The compiler remembers all classes that a loop has met, so the ring has a copy of its loop for each class of handlers."),
                List.of(
                        new Must("one", "three", 1),
                        new Must("one", "four", 1),
                        new Must("one", "one-after-four", 1),
                        new Must("ring-copies", "ring-shared", 1),
                        new Must("messages-copies", "messages-shared", 1)),
                PublishedFigures.DISPATCH);
    }

    private static List<Entry> dispatches() {
        List<Entry> all = new ArrayList<>(List.of(
                Dispatch.entry("one", "1 class", 1, 1),
                Dispatch.entry("two", "2 classes", 2, 2),
                Dispatch.entry("three", "3 classes", 3, 3),
                Dispatch.entry("four", "4 classes", 4, 4),
                Dispatch.entry("one-after-four", "1 class, after 4 in the same JVM", 1, 4),
                Dispatch.entry("two-after-four", "2 classes, after 4 in the same JVM", 2, 4)));
        ringDispatches(all, "ring", "an event of a ring", RingDispatch.Kind.EVENT);
        ringDispatches(all, "messages", "a message of a ring", RingDispatch.Kind.MESSAGE);
        return all;
    }

    private static void ringDispatches(List<Entry> all, String id, String label, RingDispatch.Kind kind) {
        all.add(entry(id + "-copies", label + ", one of 4 with loops of their own", () -> new RingDispatch(kind)));
        all.add(new Entry(
                id + "-shared",
                label + ", one of 4 that share a loop",
                Role.PEER,
                () -> new RingDispatch(kind),
                List.of("-Dio.sluice.hiddenClasses=false")));
    }

    private static Experiment blobs() {
        return new Experiment(
                row("blobs", "the longest stop of a thread while all that lives is collected")
                        .contestants("off-heap-serial", Blobs::entries)
                        .notes(measurement -> Blobs.notes(Settings.room()))
                        .build(),
                "BLOBs and garbage collection, July 2013",
                "What lives as many small objects makes pauses long, and the same bytes in large arrays or outside of the heap do not.",
                List.of(
                        "A full collection follows each reference and moves what is out of place, so small objects cost the most.",
                        "Arrays of bytes have no references to follow, and memory outside of the heap is not looked at.",
                        "A collector that works beside the application does not stop it for as long as it works."),
                List.of(
                        new Must("off-heap-serial", "objects-serial", 2),
                        new Must("bytes-serial", "objects-serial", 2),
                        new Must("off-heap-g1", "objects-g1", 2)),
                List.of());
    }

    /** How many times as much the busiest thread did as the laziest. */
    private static List<String> fairness(Measurement measurement) {
        Map<String, List<Double>> byContestant = new TreeMap<>();
        for (Measurement.Sample sample : measurement.samples()) {
            if (!sample.detail().isEmpty()) {
                byContestant
                        .computeIfAbsent(sample.contestant(), id -> new ArrayList<>())
                        .add(Double.parseDouble(sample.detail()));
            }
        }
        if (byContestant.isEmpty()) {
            return List.of();
        }
        List<String> notes = new ArrayList<>(turns(Contended.CORES));
        notes.add("The busiest thread did so many times as much as the laziest, median, quartiles and samples: "
                + byContestant.entrySet().stream()
                        .map(one -> one.getKey() + " " + spread(one.getValue()))
                        .collect(Collectors.joining(", "))
                + ".");
        return notes;
    }

    private static String spread(List<Double> values) {
        Quartiles all =
                Quartiles.of(values.stream().mapToDouble(Double::doubleValue).toArray());
        return String.format(
                Locale.ROOT, "%.2f (%.2f to %.2f, %d)", all.median(), all.lower(), all.upper(), all.count());
    }

    /** What is to be said where there are more threads than cores. */
    static List<String> turns(int cores) {
        return List.of("Where there are more threads than the " + cores + (cores == 1 ? " core" : " cores")
                + " here, they take turns and are not pinned.");
    }

    /** Of all samples together. */
    private static List<String> percentiles(Measurement measurement) {
        Map<String, Histogram> byContestant = new TreeMap<>();
        for (Measurement.Sample sample : measurement.samples()) {
            byContestant
                    .computeIfAbsent(sample.contestant(), id -> Times.histogram())
                    .add(Times.read(sample.detail()));
        }
        return byContestant.entrySet().stream()
                .map(one -> one.getKey() + ": p50 "
                        + Labels.nanos((double) one.getValue().getValueAtPercentile(P50)) + ", p99 "
                        + Labels.nanos((double) one.getValue().getValueAtPercentile(P99)) + ", p99.9 "
                        + Labels.nanos((double) one.getValue().getValueAtPercentile(P999)) + ", max "
                        + Labels.nanos((double) one.getValue().getMaxValue()) + ", of "
                        + one.getValue().getTotalCount() + " wake-ups.")
                .toList();
    }
}
