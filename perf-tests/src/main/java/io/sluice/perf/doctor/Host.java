package io.sluice.perf.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Findings about what the machine itself runs in: a container, a virtual machine, and the clock that it gives. */
final class Host {
    private static final String CGROUP = "/sys/fs/cgroup";
    private static final String CLOCK = "/sys/devices/system/clocksource/clocksource0/";
    private static final int STEAL = 8;
    private static final double NOTED_STEAL = 0.001;
    private static final long UNLIMITED = 1L << 60;

    private Host() {}

    static List<Finding> of(Tree tree, Measured measured) {
        List<Finding> findings = new ArrayList<>();
        findings.add(quota(tree));
        findings.add(limits(tree));
        findings.add(clock(tree, measured));
        findings.add(virtual(tree));
        findings.add(steal(tree));
        return findings;
    }

    /** The folder of this process in the hierarchy of cgroups, version 2; or of a controller in version 1. */
    private static String folder(Tree tree, String controller) {
        for (String line : tree.lines("/proc/self/cgroup")) {
            String[] parts = line.split(":", 3);
            if (parts.length < 3) {
                continue;
            }
            boolean version2 = controller.isEmpty() && parts[1].isEmpty();
            boolean version1 =
                    !controller.isEmpty() && List.of(parts[1].split(",", -1)).contains(controller);
            if (version2 || version1) {
                String top = CGROUP + (controller.isEmpty() ? "" : "/" + controller);
                String own = parts[2].equals("/") ? top : top + parts[2];
                return tree.names(own).isEmpty() ? top : own; // in a container its own folder is the top
            }
        }
        return CGROUP + (controller.isEmpty() ? "" : "/" + controller);
    }

    private static Finding quota(Tree tree) {
        String max = tree.text(folder(tree, "") + "/cpu.max");
        String statistics = folder(tree, "") + "/cpu.stat";
        long quota = -1;
        long period = -1;
        String old = folder(tree, "cpu");
        if (!max.isEmpty()) {
            String[] words = max.split("\\s+", -1);
            quota = Tree.number(words[0], -1, "");
            period = words.length > 1 ? Tree.number(words[1], -1, "") : -1;
        } else if (!tree.text(old + "/cpu.cfs_quota_us").isEmpty()) {
            quota = tree.number(old + "/cpu.cfs_quota_us", -1);
            period = tree.number(old + "/cpu.cfs_period_us", -1);
            statistics = old + "/cpu.stat";
        } else {
            return Finding.unknown(
                    "CPU quota",
                    "the system tells no quota of this cgroup",
                    "A process that has used up its quota stands still for the rest of the period, up to 100 ms.");
        }
        if (quota <= 0 || period <= 0) {
            return Finding.fine("CPU quota", "there is none");
        }
        long throttled = tree.numberAfter(statistics, "nr_throttled", 0);
        long micros = tree.numberAfter(statistics, "throttled_usec", -1);
        if (micros < 0) {
            micros = tree.numberAfter(statistics, "throttled_time", 0) / 1000;
        }
        return Finding.hinders(
                "CPU quota",
                String.format(
                        Locale.ROOT,
                        "the quota is %.2f cores, %d \u00b5s in each %d \u00b5s; this cgroup was throttled %d times, %d ms in all",
                        quota / (double) period,
                        quota,
                        period,
                        throttled,
                        micros / 1000),
                String.format(
                        Locale.ROOT,
                        "A spinner uses up a quota. Then all threads stand still for the rest of the period, up to %d \u00b5s.",
                        period),
                "docker update --cpus=0 --cpuset-cpus=LIST CONTAINER"
                        + " # or, in Kubernetes: whole cores, requests equal to limits, cpu-manager-policy static");
    }

