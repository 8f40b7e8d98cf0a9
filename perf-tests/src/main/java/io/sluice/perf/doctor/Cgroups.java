package io.sluice.perf.doctor;

import java.util.ArrayList;
import java.util.List;

/**
 * The cgroups that this process is in, version 2 or 1. A limit of any group above holds too, so all of them are asked and the tightest
 * counts.
 */
final class Cgroups {
    private static final String TOP = "/sys/fs/cgroup";
    private static final long UNLIMITED = 1L << 60;
    private static final double NANOS_OF_A_MICRO = 1000;

    private final Tree tree;

    Cgroups(Tree tree) {
        this.tree = tree;
    }

    /**
     * The CPU quota of a group.
     *
     * @param folder of the group
     * @param micros of CPU time in each period
     * @param period in microseconds
     * @param throttled how often the group was stopped
     * @param throttledMicros how long in all
     */
    record Quota(String folder, long micros, long period, long throttled, long throttledMicros) {
        double cores() {
            return micros / (double) period;
        }
    }

    /** Whether the system tells anything of the quota of CPU time. */
    boolean tellsQuotas() {
        return tree.has(TOP + "/cgroup.controllers")
                || folders("").stream().anyMatch(folder -> tree.has(folder + "/cpu.max"))
                || folders("cpu").stream().anyMatch(folder -> tree.has(folder + "/cpu.cfs_quota_us"));
    }

    /** The tightest quota; none if there is no quota. */
    List<Quota> quota() {
        List<Quota> quotas = new ArrayList<>();
        for (String folder : folders("")) {
            String[] words = tree.text(folder + "/cpu.max").split("\\s+", -1);
            if (words.length == 2) {
                add(quotas, folder, Tree.number(words[0], -1, ""), Tree.number(words[1], -1, ""));
            }
        }
        for (String folder : folders("cpu")) {
            add(
                    quotas,
                    folder,
                    tree.number(folder + "/cpu.cfs_quota_us", -1),
                    tree.number(folder + "/cpu.cfs_period_us", -1));
        }
        return quotas.stream().min((one, other) -> Double.compare(one.cores(), other.cores())).stream()
                .toList();
    }

    private void add(List<Quota> quotas, String folder, long micros, long period) {
        if (micros <= 0 || period <= 0) {
            return; // none
        }
        String statistics = folder + "/cpu.stat";
        long stopped = tree.numberAfter(statistics, "throttled_usec", -1);
        if (stopped < 0) {
            stopped = (long) (tree.numberAfter(statistics, "throttled_time", 0) / NANOS_OF_A_MICRO);
        }
        quotas.add(new Quota(folder, micros, period, tree.numberAfter(statistics, "nr_throttled", 0), stopped));
    }

    /** The least number in a file of version 2 and in one of version 1, of all groups; unlimited if no group has one. */
    private long least(String file, String controller, String old) {
        long least = UNLIMITED;
        for (String folder : folders("")) {
            least = Math.min(least, Tree.number(tree.text(folder + "/" + file), UNLIMITED, ""));
        }
        for (String folder : old.isEmpty() ? List.<String>of() : folders(controller)) {
            least = Math.min(least, Tree.number(tree.text(folder + "/" + old), UNLIMITED, ""));
        }
        return least;
    }

    /** Whether the system tells anything of limits of memory. */
    boolean tellsMemory() {
        return tree.has(TOP + "/cgroup.controllers")
                || folders("").stream().anyMatch(folder -> tree.has(folder + "/memory.max"))
                || folders("memory").stream().anyMatch(folder -> tree.has(folder + "/memory.limit_in_bytes"));
    }

    /** The most memory in bytes; {@link #isLimit} says whether it is a limit. */
    long memory() {
        return least("memory.max", "memory", "memory.limit_in_bytes");
    }

    /** The bytes from which on a process must give memory back before it gets more. */
    long memoryHigh() {
        return least("memory.high", "memory", "");
    }

    /** How much of it may be swapped out, in bytes. */
    long swap() {
        return least("memory.swap.max", "memory", "");
    }

    static boolean isLimit(long bytes) {
        return bytes < UNLIMITED;
    }

    /** The folder of this process's group and of those above it, from the inside out; of a controller in version 1. */
    private List<String> folders(String controller) {
        List<String> folders = new ArrayList<>();
        for (String line : tree.lines("/proc/self/cgroup")) {
            String[] parts = line.split(":", 3);
            if (parts.length < 3) {
                continue;
            }
            boolean version2 = controller.isEmpty() && parts[1].isEmpty();
            boolean version1 =
                    !controller.isEmpty() && List.of(parts[1].split(",", -1)).contains(controller);
            if (version2 || version1) {
                String top = TOP + (controller.isEmpty() ? "" : "/" + controller);
                if (version1
                        && tree.names(top).isEmpty()
                        && !tree.names(TOP + "/" + parts[1]).isEmpty()) {
                    top = TOP + "/" + parts[1]; // mounted under all its names
                }
                // a container's own folder is the top; the path is that of the host, or leads out of what is visible
                String own = parts[2].startsWith("/..") ? "" : parts[2];
                while (own.length() > 1) {
                    if (!tree.names(top + own).isEmpty()) {
                        folders.add(top + own);
                    }
                    own = own.substring(0, own.lastIndexOf('/'));
                }
                folders.add(top);
            }
        }
        if (folders.isEmpty()) {
            folders.add(TOP + (controller.isEmpty() ? "" : "/" + controller));
        }
        return folders;
    }
}
