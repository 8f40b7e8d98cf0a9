package io.sluice.perf.lab;

import io.sluice.cli.Interruption;
import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.perf.Arguments;
import io.sluice.perf.MeasurementLock;
import io.sluice.perf.Pinning;
import io.sluice.perf.bench.Bench;
import io.sluice.perf.compare.Band;
import io.sluice.perf.compare.Driver;
import io.sluice.perf.compare.Measurement;
import io.sluice.perf.compare.Visited;
import io.sluice.perf.report.Head;
import io.sluice.perf.report.Json;
import io.sluice.perf.report.Machine;
import io.sluice.perf.report.svg.Labels;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code ./sluice lab}: the experiments that the design rests on, on this machine. */
public final class Lab implements Verb {
    private static final String FULL = "--full";
    private static final String TITLE = "The lab: old experiments on this machine";
    private static final String EVERYTHING = "all";

    private static final String LIVE = "--live";

    /**
     * A bench under this roof.
     *
     * @param name here
     * @param bench the word behind {@code ./sluice bench}
     * @param quickSeconds how long it takes with {@code --quick}, about
     * @param seconds how long without
     * @param what is done
     */
    record Present(String name, String bench, int quickSeconds, int seconds, String what) {}

    /** Experiments that have a verb of their own, and its options. */
    static final List<Present> BENCHES = List.of(
            new Present(
                    "serialise", "records", 30, 120, "an object written and read in five ways; the same run as tables"),
            new Present("tables", "records", 30, 120, "trades as objects and in tables of records"),
            new Present("batching", "batching", 20, 60, "batches that grow with the load, beside timers"),
            new Present("journal", "journal", 40, 300, "appending to files, forcing them, and group commit"),
            new Present("ordered", "ordered", 120, 1200, "work in parallel whose results leave in order"));

    /** Small, since all contestants of a row live at the same time. */
    private static final List<String> FLAGS =
            List.of("-Xms192m", "-Xmx192m", "-XX:-AlwaysPreTouch", "-XX:MaxDirectMemorySize=1g");

    /** Every round is measured; which of them count is decided by their own distances. */
    private static final Band ANY = new Band(0, Double.MAX_VALUE);

    private static final long SEED = 1;
    private static final int LEAST_LIVE_MIB = 8;

    /**
     * What was found.
     *
     * @param title what it is
     * @param date when
     * @param quick whether it is a quick run, whose figures are for looking at only
     * @param complete whether it was not interrupted
     * @param summary what it says in short
     * @param machine where
     * @param experiments what each has shown
     */
    record Result(
            String title,
            String date,
            boolean quick,
            boolean complete,
            String summary,
            Machine machine,
            List<Section> experiments) {
        Result {
            experiments = List.copyOf(experiments);
        }
    }

    /** Measures an experiment once. */
    interface Measuring {
        Measurement measure(Experiment experiment, Experiment.Size size) throws IOException, InterruptedException;
    }

    /** For the service loader. */
    public Lab() {}

    @Override
    public String name() {
        return "lab";
    }

    @Override
    public String summary() {
        return "run the experiments that the design rests on, beside their published figures";
    }

    @Override
    public String usage() {
        return """
                usage: ./sluice lab [NAME... | all] [--quick | --full] [--live MIB] [--html OUT] [--json OUT]

                Without a name, lists the experiments with the time that each takes. With names, runs them: each contestant warm in
                a JVM of its own, visited in random order, 100 ms each, with a probe of the distance between the cores before and
                after. Prints median and quartiles here, the figure that was published, with its machine and year, and the ratio.
                Every contestant checks its sums. Some orders must hold on any machine; one that three of four rounds contradict is
                measured once more.

                  NAME         one of %s;
                               or by itself serialise, tables, batching, journal or ordered: then the bench of that
                               work, with its options; serialise and tables are one, ./sluice bench records
                  --quick      6 rounds in 2 JVMs (15 rounds in 3 unless said otherwise)
                  --full       40 rounds in 8 JVMs; without --quick, memory has a table of half of the free memory too, of
                               8 GiB at most
                  --live MIB   so much lives in blobs, 8 to %d (default %d)
                  --html OUT   write a page with a plot for each experiment to the file OUT
                  --json OUT   write every figure to the file OUT

                Exit status: 0 all sums are right, and no order was contradicted twice; 1 otherwise; 2 bad usage, or another
                measurement runs; 130 on Ctrl-C, with what there is by then.
                """.formatted(names(), Settings.MOST_LIVE_MIB, Settings.DEFAULT_LIVE_MIB);
    }

