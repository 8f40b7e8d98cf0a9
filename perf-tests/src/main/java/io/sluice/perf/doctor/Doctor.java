package io.sluice.perf.doctor;

import io.sluice.cli.Interruption;
import io.sluice.cli.Verb;
import io.sluice.perf.Arguments;
import io.sluice.perf.MeasurementLock;
import io.sluice.perf.Pinning;
import io.sluice.perf.report.Head;
import io.sluice.perf.report.Json;
import io.sluice.perf.report.Machine;
import io.sluice.perf.report.Page;
import io.sluice.perf.report.Page.Cell;
import io.sluice.perf.report.svg.Matrix;
import java.io.PrintStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;

/** {@code ./sluice doctor}: the obstacles between this machine and low latency. */
public final class Doctor implements Verb {
    private static final String TITLE = "What stands between this machine and low latency";
    private static final int SECONDS = 5;
    private static final int MOST_SECONDS = 3600;

    /**
     * The results of a run.
     *
     * @param title what it is
     * @param date when
     * @param complete whether it was not interrupted
     * @param summary what it says in short
     * @param machine where
     * @param findings what was looked at
     * @param measured what was measured
     */
    record Result(
            String title,
            String date,
            boolean complete,
            String summary,
            Machine machine,
            List<Finding> findings,
            Measured measured) {
        Result {
            findings = List.copyOf(findings);
        }
    }

    /** For the service loader. */
    public Doctor() {}

    @Override
    public String name() {
        return "doctor";
    }

    @Override
    public String summary() {
        return "tell what stands between this machine and low latency, and what mends it";
    }

    @Override
    public String usage() {
        return """
                usage: ./sluice doctor [--seconds N] [--json OUT] [--html OUT]

                Reads from the system, and measures, what costs latency: governor and turbo, sleep states, cores that are shared,
                isolated or interrupted, memory nodes and pages, swap, quotas and limits of a container, the clock, the host, the
                JVM, and whether there are cores for spinners. Needs no root; what can not be read is said. Measures hiccups,
                the distance of every two cores, and of most findings what they cost here, about a second each. Each finding says
                what, why it matters, what was measured, and the command that mends it; doctor itself changes nothing.

                  --seconds N   look for hiccups so long, 1 to 3600 (default 5)
                  --json OUT    write findings and figures to the file OUT
                  --html OUT    write a page with a picture of the distances to the file OUT

                Exit status: 0 whatever was found; 2 bad usage, or another measurement runs; 130 on Ctrl-C, with what there is by
                then.
                """;
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        Arguments request = Arguments.parse(arguments, List.of(), List.of("--seconds"), List.of("--json", "--html"));
        int seconds = request.number("--seconds", 1, MOST_SECONDS, SECONDS);
        String command = ("./sluice doctor " + String.join(" ", arguments)).strip();
        MeasurementLock lock = MeasurementLock.take(command);
        try (Interruption interruption = Interruption.listening("sluice doctor", () -> {})) {
            Tree tree = Tree.below(Path.of("/"));
            Result result = examine(tree, seconds, command, interruption, System.err::println);
            request.write("--json", Json.text(result));
            request.write("--html", html(result));
            print(result, System.out);
            return result.complete() ? DONE : INTERRUPTED;
        } finally {
            lock.close();
        }
    }

    private static Result examine(
            Tree tree, int seconds, String command, Interruption interruption, Consumer<String> progress)
            throws Exception {
        Machine machine = Machine.own(command, Pinning.description(), List.of());
        String date = Head.now();
        List<Integer> usable = Host.usable(tree);
        long stolen = Host.stolenNanos(tree);
        long begin = System.nanoTime();
        Measured all = Measured.here(
                seconds,
                usable,
                usable.isEmpty() ? List.of() : Lists.numbers(Cores.siblings(tree, usable.get(0))),
                interruption::requested,
                progress);
        Measured measured =
                all.stolen(stolen < 0 ? -1 : (Host.stolenNanos(tree) - stolen) * 1e9 / (System.nanoTime() - begin));
        List<Finding> findings = findings(tree, measured, jvm());
        return new Result(TITLE, date, !interruption.requested(), summary(findings), machine, findings, measured);
    }

