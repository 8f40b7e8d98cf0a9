package io.sluice.perf.jmh;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.perf.MeasurementLock;
import io.sluice.perf.report.Machine;
import java.io.PrintStream;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.NoBenchmarksException;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** {@code ./sluice jmh}: the single operations of the ring under JMH, with the bytes that each allocates. */
public final class Jmh implements Verb {
    private static final String OWN = "io\\.sluice\\.";
    private static final String LIBRARY = "library";
    private static final String ALLOCATED = "gc.alloc.rate.norm";
    /** Bytes an operation: JMH's own allocations beside it stay below. */
    private static final double MOST_BYTES = 0.01;

    private static final int ITERATIONS = 5;

    /** An access has to be this many times as fast as the peer's. */
    private static final double AIM = 0.9;

    /** For the service loader. */
    public Jmh() {}

    @Override
    public String name() {
        return "jmh";
    }

    @Override
    public String summary() {
        return "time the ring's single operations with JMH and count what they allocate";
    }

    @Override
    public boolean isForDevelopers() {
        return true;
    }

    @Override
    public String usage() {
        return """
                usage: ./sluice jmh [ARGUMENTS OF JMH]

                Runs the JMH benchmarks of the ring's single operations: claim, publish, poll, read of a barrier; and of the accesses
                to a buffer, ours and Agrona's, with the ratio of each. The arguments are JMH's own, such as a regular expression of
                the benchmarks' names, -f FORKS, -wi and -i ITERATIONS, -w and -r SECONDS, -prof PROFILER, -rf json -rff FILE, or -l
                to list them. Unless given: all benchmarks, -prof gc, 1 fork, %d and %d iterations of 1 s. Each ratio says held if it is
                %s or more, else missed; that does not change the exit status.

                On a JDK that allows no atomic access to arrays, such as 25, BufferAccess needs -p memory=DIRECT.
                The same benchmarks are in perf-tests/target/benchmarks.jar after mvn package.

                Exit status: 0 no operation allocated; 1 one did, or failed; 2 bad usage, or another measurement runs.
                """.formatted(ITERATIONS, ITERATIONS, AIM);
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        CommandLineOptions given;
        try {
            given = new CommandLineOptions(arguments.toArray(new String[0]));
        } catch (CommandLineOptionException e) {
            throw new UsageException(e.getMessage() + "; ./sluice jmh --help says more");
        }
        if (given.shouldList()) {
            new Runner(options(given)).list();
            return DONE;
        }
        if (given.shouldListWithParams()) {
            new Runner(options(given)).listWithParams(given);
            return DONE;
        }
        if (given.shouldListProfilers()) {
            given.listProfilers();
            return DONE;
        }
        String command = ("./sluice jmh " + String.join(" ", arguments)).strip();
        MeasurementLock lock = MeasurementLock.take(command);
        try {
            System.out.println(Machine.own(command, "", List.of()).load());
            Collection<RunResult> results = new Runner(options(given)).run();
            ratios(results, System.out);
            return verdict(results, System.out);
        } catch (NoBenchmarksException e) {
            throw new UsageException(
                    "PATTERN must name a benchmark, but none is called so; ./sluice jmh -l lists them");
        } finally {
            lock.close();
        }
    }

    /** The given options, and defaults for the rest. */
    static Options options(CommandLineOptions given) {
        ChainedOptionsBuilder options = new OptionsBuilder().parent(given);
        if (given.getIncludes().isEmpty()) {
            options.include(OWN).exclude(AllocatingControl.class.getName()).exclude(OperationLoop.class.getName());
        }
        if (given.getProfilers().isEmpty()) {
            options.addProfiler(GCProfiler.class);
        }
        if (!given.getForkCount().hasValue()) {
            options.forks(1);
        }
        if (!given.getWarmupIterations().hasValue()) {
            options.warmupIterations(ITERATIONS);
        }
        if (!given.getWarmupTime().hasValue()) {
            options.warmupTime(TimeValue.seconds(1));
        }
        if (!given.getMeasurementIterations().hasValue()) {
            options.measurementIterations(ITERATIONS);
        }
        if (!given.getMeasurementTime().hasValue()) {
            options.measurementTime(TimeValue.seconds(1));
        }
        if (!given.shouldFailOnError().hasValue()) {
            options.shouldFailOnError(true);
        }
        return options.build();
    }

    /**
     * Prints how many times as fast as the peer ours is, for each operation that was measured with both, and whether that reaches the aim.
     */
    static void ratios(Collection<RunResult> results, PrintStream out) {
        Map<String, Double> peer = new TreeMap<>();
        Map<String, Double> ours = new TreeMap<>();
        for (RunResult result : results) {
            BenchmarkParams params = result.getParams();
            if (params.getParamsKeys().contains(LIBRARY)) {
                StringBuilder name = new StringBuilder(params.getBenchmark().replaceFirst(".*\\.", ""));
                params.getParamsKeys().stream()
                        .filter(key -> !key.equals(LIBRARY))
                        .forEach(key -> name.append(' ').append(params.getParam(key)));
                (params.getParam(LIBRARY).equals("sluice") ? ours : peer)
                        .put(name.toString(), result.getPrimaryResult().getScore());
            }
        }
        ours.forEach((name, nanos) -> {
            Double theirs = peer.get(name);
            if (theirs != null) {
                out.println(String.format(
                        Locale.ROOT,
                        "%-36s sluice %7.3f ns, agrona %7.3f ns: %.2f times as fast, %s",
                        name,
                        nanos,
                        theirs,
                        theirs / nanos,
                        judged(theirs / nanos)));
            }
        });
    }

    static String judged(double ratio) {
        return ratio >= AIM ? "held" : "missed";
    }

    /** Says which operations allocated. An operation whose allocation was not counted, under other profilers, is skipped. */
    static int verdict(Collection<RunResult> results, PrintStream out) {
        int passed = 0;
        int failed = 0;
        int skipped = 0;
        for (RunResult result : results) {
            Result<?> allocated = result.getSecondaryResults().get(ALLOCATED);
            if (allocated == null) {
                skipped++;
            } else if (allocated.getScore() < MOST_BYTES) {
                passed++;
            } else {
                failed++;
                out.println(String.format(
                        Locale.ROOT,
                        "%s must allocate less than %.2f bytes an operation, but allocated %.3f",
                        result.getParams().getBenchmark(),
                        MOST_BYTES,
                        allocated.getScore()));
            }
        }
        out.println(passed + " passed, " + failed + " failed, " + skipped + " skipped");
        return failed == 0 ? DONE : CHECK_FAILED;
    }
}
