package io.sluice.perf.doctor;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** Findings about the JVM, and about the cores that the ring needs. */
final class Runtimes {
    private static final int COMPRESSED_GIB = 32;
    private static final int CORES_OF_A_RING = 3;

    /**
     * The JVM.
     *
     * @param name its name and version
     * @param flags the flags of its command line
     * @param collectors the names of its collectors' beans
     * @param compressed whether references have 32 bits; empty if it does not say
     * @param heapBytes the most that its heap may have
     */
    record Jvm(String name, List<String> flags, List<String> collectors, String compressed, long heapBytes) {
        Jvm {
            flags = List.copyOf(flags);
            collectors = List.copyOf(collectors);
        }
    }

    private Runtimes() {}

    static List<Finding> of(Tree tree, Jvm jvm) {
        List<Finding> findings = new ArrayList<>();
        findings.add(Finding.fine(
                "JVM",
                jvm.name() + (jvm.flags().isEmpty() ? ", no flags" : ", flags " + String.join(" ", jvm.flags()))));
        findings.add(collector(jvm));
        findings.add(references(jvm));
        findings.add(touched(jvm));
        findings.add(spinners(tree));
        return findings;
    }

    private static Finding collector(Jvm jvm) {
        String names = String.join(", ", jvm.collectors());
        if (names.isEmpty()) {
            return Finding.unknown(
                    "collector", "the JVM does not tell it", "Most collectors stop all threads for milliseconds.");
        }
        if (names.contains("ZGC") || names.contains("Shenandoah") || names.contains("Epsilon")) {
            return Finding.fine("collector", "it works beside the application: " + names);
        }
        return Finding.hinders(
                "collector",
                "it stops all threads: " + names,
                "A pause takes milliseconds and grows with what lives; ./sluice lab blobs shows it here."
                        + " Make no garbage on the message path, or take a collector that works beside the application.",
                "java -XX:+UseZGC \u2026");
    }

    private static Finding references(Jvm jvm) {
        String heap = String.format(Locale.ROOT, "%.1f GiB", jvm.heapBytes() / (double) (1 << 30));
        if (jvm.compressed().isEmpty()) {
            return Finding.unknown(
                    "references",
                    "the JVM does not tell whether they are compressed",
                    "References of 64 bits fill caches sooner.");
        }
        return jvm.compressed().equals("true")
                ? Finding.fine("references", "32 bits, with a heap of at most " + heap)
                : Finding.costs(
                        "references",
                        "64 bits, with a heap of at most " + heap,
                        "Objects are larger and caches hold fewer of them. Below " + COMPRESSED_GIB
                                + " GiB most collectors use 32 bits.");
    }

    private static Finding touched(Jvm jvm) {
        return jvm.flags().contains("-XX:+AlwaysPreTouch")
                ? Finding.fine("heap pages", "touched at the start")
                : Finding.hinders(
                        "heap pages",
                        "the heap's pages come when they are first touched",
                        "The first touch of a page is a fault: about a microsecond for 4 KiB, on the thread that allocates.",
                        "java -Xms\u2026 -Xmx\u2026 -XX:+AlwaysPreTouch \u2026 # both sizes the same");
    }

    private static Finding spinners(Tree tree) {
        List<Integer> usable = Host.usable(tree);
        if (usable.isEmpty()) {
            return Finding.unknown(
                    "cores for spinners",
                    "the system does not tell how many processors there are",
                    "Each thread that spins needs a core of its own.");
        }
        int cores = cores(tree, usable);
        String what = count(usable.size(), "processor") + (cores == usable.size() ? "" : " of " + count(cores, "core"));
        for (Cgroups.Quota quota : new Cgroups(tree).quota()) {
            if (quota.cores() < cores) {
                cores = (int) quota.cores();
                what += String.format(Locale.ROOT, ", and a quota of %.2f", quota.cores());
            }
        }
        if (cores >= CORES_OF_A_RING) {
            return Finding.fine(
                    "cores for spinners",
                    what + ": leave one to the system and the JVM, so " + (cores - 1) + " threads may spin");
        }
        return Finding.costs(
                "cores for spinners",
                what
                        + (cores < 2
                                ? ": no thread may spin"
                                : ": one producer and one consumer may spin, and nothing is left for the JVM and the system"),
                "A spinner without a core of its own keeps away the thread that it waits for, for a time slice of milliseconds."
                        + " Use SignalledIdle for all but the hottest consumer.");
    }

    /** The number of cores that these processors belong to. */
    private static int cores(Tree tree, List<Integer> usable) {
        Set<List<Integer>> shared = new HashSet<>();
        int alone = 0;
        for (int processor : usable) {
            List<Integer> siblings = Lists.numbers(Cores.siblings(tree, processor));
            if (siblings.isEmpty()) {
                alone++;
            } else {
                shared.add(siblings);
            }
        }
        return alone + shared.size();
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }
}
