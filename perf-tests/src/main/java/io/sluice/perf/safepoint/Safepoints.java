package io.sluice.perf.safepoint;

import io.sluice.cli.Interruption;
import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.perf.Arguments;
import io.sluice.perf.MeasurementLock;
import io.sluice.perf.report.Head;
import io.sluice.perf.report.Machine;
import io.sluice.perf.report.svg.Labels;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** {@code ./sluice safepoints}: how long the batch loop keeps the JVM from a safepoint. */
public final class Safepoints implements Verb {
    private static final int DEFAULT_SLOTS = 65_536;
    private static final int MOST_SLOTS = 1 << 22;
    private static final int DEFAULT_ASKS = 1_000;
    private static final int MOST_ASKS = 100_000;
    private static final int LEAST_ASKS = 10;
    private static final long WARM_UP_MILLIS = 1_500;
    private static final long LIMIT_SECONDS = 60;
    private static final double[] SHOWN = {50, 90, 99, 100};

    /** The flags of every JVM that is measured, beside its collector. */
    private static final List<String> FLAGS = List.of("-Xms512m", "-Xmx512m", "-XX:+AlwaysPreTouch");

    /** Collectors, by what they do to counted loops: one has them stop now and then, the other does not. */
    private static final List<String> COLLECTORS = List.of("G1", "Serial");

    /** The options of the command line. */
    record Options(List<Path> jdks, int slots, int asks) {
        static Options parse(List<String> given) throws UsageException {
            Arguments arguments =
                    Arguments.parse(given, List.of(), List.of(Arguments.JDK, "--slots", "--asks"), List.of());
            int slots = arguments.number("--slots", 1, MOST_SLOTS, DEFAULT_SLOTS);
            if (Integer.bitCount(slots) != 1) {
                throw new UsageException(
                        "--slots must be a power of two from 1 to " + MOST_SLOTS + ", but was '" + slots + "'");
            }
            return new Options(
                    arguments.jdks(), slots, arguments.number("--asks", LEAST_ASKS, MOST_ASKS, DEFAULT_ASKS));
        }
    }

    /** For the service loader. */
    public Safepoints() {}

    @Override
    public String name() {
        return "safepoints";
    }

    @Override
    public String summary() {
        return "measure how long the batch loop keeps the JVM from a safepoint";
    }

    @Override
    public boolean isForDevelopers() {
        return true;
    }

    @Override
    public String usage() {
        return """
                usage: ./sluice safepoints [--jdk HOME]... [--slots N] [--asks N]

                A thread of a JVM of its own handles batches of a ring that is always full, with a handler that does next to
                nothing; another asks for thread dumps, each of which stops all threads. The JVM's own log tells how long they
                took to stop. Beside it: a thread that need not be stopped, a loop that can stop at each turn, and a loop that
                the compiler was told not to let stop, which has to be seen. Each with the collectors %s.

                  --jdk HOME   on this JDK; may be given again (default the one that runs ./sluice)
                  --slots N    slots of the ring, a power of two up to %d (default %d)
                  --asks N     so many thread dumps each, %d to %d (default %d)

                Exit status: 0 measured, and the control was seen; 1 it was not, so the figures say nothing; 2 bad usage, or
                another measurement runs; 130 on Ctrl-C.
                """.formatted(
                        String.join(", ", COLLECTORS), MOST_SLOTS, DEFAULT_SLOTS, LEAST_ASKS, MOST_ASKS, DEFAULT_ASKS);
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        Options options = Options.parse(arguments);
        String command = ("./sluice safepoints " + String.join(" ", arguments)).strip();
        MeasurementLock lock = MeasurementLock.take(command);
        try {
            return measure(options, command, System.out);
        } finally {
            lock.close();
        }
    }

