package io.sluice.perf.doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Findings about the cores: frequency, sleep, siblings, isolation and interrupts. */
final class Cores {
    private static final String CPU = "/sys/devices/system/cpu/";
    private static final long DEEP_MICROS = 20;

    private Cores() {}

    static List<Finding> of(Tree tree, Measured measured) {
        List<Finding> findings = new ArrayList<>();
        findings.add(governor(tree, measured));
        findings.add(turbo(tree));
        findings.add(sleep(tree, measured));
        findings.add(siblings(tree));
        findings.addAll(isolation(tree, measured));
        findings.add(interrupts(tree));
        return findings;
    }

    private static Finding governor(Tree tree, Measured measured) {
        List<String> governors = tree.ofProcessors("cpufreq/scaling_governor");
        if (governors.isEmpty()) {
            return Finding.unknown(
                    "governor",
                    "the system tells no frequency governor; in a virtual machine the host decides"
                            + measured.rampUpWords(),
                    "A governor that saves power runs a core slowly just when an event comes after a pause.");
        }
        String names = String.join(", ", governors);
        if (governors.equals(List.of("performance"))) {
            return Finding.fine("governor", "all cores have the governor performance");
        }
        return Finding.hinders(
                "governor",
                "the frequency governor is " + names + measured.rampUpWords(),
                "A core that was idle runs slowly until the governor has noticed the load; that takes milliseconds.",
                "sudo cpupower frequency-set -g performance");
    }

    private static Finding turbo(Tree tree) {
        String off = tree.text(CPU + "intel_pstate/no_turbo");
        String boost = tree.text(CPU + "cpufreq/boost");
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
                                        ? "echo 0 | sudo tee " + CPU + "cpufreq/boost"
                                        : "echo 1 | sudo tee " + CPU + "intel_pstate/no_turbo")
                                + ".")
                : Finding.fine("turbo", "turbo is off: slower, but every run has the same frequency");
    }

    private static Finding sleep(Tree tree, Measured measured) {
        long deepest = -1;
        String name = "";
        int states = 0;
        for (int processor : tree.processors()) {
            String folder = Tree.ofProcessor(processor, "cpuidle");
            for (String state : tree.names(folder)) {
                String each = folder + "/" + state + "/";
                long micros = tree.number(each + "latency", -1);
                states += micros >= 0 ? 1 : 0;
                if (micros > deepest && tree.number(each + "disable", 0) == 0) {
                    deepest = micros;
                    name = tree.text(each + "name");
                }
            }
        }
        if (states == 0) {
            return Finding.unknown(
                    "sleep states",
                    "the system tells no sleep states of the cores" + measured.wakeUpWords(),
                    "A core in a deep state takes up to 200 \u00b5s to wake.");
        }
        if (deepest < DEEP_MICROS) {
            return Finding.fine(
                    "sleep states",
                    "the deepest state in use is " + name + ", which takes " + Math.max(0, deepest)
                            + " \u00b5s to leave" + measured.wakeUpWords());
        }
        return Finding.hinders(
                "sleep states",
                "cores may sleep as deep as " + name + ", which takes " + deepest + " \u00b5s to leave"
                        + measured.wakeUpWords(),
                "Whoever parks pays that at the next event. BIOS settings, September 2015, found 200 \u00b5s for C3. A consumer that"
                        + " spins keeps its own core awake, not those of its producers.",
                "sudo cpupower idle-set -D " + (DEEP_MICROS - 1));
    }

    private static Finding siblings(Tree tree) {
        List<String> lists = tree.ofProcessors("topology/thread_siblings_list");
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
                "echo off | sudo tee " + CPU + "smt/control");
    }

    private static String shown(List<String> all, String between) {
        int most = 8;
        String some = String.join(between, all.subList(0, Math.min(most, all.size())));
        return all.size() > most ? some + between + (all.size() - most) + " more" : some;
    }

    private static List<Finding> isolation(Tree tree, Measured measured) {
        List<Finding> findings = new ArrayList<>();
        boolean told = tree.has(CPU) || !tree.text("/proc/cmdline").isEmpty();
        String isolated = tree.text(CPU + "isolated");
        if (!told) {
            findings.add(Finding.unknown(
                    "isolated cores", "the system does not tell them", "Other work may run on the cores of spinners."));
        } else if (isolated.isEmpty()) {
            findings.add(Finding.hinders(
                    "isolated cores",
                    "no core is kept free of other work" + measured.hiccupWords(),
                    "Any task of the system may take a spinner's core for a time slice, some milliseconds.",
                    "sudo grubby --update-kernel=ALL --args=\"isolcpus=" + example(tree)
                            + "\" # then boot, and pin with taskset -c"));
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
                    "sudo grubby --update-kernel=ALL --args=\"nohz_full=" + example(tree) + " rcu_nocbs="
                            + example(tree) + "\" # then boot"));
        } else {
            findings.add(Finding.unknown(
                    "timer ticks", "the system does not tell which cores have a tick", "A tick costs microseconds."));
        }
        return findings;
    }

    /** All cores but the first. */
    private static String example(Tree tree) {
        List<Integer> all = tree.processors();
        return all.size() < 2 ? "1" : Lists.text(all.subList(1, all.size()));
    }

    private static Finding interrupts(Tree tree) {
        List<Integer> isolated = Lists.numbers(tree.text(CPU + "isolated"));
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
                "for i in " + String.join(" ", disturbing)
                        + "; do echo 0 | sudo tee /proc/irq/$i/smp_affinity_list; done");
    }
}