    private static String names() {
        return Experiments.ALL.stream().map(Experiment::name).collect(Collectors.joining(", "));
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        List<String> named = arguments.stream()
                .takeWhile(argument -> !argument.startsWith("--"))
                .toList();
        Present present = named.size() == 1 ? present(named.get(0)) : null;
        if (present != null) {
            return new Bench().run(benchArguments(present, arguments));
        }
        Arguments request = Arguments.parse(
                arguments.subList(named.size(), arguments.size()),
                List.of(Arguments.QUICK, FULL),
                List.of(LIVE),
                List.of("--html", "--json"));
        Settings.choose(
                request.number(LIVE, LEAST_LIVE_MIB, Settings.MOST_LIVE_MIB, Settings.DEFAULT_LIVE_MIB),
                !request.has(Arguments.QUICK));
        if (request.has(Arguments.QUICK) && request.has(FULL)) {
            throw new UsageException("one of --quick and --full must be given at most, but both are");
        }
        List<Experiment> chosen = chosen(named);
        if (chosen.isEmpty()) {
            list(System.out);
            return DONE;
        }
        boolean quick = request.has(Arguments.QUICK);
        Experiment.Size size =
                quick ? Experiment.Size.QUICK : request.has(FULL) ? Experiment.Size.FULL : Experiment.Size.USUAL;
        String command = ("./sluice lab " + String.join(" ", arguments)).strip();
        AtomicReference<@Nullable Driver> running = new AtomicReference<>();
        MeasurementLock lock = MeasurementLock.take(command);
        try (Interruption interruption = Interruption.listening("sluice lab", () -> {
            Driver driver = running.get();
            if (driver != null) {
                driver.stop();
            }
        })) {
            Machine machine = Machine.here(
                    List.of(Path.of(System.getProperty("java.home"))),
                    FLAGS,
                    command,
                    Pinning.description(),
                    List.of("LMAX Disruptor", "Agrona", "Pekko"));
            Head.print(machine, System.out);
            Measuring bench = (experiment, each) -> {
                Driver driver = driver(System.err::println);
                running.set(driver);
                if (interruption.requested()) {
                    driver.stop(); // asked for after the last look, and before this one was there to be told
                }
                return driver.measure(
                        experiment.row(),
                        experiment.row().entries().stream()
                                .map(Visited::shipped)
                                .toList(),
                        each.rounds(),
                        each.jvms());
            };
            Result result = measure(chosen, size, quick, machine, bench, interruption);
            request.write("--json", Json.text(result));
            request.write("--html", LabPage.of(result));
            System.out.println();
            System.out.println(result.summary());
            return !result.complete()
                    ? INTERRUPTED
                    : result.experiments().stream().allMatch(Section::isSound) ? DONE : CHECK_FAILED;
        } finally {
            lock.close();
        }
    }