    /** Everything that is looked at, in the order to be read. */
    static List<Finding> findings(Tree tree, Measured measured, Runtimes.Jvm jvm) {
        List<Finding> findings = new ArrayList<>();
        findings.addAll(Cores.of(tree));
        findings.addAll(Memory.of(tree));
        findings.addAll(Host.of(tree));
        findings.addAll(Runtimes.of(tree, jvm));
        findings.addAll(Noise.of(measured));
        return Here.beside(findings, tree, measured);
    }

    static String summary(List<Finding> findings) {
        return String.format(
                Locale.ROOT,
                "Of %d things, %d stand in the way of low latency and can be mended, %d cost something, %d are fine, %d are not known.",
                findings.size(),
                Finding.count(findings, Finding.Level.HINDERS),
                Finding.count(findings, Finding.Level.COSTS),
                Finding.count(findings, Finding.Level.FINE),
                Finding.count(findings, Finding.Level.UNKNOWN));
    }

    private static Runtimes.Jvm jvm() {
        return new Runtimes.Jvm(
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version"),
                ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                        .filter(flag -> flag.startsWith("-X"))
                        .toList(),
                ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .map(GarbageCollectorMXBean::getName)
                        .toList(),
                compressedReferences(),
                Runtime.getRuntime().maxMemory());
    }

    /** Asked by name, since other JVMs have no such bean. */
    private static String compressedReferences() {
        try {
            Object option = ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=HotSpotDiagnostic"),
                            "getVMOption",
                            new Object[] {"UseCompressedOops"},
                            new String[] {String.class.getName()});
            return ((CompositeData) option).get("value").toString();
        } catch (JMException | RuntimeException e) {
            return "";
        }
    }

    static void print(Result result, PrintStream out) {
        Head.print(result.machine(), out);
        for (Finding.Level level : Finding.Level.values()) {
            for (Finding finding : result.findings()) {
                if (finding.level() == level) {
                    out.println();
                    out.println(level.words + ": " + finding.topic() + ": " + finding.what());
                    if (!finding.why().isEmpty()) {
                        out.println("  why: " + finding.why());
                    }
                    if (!finding.here().isEmpty()) {
                        out.println("  measured here: " + finding.here());
                    }
                    if (!finding.command().isEmpty()) {
                        out.println("  mend: " + finding.command());
                    }
                }
            }
        }
        Measured.Distances distances = result.measured().distances();
        if (distances != null) {
            out.println();
            out.println(
                    "nanoseconds that a cache line takes one way, from the processor of the line to that of the column:");
            distances.lines().forEach(out::println);
        }
        out.println();
        out.println(result.summary());
    }

    static String html(Result result) {
        Page page = new Page(result.title());
        Head.write(page, result.complete(), result.summary(), result.date(), result.machine(), Map.of());
        Measured.Distances distances = result.measured().distances();
        if (distances != null && !distances.words().isEmpty()) {
            page.heading(2, "Core distances: " + distances.words());
            page.figure(
                    "Nanoseconds that a cache line takes one way, for every two processors: the stronger the colour, the farther.",
                    new Matrix("Distances between processors", distances.names(), distances.values(), "ns")::svg);
        }
        page.heading(2, "Findings");
        List<List<Cell>> lines = new ArrayList<>();
        for (Finding.Level level : Finding.Level.values()) {
            for (Finding finding : result.findings()) {
                if (finding.level() == level) {
                    lines.add(List.of(
                            Cell.of(finding.topic()),
                            new Cell(
                                    level.words,
                                    level == Finding.Level.HINDERS ? "bad" : level == Finding.Level.FINE ? "good" : ""),
                            new Cell(finding.what(), "long"),
                            new Cell(finding.why(), "long"),
                            new Cell(finding.here(), "long"),
                            new Cell(finding.command(), "long")));
                }
            }
        }
        page.table(
                "",
                List.of(
                        Cell.of("what"),
                        Cell.of("verdict"),
                        Cell.of("found"),
                        Cell.of("why it matters"),
                        Cell.of("measured here"),
                        Cell.of("what mends it")),
                lines);
        return page.text();
    }
}
