package io.sluice.perf.lab;

import io.sluice.cli.Interruption;
import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.perf.Arguments;
import io.sluice.perf.MeasurementLock;
import io.sluice.perf.Pinning;
import io.sluice.perf.batching.Check;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code ./sluice lab}: the experiments that the design rests on, on this machine. */
public final class Lab implements Verb {
    private static final String FULL = "--full";
    private static final String TITLE = "The lab: old experiments on this machine";
    private static final String EVERYTHING = "all";

    private static final String LIVE = "--live";

    /** All that the lab can show, in the order in which it is listed. */
    static final List<Topic> TOPICS =
            Stream.<Topic>concat(Experiments.ALL.stream(), Roofed.ALL.stream()).toList();

    /** Small, since all contestants of a row live at the same time. */
    private static final List<String> FLAGS =
            List.of("-Xms192m", "-Xmx192m", "-XX:-AlwaysPreTouch", "-XX:MaxDirectMemorySize=1g");

    /** Every round is measured; its own distances decide whether it counts. */
    private static final Band ANY = new Band(0, Double.MAX_VALUE);

    private static final long SEED = 1;
    private static final int LEAST_LIVE_MIB = 8;

    /**
     * The results of a run.
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
                JMH times single operations of one thread, by one iteration in each visit; the notes say which. Every contestant
                checks its sums. Some orders must hold on any machine; one that three of four rounds contradict is measured once more.
                batching and journal are the benches of that name, with their tables and checks; they, records and ordered have a
                verb of their own too, with more options: ./sluice bench.

                  NAME         one of %s
                  --quick      6 rounds in 1 JVM (15 rounds in 3 unless said otherwise)
                  --full       40 rounds in 8 JVMs; without --quick, memory has a table of half of the free memory too, of
                               8 GiB at most
                  --live MIB   so much lives in blobs, 8 to %d (default %d)
                  --html OUT   write a page with a plot for each experiment to the file OUT
                  --json OUT   write every figure to the file OUT

                Exit status: 0 all sums are right, and no order or check was contradicted twice; 1 otherwise; 2 bad usage, or another
                measurement runs; 130 on Ctrl-C, with what there is by then.
                """.formatted(twoLines(), Settings.MOST_LIVE_MIB, Settings.DEFAULT_LIVE_MIB);
    }

    /** All names for the help, where one line is too short for them. */
    private static String twoLines() {
        String all = names();
        int comma = all.indexOf(',', all.length() / 2);
        return all.substring(0, comma + 1) + "\n              " + all.substring(comma + 1);
    }

    private static String names() {
        return TOPICS.stream().map(Topic::name).collect(Collectors.joining(", "));
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        List<String> named = arguments.stream()
                .takeWhile(argument -> !argument.startsWith("--"))
                .toList();
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
        List<Topic> chosen = chosen(named);
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
                        Fit.of(experiment, Settings.room()).entries().stream()
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
            return status(result);
        } finally {
            lock.close();
        }
    }

    /** The exit status of the verb. */
    static int status(Result result) {
        if (!result.complete()) {
            return INTERRUPTED;
        }
        return result.experiments().stream().allMatch(Section::isSound) ? DONE : CHECK_FAILED;
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

    private static List<Topic> chosen(List<String> named) throws UsageException {
        if (named.equals(List.of(EVERYTHING))) {
            return TOPICS;
        }
        List<Topic> chosen = new ArrayList<>();
        for (String name : named) {
            chosen.add(TOPICS.stream()
                    .filter(topic -> topic.name().equals(name))
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
        for (Topic topic : TOPICS) {
            quick += topic.seconds(Experiment.Size.QUICK);
            usual += topic.seconds(Experiment.Size.USUAL);
            full += topic.seconds(Experiment.Size.FULL);
            out.println(line(
                    topic.name(),
                    topic.seconds(Experiment.Size.QUICK),
                    topic.seconds(Experiment.Size.USUAL),
                    topic.seconds(Experiment.Size.FULL),
                    topic.title()));
        }
        out.println(line(EVERYTHING, quick, usual, full, "one after the other"));
    }

    private static String line(String name, long quick, long usual, long full, String what) {
        return String.format(Locale.ROOT, "%-14s %6d s %6d s %6d s  %s", name, quick, usual, full, what);
    }

    /**
     * Measures one experiment after the other. One that contradicts an order is measured once more. One that fails does not end the others.
     */
    static Result measure(
            List<? extends Topic> topics,
            Experiment.Size size,
            boolean quick,
            Machine machine,
            Measuring bench,
            Interruption interruption)
            throws InterruptedException {
        String date = Head.now();
        List<Section> sections = new ArrayList<>();
        for (Topic topic : topics) {
            if (interruption.requested()) {
                break;
            }
            Section section = section(topic, size, machine.command(), bench, false, interruption);
            if (section.isContradicted() && !interruption.requested()) {
                section = section(topic, size, machine.command(), bench, true, interruption);
            }
            print(section, System.out);
            sections.add(section);
        }
        return new Result(TITLE, date, quick, !interruption.requested(), summary(sections), machine, sections);
    }

    private static Section section(
            Topic topic,
            Experiment.Size size,
            String command,
            Measuring bench,
            boolean repeated,
            Interruption interruption)
            throws InterruptedException {
        try {
            if (topic instanceof Experiment experiment) {
                return Section.of(experiment, bench.measure(experiment, size), Contended.CORES, repeated);
            }
            Roofed roofed = (Roofed) topic;
            System.err.println(roofed.name() + ": about " + roofed.seconds(size) + " s");
            return Section.of(roofed, roofed.find(size, command, interruption), repeated);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) { // whatever it is, the others are measured all the same
            return Section.failed(topic, e.toString());
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
        long checks =
                sections.stream().mapToLong(section -> section.checks().size()).sum();
        long held = sections.stream()
                .flatMap(section -> section.checks().stream())
                .filter(Check::holds)
                .count();
        return sections.size() + " experiments; of " + orders + " orders that must hold, " + hold + " hold"
                + (checks == 0 ? "" : "; of " + checks + " checks of benches, " + held + " hold")
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
        section.tables().forEach(table -> table.print(out));
        section.checks().forEach(check -> out.println("  " + (check.holds() ? "holds: " : "FAILS: ") + check.what()));
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
