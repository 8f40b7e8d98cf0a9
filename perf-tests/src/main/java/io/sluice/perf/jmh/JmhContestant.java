package io.sluice.perf.jmh;

import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.report.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * A contestant whose single operation JMH times, in one thread: each sample is one iteration of JMH's loop. JMH starts no JVM for it, since
 * a contestant has one for itself already, which stays warm between the samples of a round; its flags tell the compiler the same as the
 * flags of JMH's own forks. The figure is nanoseconds an operation. JMH counts its calls, and the operation has to have as many.
 */
public final class JmhContestant implements Contestant {
    /**
     * The flags that JMH gives its own forks. They tell the compiler that a value given to JMH is used, and that its loop is a method for
     * itself.
     */
    private static final List<String> FLAGS = List.of(
            "-XX:CompileCommand=quiet",
            "-XX:+UnlockExperimentalVMOptions",
            "-DcompilerBlackholesEnabled=true",
            "-XX:CompileCommand=blackhole,org/openjdk/jmh/infra/Blackhole.consumeCompiler",
            "-XX:CompileCommand=dontinline,org/openjdk/jmh/infra/Blackhole.consume",
            "-XX:CompileCommand=dontinline,io/sluice/perf/jmh/jmh_generated/*.*_jmhStub",
            "-XX:CompileCommand=inline,io/sluice/perf/jmh/OperationLoop.operation");

    private static final String LOOP = "^\\Q" + OperationLoop.class.getName() + ".operation\\E$";

    /** Other processes of JMH are kept away by the lock of all measurements. */
    private static final String IGNORE_LOCK = "jmh.ignoreLock";

    /** The operation that is timed. One thread makes and checks it. Another one runs it, and has ended before the check. */
    public interface Operation {
        /** Does nothing. */
        Operation NONE = new Operation() {
            @Override
            public long run() {
                return 0;
            }

            @Override
            public void check(long operations) {
                // there is nothing to look at
            }
        };

        /**
         * Runs once.
         *
         * @return what the compiler must not leave out
         * @throws Exception what it throws; the sample fails then
         */
        long run() throws Exception;

        /**
         * Checks the sums after a sample.
         *
         * @param operations how many there were in it
         * @throws IllegalStateException if something was lost, doubled or changed
         */
        void check(long operations);
    }

    private final Supplier<? extends Operation> operations;
    private final int each;

    /**
     * Creates one.
     *
     * @param operations gives the operation of a sample, the same one or a new one
     * @param each how many operations a run of it has, 1 or more
     */
    public JmhContestant(Supplier<? extends Operation> operations, int each) {
        this.operations = operations;
        this.each = each;
        System.setProperty(IGNORE_LOCK, "true");
    }

    /** Makes an operation. */
    @FunctionalInterface
    public interface Maker {
        /**
         * Makes it.
         *
         * @return the supplier of the operation of each sample
         * @throws Exception if it can not be made
         */
        Supplier<? extends Operation> make() throws Exception;
    }

    /**
     * An entry of a row.
     *
     * @param id short and unique in the row
     * @param label for people
     * @param maker makes the operations, in the contestant's own JVM
     * @param each how many operations a run has
     * @param flags further flags of its JVM
     * @return the entry, whose JVM has the flags that JMH wants
     */
    public static Entry entry(String id, String label, Maker maker, int each, List<String> flags) {
        List<String> all = new ArrayList<>(FLAGS);
        all.addAll(flags);
        return new Entry(id, label, Role.PEER, () -> new JmhContestant(maker.make(), each), all);
    }

    /**
     * Whether JMH times it.
     *
     * @param entry of a row
     * @return whether {@link #entry} made it
     */
    public static boolean times(Entry entry) {
        return entry.flags().containsAll(FLAGS);
    }

    @Override
    public double sample(long nanos) throws Exception {
        Operation operation = operations.get();
        OperationLoop.next(operation);
        RunResult result = new Runner(new OptionsBuilder()
                        .include(LOOP)
                        .forks(0)
                        .threads(1)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.nanoseconds(nanos))
                        .operationsPerInvocation(each)
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .runSingle();
        long all = 0;
        for (BenchmarkResult benchmark : result.getBenchmarkResults()) {
            for (IterationResult iteration : benchmark.getIterationResults()) {
                all += iteration.getMetadata().getAllOps();
            }
        }
        operation.check(all);
        return result.getPrimaryResult().getScore();
    }

    @Override
    public int warmUps() {
        return 6; // the loop is compiled in the first of them
    }
}
