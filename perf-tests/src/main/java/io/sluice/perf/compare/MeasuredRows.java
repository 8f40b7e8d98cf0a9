package io.sluice.perf.compare;

import io.sluice.cli.Interruption;
import io.sluice.cli.Verb;
import io.sluice.perf.Pinning;
import io.sluice.perf.report.Glossary;
import io.sluice.perf.report.Head;
import io.sluice.perf.report.Machine;
import io.sluice.perf.report.Report;
import io.sluice.perf.report.RowResult;
import io.sluice.perf.report.TargetResult;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/** Measures rows on JDKs, one after the other, until all are done or Ctrl-C comes. */
public final class MeasuredRows {
    /** Exit status: a peer is better where Sluice was to be as good at least. */
    public static final int LOST = 3;

    /** Exit status: a quick run beside other programs, which says nothing. */
    public static final int NOT_JUDGED = 4;

    /**
     * The plan of a measurement.
     *
     * @param verb such as {@code sluice bench}
     * @param title of the report
     * @param command the exact command line
     * @param jdks on which JDKs
     * @param flags further flags of the contestants' JVMs
     * @param rows each row with those who take part
     * @param nearRounds how many near rounds each row needs
     * @param jvms how many JVMs each contestant has at least, if there are as many near rounds
     * @param quick whether it is a short run, which says nothing while other programs run
     * @param notes for the reader of each row
     */
    public record Plan(
            String verb,
            String title,
            String command,
            List<Path> jdks,
            List<String> flags,
            Map<Row, List<Visited>> rows,
            int nearRounds,
            int jvms,
            boolean quick,
            List<String> notes) {}

    /** Learns of each row as it is measured. */
    @FunctionalInterface
    public interface Listener {
        /**
         * A row was measured on a JDK.
         *
         * @param jdk its home
         * @param row the row
         * @param measurement all samples
         * @param result what they say
         * @throws Exception if what was found can not be written
         */
        void measured(Path jdk, Row row, Measurement measurement, RowResult result) throws Exception;
    }

    /** Reports the measurement. */
    @FunctionalInterface
    public interface Conclusion {
        /**
         * Writes and prints a report.
         *
         * @param report what was measured; not complete after Ctrl-C
         * @return an exit status
         * @throws Exception if the report can not be written
         */
        int of(Report report) throws Exception;
    }

    private final Plan plan;
    private final PrintStream out;
    private final Listener listener;

    private MeasuredRows(Plan plan, PrintStream out, Listener listener) {
        this.plan = plan;
        this.out = out;
        this.listener = listener;
    }

    /**
     * Measures. Ctrl-C ends the measurement, and the JVM then waits for the conclusion.
     *
     * @param plan what
     * @param out where the head goes
     * @param listener told of each row
     * @param conclusion told of what was measured
     * @return the conclusion's exit status
     * @throws Exception what a contestant, the listener or the conclusion threw
     */
    public static int measure(Plan plan, PrintStream out, Listener listener, Conclusion conclusion) throws Exception {
        AtomicReference<Driver> driving = new AtomicReference<>();
        try (Interruption interruption = Interruption.listening(plan.verb(), () -> {
            Driver driver = driving.get();
            if (driver != null) {
                driver.stop();
            }
        })) {
            return conclusion.of(new MeasuredRows(plan, out, listener).measure(interruption, driving));
        }
    }

    private Report measure(Interruption interruption, AtomicReference<Driver> driving) throws Exception {
        List<String> flags = Stream.concat(ChildProcess.FLAGS.stream(), plan.flags().stream())
                .toList();
        List<String> labels = plan.rows().values().stream()
                .flatMap(List::stream)
                .map(Visited::label)
                .toList();
        Machine machine = Machine.here(plan.jdks(), flags, plan.command(), Pinning.description(), labels);
        String date = Head.now();
        Head.print(machine, out);
        plan.notes().forEach(out::println);
        List<RowResult> results = new ArrayList<>();
        Band near = plan.rows().isEmpty() ? Band.NEIGHBOURS : Band.here(interruption::requested); // may take a minute
        out.println(near.description());
        TimeLeft left = new TimeLeft(plan.jdks().size() * plan.rows().size());
        for (int i = 0; i < plan.jdks().size() && !interruption.requested(); i++) {
            for (Row row : plan.rows().keySet()) {
                left.begin();
                Band band = row.band() == null ? near : row.band();
                Driver driver = driver(plan.jdks().get(i), band, left);
                driving.set(driver);
                if (interruption.requested()) {
                    driver.stop();
                }
                results.add(measure(driver, plan.jdks().get(i), i, machine, row, band));
                left.end();
                if (interruption.requested()) {
                    break;
                }
            }
        }
        return Report.of(plan.title(), date, !interruption.requested(), machine, results);
    }

