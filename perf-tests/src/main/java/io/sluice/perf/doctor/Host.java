package io.sluice.perf.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Findings about the environment of the machine: a container, a virtual machine, and the clock that it gives. */
final class Host {

    /** Read without a system call. */
    private static final List<String> FAST_CLOCKS = List.of(
            "tsc",
            "kvm-clock",
            "hyperv_clocksource_tsc_page",
            "arch_sys_counter",
            "timebase",
            "riscv_clocksource",
            "tod");

    /** The words that makers of virtual machines write into the name of the product or its vendor. */
    private static final List<String> VIRTUAL = List.of(
            "qemu",
            "kvm",
            "vmware",
            "virtualbox",
            "virtual machine",
            "xen",
            "bochs",
            "parallels",
            "openstack",
            "bhyve",
            "google compute engine",
            "alibaba cloud ecs",
            "droplet",
            "hetzner",
            "cloudstack");

    private static final String CLOCK = "/sys/devices/system/clocksource/clocksource0/";
    private static final int STEAL = 8;
    private static final long TICK_NANOS = 10_000_000; // of the counts in /proc/stat, whatever the timer's tick is
    private static final double NOTED_STEAL = 0.001;

    private Host() {}

    static List<Finding> of(Tree tree) {
        List<Finding> findings = new ArrayList<>();
        findings.add(quota(tree));
        findings.add(limits(tree));
        findings.add(clock(tree));
        findings.add(virtual(tree));
        findings.add(steal(tree));
        return findings;
    }

    private static Finding quota(Tree tree) {
        Cgroups groups = new Cgroups(tree);
        if (!groups.tellsQuotas()) {
            return Finding.unknown(
                    "CPU quota",
                    "the system tells no quota of this cgroup",
                    "A process that has used up its quota stands still for the rest of the period, up to 100 ms.");
        }
        if (groups.quota().isEmpty()) {
            return Finding.fine("CPU quota", "there is none");
        }
        Cgroups.Quota quota = groups.quota().get(0);
        return Finding.hinders(
                "CPU quota",
                String.format(
                        Locale.ROOT,
                        "the quota is %.2f cores, %d \u00b5s in each %d \u00b5s, set in %s; this cgroup was throttled %d times, %d ms in all",
                        quota.cores(),
                        quota.micros(),
                        quota.period(),
                        quota.folder(),
                        quota.throttled(),
                        quota.throttledMicros() / 1000),
                String.format(
                        Locale.ROOT,
                        "A spinner uses up a quota. Then all threads stand still for the rest of the period, up to %d \u00b5s%s.",
                        quota.period(),
                        quota.throttled() == 0
                                ? ""
                                : String.format(
                                        Locale.ROOT,
                                        "; here %,d ns each time, in the mean",
                                        quota.throttledMicros() * 1000 / quota.throttled())),
                "docker update --cpus=0 --cpuset-cpus=LIST CONTAINER"
                        + " # or, in Kubernetes: whole cores, requests equal to limits, cpu-manager-policy static");
    }

    private static Finding limits(Tree tree) {
        Cgroups groups = new Cgroups(tree);
        String told = allowed(tree);
        String container = tree.has("/.dockerenv") || tree.has("/run/.containerenv") ? "in a container; " : "";
        if (!groups.tellsMemory() && told.isEmpty()) {
            return Finding.unknown(
                    "limits", "the system tells no limits of this process", "A limit below what is needed kills.");
        }
        long bytes = groups.memory();
        long high = groups.memoryHigh();
        boolean limited = Cgroups.isLimit(bytes);
        List<Integer> all = tree.processors();
        List<Integer> usable = usable(tree);
        boolean some = !told.isEmpty() && !usable.equals(all) && !all.isEmpty();
        String what = container
                + (limited ? "memory is limited to " + bytes / (1 << 20) + " MiB" : "no limit of memory")
                + (Cgroups.isLimit(high)
                        ? "; from " + high / (1 << 20) + " MiB on whoever asks for memory must give some back first"
                        : "")
                + (told.isEmpty()
                        ? ""
                        : "; may run on processors " + Lists.text(usable) + (some ? " of " + Lists.text(all) : ""));
        return limited || some || Cgroups.isLimit(high)
                ? Finding.costs(
                        "limits",
                        what,
                        "The JVM sizes its heap, its collectors and its pools by these limits, not by the machine.")
                : Finding.fine("limits", what);
    }

