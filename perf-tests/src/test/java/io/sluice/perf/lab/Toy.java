package io.sluice.perf.lab;

import io.sluice.cli.Interruption;
import io.sluice.perf.Pinning;
import io.sluice.perf.compare.Band;
import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Driver;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.compare.Visited;
import io.sluice.perf.report.Machine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The experiments at toy size, as a program: so that a test can give it one core, little memory, or no right to bind threads. Ends with
 * the lab's exit status.
 */
final class Toy {
    /** Those whose contestants need a JVM of their own. */
    static final Set<String> APART = Set.of("memory", "blobs", "pauses");

    private static final long NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(5);
    private static final Experiment.Size SIZE = new Experiment.Size(1, 1);

    private Toy() {}

    /** Two samples of a contestant, and its last check. On a busy machine a sample may see nothing; then the next one is longer. */
    static void run(Entry entry) throws Exception {
        Contestant contestant = entry.maker().make();
        for (int i = 0; i < 2; i++) {
            double figure = contestant.sample(NANOS);
            for (long nanos = 4 * NANOS; figure == 0 && nanos < LONGEST; nanos *= 4) {
                figure = contestant.sample(nanos);
            }
            if (!(figure > 0) || Double.isInfinite(figure)) {
                throw new IllegalStateException(entry.id() + " must give a figure, but gave " + figure);
            }
        }
        contestant.finish();
    }

    /** A folder for the logs, how many MiB of memory there are, and the names of experiments. */
    public static void main(String[] arguments) throws Exception {
        System.out.println(Pinning.description());
        Settings.choose(8, false);
        Settings.room(Long.parseLong(arguments[1]) << 20);
        Settings.jobs(5_000);
        Settings.trades(5_000);
        List<Topic> apart = new ArrayList<>();
        for (String name : List.of(arguments).subList(2, arguments.length)) {
            Experiment experiment = Experiments.ALL.stream()
                    .filter(one -> one.name().equals(name))
                    .findFirst()
                    .orElseThrow();
            if (APART.contains(name)) {
                apart.add(experiment);
            } else {
                for (Entry entry : Fit.of(experiment, Settings.room()).entries()) {
                    run(entry);
                }
                System.out.println(name + " ran");
            }
        }
        Lab.Result result = Lab.measure(
                apart,
                SIZE,
                true,
                Machine.own("a test", Pinning.description(), List.of()),
                (experiment, size) -> driver(Path.of(arguments[0]))
                        .measure(
                                experiment.row(),
                                Fit.of(experiment, Settings.room()).entries().stream()
                                        .map(Visited::shipped)
                                        .toList(),
                                size.rounds(),
                                size.jvms()),
                new Interruption("toy"));
        System.exit(Lab.status(result));
    }

    private static Driver driver(Path logs) {
        List<String> flags = new ArrayList<>(
                List.of("-XX:-AlwaysPreTouch", "-XX:TieredStopAtLevel=1", "-Dsluice.perf.warmUpMillis=2"));
        flags.addAll(Settings.flags());
        return new Driver(
                Path.of(System.getProperty("java.home")), flags, logs, 1, new Band(0, Double.MAX_VALUE), line -> {});
    }
}
