package io.sluice.perf.doctor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Findings about the cores: frequency, sleep, siblings, isolation and interrupts. */
final class Cores {
    private static final String CPU = "/sys/devices/system/cpu/";
    private static final long DEEP_MICROS = 20;

    private Cores() {}

    static List<Finding> of(Tree tree) {
        List<Finding> findings = new ArrayList<>();
        findings.add(governor(tree));
        findings.add(turbo(tree));
        findings.add(sleep(tree));
        findings.add(kinds(tree));
        findings.add(siblings(tree));
        findings.addAll(isolation(tree));
        findings.add(interrupts(tree));
        return findings;
    }

    private static Finding governor(Tree tree) {
        List<String> governors = tree.ofProcessors("cpufreq/scaling_governor");
        if (governors.isEmpty()) {
            return Finding.unknown(
                    "governor",
                    "the system tells no frequency governor; in a virtual machine the host decides",
                    "A governor that saves power runs a core slowly just when an event comes after a pause.");
        }
        String names = String.join(", ", governors);
        if (governors.equals(List.of("performance"))) {
            return Finding.fine("governor", "all cores have the governor performance");
        }
        return Finding.hinders(
                "governor",
                "the frequency governor is " + names,
                "A core that was idle runs slowly until the governor has noticed the load; that takes milliseconds.",
                "sudo cpupower frequency-set -g performance");
    }

    private static Finding turbo(Tree tree) {
        String off = tree.text(CPU + "intel_pstate/no_turbo");
        String boost = tree.text(CPU + "cpufreq/boost");
        String file = CPU + "cpufreq/boost";
        for (String policy : boost.isEmpty() ? tree.names(CPU + "cpufreq") : List.<String>of()) {
            String own = tree.text(CPU + "cpufreq/" + policy + "/boost"); // newer kernels have one for each processor
            if (!own.isEmpty() && !boost.equals("1")) {
                boost = own;
                file = CPU + "cpufreq/policy*/boost";
            }
        }
        if (off.isEmpty() && boost.isEmpty()) {
            return Finding.unknown(
                    "turbo",
                    "the system does not tell whether turbo is on",
                    "With turbo, a core's speed depends on what the other cores do, and figures vary by as much.");
        }
        boolean on = off.isEmpty() ? boost.equals("1") : off.equals("0");
        return on
                ? Finding.costs(
                        "turbo",
                        "turbo is on",
                        "It lowers latency while few cores work. It also makes measurements vary: switch it off to compare, with "
                                + (off.isEmpty()
                                        ? "echo 0 | sudo tee " + file
                                        : "echo 1 | sudo tee " + CPU + "intel_pstate/no_turbo")
                                + ".")
                : Finding.fine("turbo", "turbo is off: slower, but every run has the same frequency");
    }

    private static Finding sleep(Tree tree) {
        long deepest = -1;
        String name = "";
        int states = 0;
        Map<String, Long> open = new TreeMap<>();
        for (int processor : tree.processors()) {
            String folder = Tree.ofProcessor(processor, "cpuidle");
            for (String state : tree.names(folder)) {
                String each = folder + "/" + state + "/";
                long micros = tree.number(each + "latency", -1);
                states += micros >= 0 ? 1 : 0;
                if (micros >= 0 && tree.number(each + "disable", 0) == 0) {
                    open.merge(tree.text(each + "name"), micros, Math::max);
                    name = micros > deepest ? tree.text(each + "name") : name;
                    deepest = Math.max(deepest, micros);
                }
            }
        }
        if (states == 0) {
            return Finding.unknown(
                    "sleep states",
                    "the system tells no sleep states of the cores",
                    "A core in a deep state takes up to 200 \u00b5s to wake.");
        }
        if (deepest < 0) {
            return Finding.fine("sleep states", "all are switched off");
        }
        String all = " ("
                + open.entrySet().stream()
                        .sorted(Map.Entry.comparingByValue())
                        .map(state -> state.getKey() + " " + state.getValue() + " \u00b5s")
                        .collect(Collectors.joining(", "))
                + ")";
        if (deepest < DEEP_MICROS) {
            return Finding.fine(
                    "sleep states",
                    "the deepest state in use is " + name + ", which takes " + deepest + " \u00b5s to leave" + all);
        }
        return Finding.hinders(
                "sleep states",
                "cores may sleep as deep as " + name + ", which takes " + deepest + " \u00b5s to leave" + all,
                "Whoever parks pays that at the next event. BIOS settings, September 2015, found 200 \u00b5s for C3; settings of the"
                        + " BIOS halved latencies there, and all changes together quartered them. A consumer that spins keeps its own"
                        + " core awake, not those of its producers.",
                "sudo cpupower idle-set -D " + DEEP_MICROS); // those that take as long, or longer
    }

