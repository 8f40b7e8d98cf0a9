package io.sluice.perf.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Findings about memory: nodes, pages and swap. */
final class Memory {
    private static final String NODES = "/sys/devices/system/node";

    private Memory() {}

    static List<Finding> of(Tree tree) {
        return List.of(nodes(tree), pages(tree), swap(tree));
    }

    private static Finding nodes(Tree tree) {
        List<Integer> online = Lists.numbers(tree.text(NODES + "/online"));
        if (online.isEmpty()) {
            return Finding.unknown(
                    "NUMA",
                    "the system tells no memory nodes",
                    "Memory of another node costs about 50 to 100 ns more a miss.");
        }
        if (online.size() == 1) {
            return Finding.fine("NUMA", "one memory node");
        }
        List<String> each = new ArrayList<>();
        int withProcessors = 0;
        for (int node : online) {
            String processors = tree.text(NODES + "/node" + node + "/cpulist");
            withProcessors += processors.isEmpty() ? 0 : 1;
            each.add("node " + node + " has " + (processors.isEmpty() ? "memory alone" : "processors " + processors));
        }
        if (withProcessors == 1) {
            return Finding.costs(
                    "NUMA",
                    "one node with processors, and memory apart from them: " + String.join("; ", each),
                    "Memory apart from the processors is slower. Keep a ring's memory out of it, by numactl --membind.");
        }
        return Finding.hinders(
                "NUMA",
                online.size() + " memory nodes: " + String.join("; ", each) + "; distances from node " + online.get(0)
                        + ": " + tree.text(NODES + "/node" + online.get(0) + "/distance"),
                "A line that travels to another node takes two to three times as long, and memory there is as much farther."
                        + " Keep the threads of one ring, and its memory, on one node.",
                "numactl --cpunodebind=" + online.get(0) + " --membind=" + online.get(0) + " java \u2026");
    }

    private static Finding pages(Tree tree) {
        String enabled = tree.text("/sys/kernel/mm/transparent_hugepage/enabled");
        if (enabled.isEmpty()) {
            return Finding.unknown(
                    "large pages",
                    "the system does not tell whether it has transparent huge pages",
                    "With small pages a walk over much memory misses the TLB; see ./sluice lab memory.");
        }
        String chosen = chosen(enabled);
        String defrag = chosen(tree.text("/sys/kernel/mm/transparent_hugepage/defrag"));
        if (chosen.equals("always")
                && defrag.equals("always")) { // the others make them at once only where a program asks
            return Finding.hinders(
                    "large pages",
                    "transparent huge pages are " + chosen + ", and a page fault may have to make one first (defrag "
                            + defrag + ")",
                    "Making a huge page stops the thread that touches the memory for up to milliseconds."
                            + " With madvise the JVM asks for them where it wants them, by -XX:+UseTransparentHugePages.",
                    "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"
                            + " /sys/kernel/mm/transparent_hugepage/defrag");
        }
        long reserved = tree.numberAfter("/proc/meminfo", "HugePages_Total:", 0);
        return Finding.fine(
                "large pages",
                "transparent huge pages are " + chosen + (defrag.isEmpty() ? "" : ", defrag " + defrag) + "; "
                        + reserved + " huge pages reserved");
    }

    /** The text in brackets; the whole text if there are no brackets. */
    static String chosen(String choice) {
        int from = choice.indexOf('[');
        int to = choice.indexOf(']');
        return from >= 0 && to > from ? choice.substring(from + 1, to) : choice;
    }

    private static Finding swap(Tree tree) {
        long total = tree.numberAfter("/proc/meminfo", "SwapTotal:", -1);
        if (total < 0) {
            return Finding.unknown(
                    "swap",
                    "the system does not tell whether it has swap",
                    "A page that was swapped out takes milliseconds.");
        }
        if (total == 0) {
            return Finding.fine("swap", "there is none");
        }
        if (new Cgroups(tree).swap() == 0) {
            return Finding.fine("swap", "this cgroup may use none");
        }
        long swappiness = tree.number("/proc/sys/vm/swappiness", -1);
        return Finding.hinders(
                "swap",
                String.format(
                        Locale.ROOT,
                        "%d MiB of swap%s",
                        total / 1024,
                        swappiness < 0 ? "" : ", swappiness " + swappiness),
                "A page that was swapped out takes milliseconds to come back, and the collector touches all pages.",
                "sudo swapoff -a # or: sudo sysctl vm.swappiness=1");
    }
}