    /**
     * The processors that are online and that this process may use; all that are online where the system does not say. The list of a
     * process also holds processors that could be plugged in.
     */
    static List<Integer> usable(Tree tree) {
        List<Integer> online = tree.processors();
        List<Integer> allowed = Lists.numbers(allowed(tree));
        if (allowed.isEmpty()) {
            return online;
        }
        return online.isEmpty()
                ? allowed
                : online.stream().filter(allowed::contains).toList();
    }

    /** The processors that this process may use, as a list; empty if that is not told. */
    private static String allowed(Tree tree) {
        for (String line : tree.lines("/proc/self/status")) {
            if (line.startsWith("Cpus_allowed_list:")) {
                return line.substring(line.indexOf(':') + 1).strip();
            }
        }
        return "";
    }

    private static Finding clock(Tree tree) {
        String current = tree.text(CLOCK + "current_clocksource");
        if (current.isEmpty()) {
            return Finding.unknown(
                    "clock",
                    "the system does not tell its clock source",
                    "A clock that needs a system call costs 10 times as much.");
        }
        if (FAST_CLOCKS.contains(current)) {
            return Finding.fine("clock", "the clock source is " + current + ", which is read without a system call");
        }
        String available = tree.text(CLOCK + "available_clocksource");
        return List.of(available.split("\\s+", -1)).contains("tsc")
                ? Finding.hinders(
                        "clock",
                        "the clock source is " + current + ", though tsc is there",
                        "Each look at the clock is a system call, or a slow read of a device.",
                        "echo tsc | sudo tee " + CLOCK + "current_clocksource")
                : Finding.costs(
                        "clock",
                        "the clock source is " + current + "; there are " + available,
                        "Each look at the clock is a system call, or a slow read of a device. Look at it less often.");
    }

    private static Finding virtual(Tree tree) {
        List<String> flags = tree.lines("/proc/cpuinfo").stream()
                .filter(line -> line.startsWith("flags"))
                .toList();
        boolean flag = flags.stream().anyMatch(line -> (" " + line + " ").contains(" hypervisor "));
        String type = tree.text("/sys/hypervisor/type");
        String product = tree.text("/sys/class/dmi/id/product_name");
        String names = (tree.text("/sys/class/dmi/id/sys_vendor") + " " + product).toLowerCase(Locale.ROOT);
        // Amazon's machines without a hypervisor say so in their names
        boolean named = VIRTUAL.stream().anyMatch(names::contains)
                || (names.startsWith("amazon ec2") && !names.contains("metal"));
        if (flag || named || !type.isEmpty() || tree.has("/proc/device-tree/hypervisor/compatible")) {
            return Finding.costs(
                    "virtualisation",
                    "this is a virtual machine" + (type.isEmpty() ? "" : ", " + type)
                            + (product.isEmpty() ? "" : ", " + product),
                    "The host moves virtual cores as it likes: their distances change, and one of them may stand still while"
                            + " another spins for it.");
        }
        // only processors of x86 say it among their flags; others are believed by the name of the product alone
        return flags.isEmpty() && product.isEmpty()
                ? Finding.unknown(
                        "virtualisation",
                        "the system does not tell whether it is a virtual machine",
                        "A host may stop a virtual core at any time.")
                : Finding.fine("virtualisation", "no hypervisor is seen" + (product.isEmpty() ? "" : " on " + product));
    }

    /** Nanoseconds that were stolen from all processors since the start, by steps of 10 ms; -1 if the system does not tell. */
    static long stolenNanos(Tree tree) {
        for (String line : tree.lines("/proc/stat")) {
            String[] words = line.strip().split("\\s+", -1);
            if (words[0].equals("cpu") && words.length > STEAL) {
                return Tree.number(words[STEAL], 0, "") * TICK_NANOS;
            }
        }
        return -1;
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