    private static int measure(Options options, String command, PrintStream out) throws Exception {
        Machine machine = Machine.here(options.jdks(), FLAGS, command, "not pinned", List.of());
        Head.print(machine, out);
        out.println(options.slots() + " slots, so batches of at most " + Work.largestBatch(options.slots())
                + "; reaching a safepoint, " + options.asks() + " thread dumps each");
        AtomicReference<Process> running = new AtomicReference<>();
        boolean seen = true;
        try (Interruption interruption = Interruption.listening("sluice safepoints", () -> {
            Process child = running.get();
            if (child != null) {
                child.destroyForcibly();
            }
        })) {
            for (int i = 0; i < options.jdks().size(); i++) {
                for (String collector : COLLECTORS) {
                    out.println();
                    out.println(machine.jvms().get(i).name() + ", " + collector);
                    out.println(String.format(
                            Locale.ROOT, "  %-40s %10s %10s %10s %10s", "", "median", "90%", "99%", "max"));
                    long turns = 0;
                    for (Work work : Work.values()) {
                        SafepointTimes times;
                        try {
                            times = times(
                                    options.jdks().get(i),
                                    collector,
                                    work,
                                    options.slots(),
                                    options.asks(),
                                    WARM_UP_MILLIS,
                                    running);
                        } catch (IOException e) {
                            if (interruption.requested()) {
                                out.println("stopped before the end: this is what there was by then");
                                return INTERRUPTED;
                            }
                            throw e;
                        }
                        out.println(line(work, times));
                        if (work == Work.TURNS) {
                            turns = times.at(99);
                        } else if (work == Work.BLIND) {
                            seen &= times.at(50) > turns;
                        }
                    }
                }
            }
        }
        out.println();
        out.println(
                seen
                        ? "measured; each control was seen"
                        : "a control was not seen: its median is not above 99 % of a loop that can stop at each turn");
        return seen ? DONE : CHECK_FAILED;
    }

    private static String line(Work work, SafepointTimes times) {
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "  %-40s", work.label));
        for (double percent : SHOWN) {
            line.append(String.format(Locale.ROOT, " %10s", Labels.nanos((double) times.at(percent))));
        }
        return line.toString();
    }

    /**
     * Runs a child JVM and reads its log.
     *
     * @param running where the child is to be found while it runs
     * @throws IOException if the child fails; says what it said
     */
    static SafepointTimes times(
            Path jdk,
            String collector,
            Work work,
            int slots,
            int asks,
            long warmUpMillis,
            AtomicReference<Process> running)
            throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("sluice-safepoints");
        Path log = folder.resolve("safepoints.log");
        Path said = folder.resolve("said.txt");
        try {
            List<String> command = new ArrayList<>(List.of(
                    jdk.resolve("bin").resolve("java").toString(),
                    "-XX:+Use" + collector + "GC",
                    "-Xlog:disable",
                    "-Xlog:safepoint=info:file=" + log + ":none:filecount=0"));
            command.addAll(FLAGS);
            command.addAll(work.flags());
            command.add("-cp");
            command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
            command.add(Child.class.getName());
            command.add(work.name());
            command.add(Integer.toString(slots));
            command.add(Integer.toString(asks));
            command.add(Long.toString(warmUpMillis));
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(new File(said.toString()))
                    .start();
            running.set(process);
            try {
                if (!process.waitFor(LIMIT_SECONDS + TimeUnit.MILLISECONDS.toSeconds(10L * asks), TimeUnit.SECONDS)) {
                    throw new IOException(work + " did not end in time");
                }
            } finally {
                process.destroyForcibly();
                running.set(null);
            }
            List<String> words = Files.readAllLines(said, StandardCharsets.UTF_8);
            if (process.exitValue() != 0 || !words.contains(Child.DONE)) {
                throw new IOException(work + " ended with " + process.exitValue() + ": " + words);
            }
            return SafepointTimes.of(Files.readAllLines(log, StandardCharsets.UTF_8), asks);
        } finally {
            Files.deleteIfExists(log);
            Files.deleteIfExists(said);
            Files.deleteIfExists(folder);
        }
    }
}