    private static @Nullable Present present(String name) {
        return BENCHES.stream()
                .filter(bench -> bench.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /** The bench's word in the place of the name; a bench is full unless it is told to be quick. */
    static List<String> benchArguments(Present present, List<String> arguments) {
        List<String> given = new ArrayList<>(List.of(present.bench()));
        arguments.stream().skip(1).filter(argument -> !argument.equals(FULL)).forEach(given::add);
        return given;
    }

    private static Driver driver(Consumer<String> progress) {
        List<String> flags = new ArrayList<>(FLAGS);
        flags.addAll(Settings.flags());
        return new Driver(
                Path.of(System.getProperty("java.home")),
                flags,
                Path.of(System.getProperty("java.io.tmpdir"), "sluice-lab"),
                SEED,
                ANY,
                progress);
    }

    private static List<Experiment> chosen(List<String> named) throws UsageException {
        if (named.equals(List.of(EVERYTHING))) {
            return Experiments.ALL;
        }
        List<Experiment> chosen = new ArrayList<>();
        for (String name : named) {
            chosen.add(Experiments.ALL.stream()
                    .filter(experiment -> experiment.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new UsageException(
                            "each experiment must be one of " + names() + ", or all, but one was '" + name + "'")));
        }
        return chosen;
    }

    private static void list(PrintStream out) {
        long quick = 0;
        long usual = 0;
        long full = 0;
        out.println(String.format(
                Locale.ROOT, "%-14s %8s %8s %8s  %s", "experiment", "--quick", "", "--full", "what is done"));
        for (Experiment experiment : Experiments.ALL) {
            quick += experiment.seconds(Experiment.Size.QUICK);
            usual += experiment.seconds(Experiment.Size.USUAL);
            full += experiment.seconds(Experiment.Size.FULL);
            out.println(line(
                    experiment.name(),
                    experiment.seconds(Experiment.Size.QUICK),
                    experiment.seconds(Experiment.Size.USUAL),
                    experiment.seconds(Experiment.Size.FULL),
                    experiment.row().title()));
        }
        out.println(line(EVERYTHING, quick, usual, full, "one after the other"));
        out.println("each by itself, with the options of ./sluice bench:");
        for (Present bench : BENCHES) {
            out.println(String.format(
                    Locale.ROOT,
                    "%-14s %6d s %6d s %8s  %s",
                    bench.name(),
                    bench.quickSeconds(),
                    bench.seconds(),
                    "",
                    bench.what()));
        }
    }

    private static String line(String name, long quick, long usual, long full, String what) {
        return String.format(Locale.ROOT, "%-14s %6d s %6d s %6d s  %s", name, quick, usual, full, what);
    }

    /** Measures one experiment after the other; one that contradicts an order once more. One that fails does not end the others. */
    static Result measure(
            List<Experiment> experiments,
            Experiment.Size size,
            boolean quick,
            Machine machine,
            Measuring bench,
            Interruption interruption)
            throws InterruptedException {
        String date = Head.now();
        List<Section> sections = new ArrayList<>();
        for (Experiment experiment : experiments) {
            if (interruption.requested()) {
                break;
            }
            Section section = section(experiment, size, bench, false);
            if (section.isContradicted() && !interruption.requested()) {
                section = section(experiment, size, bench, true);
            }
            print(section, System.out);
            sections.add(section);
        }
        return new Result(TITLE, date, quick, !interruption.requested(), summary(sections), machine, sections);
    }

    private static Section section(Experiment experiment, Experiment.Size size, Measuring bench, boolean repeated)
            throws InterruptedException {
        try {
            return Section.of(experiment, bench.measure(experiment, size), Contended.CORES, repeated);
        } catch (IOException | RuntimeException e) {
            return Section.failed(experiment, e.toString());
        }
    }

    static String summary(List<Section> sections) {
        List<String> wrong = sections.stream()
                .filter(section -> !section.isSound())
                .map(Section::name)
                .toList();
        long orders = sections.stream()
                .mapToLong(section -> section.verdicts().size())
                .sum();
        long hold = sections.stream()
                .flatMap(section -> section.verdicts().stream())
                .filter(verdict -> verdict.outcome() == Section.Outcome.HOLDS)
                .count();
        return sections.size() + " experiments; of " + orders + " orders that must hold, " + hold + " hold"
                + (wrong.isEmpty() ? ", and none is contradicted." : "; not sound: " + String.join(", ", wrong) + ".");
    }

    static void print(Section section, PrintStream out) {
        out.println();
        out.println(section.name() + ": " + section.title());
        out.println("  " + section.article() + ": " + section.claim());
        section.shows().forEach(line -> out.println("  " + line));
        if (!section.failure().isEmpty()) {
            out.println("  FAILED: " + section.failure());
            return;
        }
        out.println("  " + section.cores() + (section.repeated() ? "; measured twice, this is the second time" : ""));
        for (Section.Figure figure : section.figures()) {
            out.println(String.format(
                    Locale.ROOT,
                    "  %-44s %10s (%s to %s, %d rounds)%s",
                    figure.label(),
                    Labels.nanos(figure.median()),
                    Labels.nanos(figure.lower()),
                    Labels.nanos(figure.upper()),
                    figure.rounds(),
                    figure.published() == 0
                            ? ""
                            : String.format(
                                    Locale.ROOT,
                                    "; published %s, here %.2f times that: %s",
                                    Labels.nanos(figure.published()),
                                    figure.ratio(),
                                    figure.then())));
        }
        for (Section.Verdict verdict : section.verdicts()) {
            out.println("  " + verdict.outcome().words + ": " + words(verdict));
        }
        section.notes().forEach(note -> out.println("  " + note));
    }

    static String words(Section.Verdict verdict) {
        String order = verdict.less()
                + (verdict.slack() == 1
                        ? " takes no longer than "
                        : " takes at most " + Labels.number(verdict.slack()) + " times as long as ")
                + verdict.more();
        if (verdict.rounds() == 0) {
            return order + ": no round has both";
        }
        return order + ": ratio " + Labels.number(verdict.median())
                + " ("
                + Labels.number(verdict.lower()) + " to " + Labels.number(verdict.upper()) + ", " + verdict.rounds()
                + " rounds)";
    }
}