    /** Cores of several kinds, as laptops and phones have. */
    private static Finding kinds(Tree tree) {
        String fast = tree.text("/sys/devices/cpu_core/cpus");
        String slow = tree.text("/sys/devices/cpu_atom/cpus");
        Map<Long, List<Integer>> byCapacity = new TreeMap<>(Comparator.reverseOrder());
        for (int processor : tree.processors()) {
            long capacity = tree.number(Tree.ofProcessor(processor, "cpu_capacity"), -1);
            if (capacity >= 0) {
                byCapacity.computeIfAbsent(capacity, each -> new ArrayList<>()).add(processor);
            }
        }
        if (byCapacity.size() > 1) {
            fast = Lists.text(byCapacity.values().iterator().next());
            slow = byCapacity.entrySet().stream()
                    .skip(1)
                    .map(kind -> Lists.text(kind.getValue()))
                    .collect(Collectors.joining(" and "));
        }
        if (!fast.isEmpty() && !slow.isEmpty()) {
            return Finding.hinders(
                    "kinds of cores",
                    "processors " + fast + " are fast, " + slow + " are slow",
                    "A thread on a slow core takes two to three times as long, and the system moves threads between them.",
                    "taskset -c " + fast + " java \u2026");
        }
        return tree.processors().isEmpty()
                ? Finding.unknown(
                        "kinds of cores",
                        "the system does not tell its processors",
                        "A thread on a slow core takes two to three times as long.")
                : Finding.fine("kinds of cores", "all are of one kind, as far as the system tells");
    }

    /** The processors that share a processor's core, itself among them; empty if the system does not say. */
    static String siblings(Tree tree, int processor) {
        String list = tree.text(Tree.ofProcessor(processor, "topology/core_cpus_list"));
        return list.isEmpty() ? tree.text(Tree.ofProcessor(processor, "topology/thread_siblings_list")) : list;
    }

    private static Finding siblings(Tree tree) {
        List<String> lists = tree.processors().stream()
                .map(processor -> siblings(tree, processor))
                .filter(list -> !list.isEmpty())
                .distinct()
                .toList();
        String active = tree.text(CPU + "smt/active");
        List<String> shared =
                lists.stream().filter(list -> Lists.numbers(list).size() > 1).toList();
        if (lists.isEmpty() && active.isEmpty()) {
            return Finding.unknown(
                    "SMT",
                    "the system does not tell which processors share a core",
                    "Two spinning threads on one core halve each other's speed.");
        }
        if (shared.isEmpty() && !active.equals("1")) {
            return Finding.fine("SMT", "no two processors share a core");
        }
        return Finding.hinders(
                "SMT",
                shared.isEmpty()
                        ? "SMT is on, but the system does not tell which processors share a core"
                        : "these processors share a core: " + shown(shared, " and "),
                "Two spinning threads on one core halve each other's speed. Pin a producer and its consumer to different"
                        + " cores, or switch SMT off.",
                tree.text(CPU + "smt/control").equals("on")
                        ? "echo off | sudo tee " + CPU + "smt/control"
                        : "taskset -c " + oneOfEach(lists) + " java \u2026 # SMT itself can not be switched off here");
    }

    /** The first processor of each core. */
    private static String oneOfEach(List<String> lists) {
        List<Integer> firsts = lists.stream()
                .map(Lists::numbers)
                .filter(all -> !all.isEmpty())
                .map(all -> all.get(0))
                .distinct()
                .sorted()
                .toList();
        return firsts.isEmpty() ? "LIST" : Lists.text(firsts);
    }

    private static String shown(List<String> all, String between) {
        int most = 8;
        String some = String.join(between, all.subList(0, Math.min(most, all.size())));
        return all.size() > most ? some + between + (all.size() - most) + " more" : some;
    }