    private Driver driver(Path jdk, Band band, TimeLeft left) {
        return new Driver(
                jdk,
                plan.flags(),
                Path.of(System.getProperty("java.io.tmpdir"), plan.verb().replace(' ', '-')),
                System.nanoTime(),
                band,
                line -> System.err.println(left + line));
    }

    private RowResult measure(Driver driver, Path jdk, int number, Machine machine, Row row, Band near)
            throws Exception {
        List<Visited> visited = plan.rows().getOrDefault(row, List.of());
        Measurement measurement = driver.measure(row, visited, plan.nearRounds(), plan.jvms());
        List<String> notes = new ArrayList<>(row.notes(measurement));
        notes.addAll(RowResults.toVariants(visited.stream().map(Visited::id).toList(), measurement));
        notes.addAll(plan.notes());
        notes.add(near.description());
        RowResult result = RowResults.of(
                row,
                visited,
                measurement,
                machine.jvms().get(number).name(),
                machine.cpu(),
                plan.nearRounds(),
                Published.shipped(),
                notes);
        RowResult judged = plan.quick() && machine.disturbed() ? result.notJudged() : result;
        listener.measured(jdk, row, measurement, judged);
        return judged;
    }

    /**
     * Prints the summary of a report.
     *
     * @param report what was measured
     * @param out where to
     * @return an exit status of {@link Verb}, {@link #LOST} or {@link #NOT_JUDGED}
     */
    public static int conclude(Report report, PrintStream out) {
        Glossary.print(report.glossary(), out);
        out.println();
        out.println(report.summary());
        if (!report.complete()) {
            out.println("stopped before the end: this is what there was by then");
            return Verb.INTERRUPTED;
        }
        int status = status(report.rows());
        out.println(
                switch (status) {
                    case Verb.DONE -> "every target between those that took part is held";
                    case LOST -> "not every target is held, and a peer is better than Sluice";
                    case NOT_JUDGED ->
                        TargetResult.Verdict.NOT_JUDGED + ", "
                                + report.machine().load();
                    default -> "not every target is held";
                });
        return status;
    }

    /**
     * The exit status of the rows together.
     *
     * @param results the rows
     * @return {@link #NOT_JUDGED} if a target has no verdict, since other programs ran, {@link #LOST} if a peer is better, else
     *     {@link Verb#CHECK_FAILED} if a target is not held, else {@link Verb#DONE}
     */
    static int status(List<RowResult> results) {
        if (results.stream().anyMatch(RowResult::unjudged)) {
            return NOT_JUDGED;
        }
        if (results.stream().anyMatch(RowResult::loses)) {
            return LOST;
        }
        return results.stream().allMatch(RowResult::holds) ? Verb.DONE : Verb.CHECK_FAILED;
    }

    /**
     * The file of published figures with those of a report in place of older ones.
     *
     * @param report what was measured
     * @return the file's text
     */
    public static String published(Report report) {
        Published published = Published.shipped();
        for (RowResult row : report.rows()) {
            published = published.with(
                    row.id(),
                    row.targets(),
                    row.jvm(),
                    report.machine().cpu(),
                    report.date().substring(0, "2026-11-23".length()));
        }
        return published.write();
    }

    /**
     * Rows with all their contestants.
     *
     * @param rows the rows
     * @return each with all who take part
     */
    public static Map<Row, List<Visited>> whole(List<Row> rows) {
        Map<Row, List<Visited>> whole = new LinkedHashMap<>();
        rows.forEach(row ->
                whole.put(row, row.entries().stream().map(Visited::shipped).toList()));
        return whole;
    }
}