    private static Finding limits(Tree tree) {
        String memory = tree.text(folder(tree, "") + "/memory.max");
        if (memory.isEmpty()) {
            memory = tree.text(folder(tree, "memory") + "/memory.limit_in_bytes");
        }
        String cores = allowed(tree);
        String container = tree.has("/.dockerenv") || tree.has("/run/.containerenv") ? "in a container; " : "";
        if (memory.isEmpty() && cores.isEmpty()) {
            return Finding.unknown(
                    "limits", "the system tells no limits of this process", "A limit below what is needed kills.");
        }
        long bytes = Tree.number(memory, UNLIMITED, "");
        List<Integer> all = tree.processors();
        boolean some = !cores.isEmpty() && !Lists.numbers(cores).equals(all) && !all.isEmpty();
        String what = container
                + (bytes >= UNLIMITED ? "no limit of memory" : "memory is limited to " + bytes / (1 << 20) + " MiB")
                + (cores.isEmpty() ? "" : "; may run on processors " + cores + (some ? " of " + Lists.text(all) : ""));
        return bytes < UNLIMITED || some
                ? Finding.costs(
                        "limits",
                        what,
                        "The JVM sizes its heap, its collectors and its pools by these limits, not by the machine.")
                : Finding.fine("limits", what);
    }

    /** The processors that this process may use, as a list; empty if that is not told. */
    static String allowed(Tree tree) {
        for (String line : tree.lines("/proc/self/status")) {
            if (line.startsWith("Cpus_allowed_list:")) {
                return line.substring(line.indexOf(':') + 1).strip();
            }
        }
        return "";
    }

    private static Finding clock(Tree tree, Measured measured) {
        String current = tree.text(CLOCK + "current_clocksource");
        String cost = measured.clockWords();
        if (current.isEmpty()) {
            return Finding.unknown(
                    "clock",
                    "the system does not tell its clock source" + cost,
                    "A clock that needs a system call costs 10 times as much.");
        }
        if (current.equals("tsc") || current.equals("kvm-clock") || current.equals("arch_sys_counter")) {
            return Finding.fine(
                    "clock", "the clock source is " + current + ", which is read without a system call" + cost);
        }
        String available = tree.text(CLOCK + "available_clocksource");
        return List.of(available.split("\\s+", -1)).contains("tsc")
                ? Finding.hinders(
                        "clock",
                        "the clock source is " + current + ", though tsc is there" + cost,
                        "Each look at the clock is a system call, or a slow read of a device.",
                        "echo tsc | sudo tee " + CLOCK + "current_clocksource")
                : Finding.costs(
                        "clock",
                        "the clock source is " + current + "; there are " + available + cost,
                        "Each look at the clock is a system call, or a slow read of a device. Look at it less often.");
    }

    private static Finding virtual(Tree tree) {
        boolean flag = tree.lines("/proc/cpuinfo").stream()
                .anyMatch(line -> line.startsWith("flags") && (" " + line + " ").contains(" hypervisor "));
        String type = tree.text("/sys/hypervisor/type");
        String product = tree.text("/sys/class/dmi/id/product_name");
        if (flag || !type.isEmpty()) {
            return Finding.costs(
                    "virtualisation",
                    "this is a virtual machine" + (type.isEmpty() ? "" : ", " + type)
                            + (product.isEmpty() ? "" : ", " + product),
                    "The host moves virtual cores as it likes: their distances change, and one of them may stand still while"
                            + " another spins for it.");
        }
        return tree.text("/proc/cpuinfo").isEmpty()
                ? Finding.unknown(
                        "virtualisation",
                        "the system does not tell whether it is a virtual machine",
                        "A host may stop a virtual core at any time.")
                : Finding.fine("virtualisation", "no hypervisor is seen" + (product.isEmpty() ? "" : " on " + product));
    }

    private static Finding steal(Tree tree) {
        for (String line : tree.lines("/proc/stat")) {
            String[] words = line.strip().split("\\s+", -1);
            if (words[0].equals("cpu") && words.length > STEAL) {
                long all = 0;
                for (int i = 1; i <= STEAL; i++) {
                    all += Tree.number(words[i], 0, "");
                }
                long stolen = Tree.number(words[STEAL], 0, "");
                double share = all == 0 ? 0 : stolen / (double) all;
                String what =
                        String.format(Locale.ROOT, "%.2f %% of the time since the start went to others", 100 * share);
                return share < NOTED_STEAL
                        ? Finding.fine("steal time", what)
                        : Finding.costs(
                                "steal time",
                                what,
                                "The host gave a core to somebody else while a thread here wanted to run. Take a machine with cores of"
                                        + " its own.");
            }
        }
        return Finding.unknown(
                "steal time", "the system does not tell it", "A host may stop a virtual core at any time.");
    }
}