    private static List<Finding> isolation(Tree tree) {
        List<Finding> findings = new ArrayList<>();
        boolean told = tree.has(CPU) || !tree.text("/proc/cmdline").isEmpty();
        String isolated = isolated(tree);
        if (told && tree.processors().size() == 1) {
            findings.add(Finding.costs(
                    "isolated cores",
                    "there is one processor, and it does all the work",
                    "Any task of the system takes it from your threads for a time slice, some milliseconds."));
            findings.add(Finding.costs(
                    "timer ticks",
                    "the one processor needs its timer tick",
                    "100 to 1,000 times a second the kernel stops each running thread for some microseconds."));
            return findings;
        }
        if (!told) {
            findings.add(Finding.unknown(
                    "isolated cores", "the system does not tell them", "Other work may run on the cores of spinners."));
        } else if (isolated.isEmpty()) {
            findings.add(Finding.hinders(
                    "isolated cores",
                    "no core is kept free of other work",
                    "Any task of the system may take a spinner's core for a time slice, some milliseconds.",
                    kernelArguments(tree, "isolcpus=" + example(tree)) + " # then boot, and pin with taskset -c"));
        } else {
            findings.add(Finding.fine("isolated cores", "kept free of other work: " + isolated));
        }
        String silent = tree.text(CPU + "nohz_full").replace("(null)", "");
        if (!silent.isEmpty()) {
            findings.add(Finding.fine("timer ticks", "cores without a tick while one task runs: " + silent));
        } else if (told) {
            findings.add(Finding.hinders(
                    "timer ticks",
                    "every core has the timer tick",
                    "100 to 1,000 times a second the kernel stops each running thread for some microseconds.",
                    kernelArguments(tree, "nohz_full=" + example(tree) + " rcu_nocbs=" + example(tree))
                            + " # then boot"));
        } else {
            findings.add(Finding.unknown(
                    "timer ticks", "the system does not tell which cores have a tick", "A tick costs microseconds."));
        }
        return findings;
    }

    /** Kept free by the kernel's command line, or by a cgroup. */
    private static String isolated(Tree tree) {
        String isolated = tree.text(CPU + "isolated");
        return isolated.isEmpty() ? tree.text("/sys/fs/cgroup/cpuset.cpus.isolated") : isolated;
    }

    /** The command by which this distribution adds to the kernel's command line. */
    private static String kernelArguments(Tree tree, String arguments) {
        boolean debian =
                tree.lines("/etc/os-release").stream().anyMatch(line -> line.matches("ID(_LIKE)?=.*(debian|ubuntu).*"));
        return debian
                ? "sudo sed -i 's/^GRUB_CMDLINE_LINUX=\"/&" + arguments + " /' /etc/default/grub && sudo update-grub"
                : "sudo grubby --update-kernel=ALL --args=\"" + arguments + "\"";
    }

    /** All cores but the first. */
    private static String example(Tree tree) {
        List<Integer> all = tree.processors();
        return all.size() < 2 ? "1" : Lists.text(all.subList(1, all.size()));
    }

    private static Finding interrupts(Tree tree) {
        List<Integer> isolated = Lists.numbers(isolated(tree));
        List<String> disturbing = new ArrayList<>();
        int known = 0;
        for (String irq : tree.names("/proc/irq")) {
            List<Integer> on = Lists.numbers(tree.text("/proc/irq/" + irq + "/effective_affinity_list"));
            if (on.isEmpty()) {
                on = Lists.numbers(tree.text("/proc/irq/" + irq + "/smp_affinity_list"));
            }
            known += on.isEmpty() ? 0 : 1;
            if (on.stream().anyMatch(isolated::contains)) {
                disturbing.add(irq);
            }
        }
        if (known == 0) {
            return Finding.unknown(
                    "interrupts",
                    "the system does not tell which cores take interrupts",
                    "An interrupt stops the thread of its core for microseconds.");
        }
        if (isolated.isEmpty()) {
            return Finding.costs(
                    "interrupts",
                    String.format(Locale.ROOT, "%d interrupts, and no core that is kept free of them", known),
                    "An interrupt stops the thread of its core for microseconds. Isolate cores first.");
        }
        if (disturbing.isEmpty()) {
            return Finding.fine("interrupts", "no interrupt goes to an isolated core");
        }
        return Finding.hinders(
                "interrupts",
                "interrupts that may go to isolated cores: " + shown(disturbing, ", "),
                "An interrupt stops the thread of its core for microseconds.",
                "for i in " + String.join(" ", disturbing) + "; do echo "
                        + tree.processors().stream()
                                .filter(processor -> !isolated.contains(processor))
                                .findFirst()
                                .orElse(0)
                        + " | sudo tee /proc/irq/$i/smp_affinity_list; done");
    }
}
