package io.sluice.perf.bench;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import io.sluice.perf.aeron.AeronRows;
import io.sluice.perf.aeron.StoppedSubscriber;
import io.sluice.perf.backpressure.LimiterSuite;
import io.sluice.perf.batching.BatchingBench;
import io.sluice.perf.batching.JournalBench;
import io.sluice.perf.compare.Alternation;
import io.sluice.perf.compare.Comparison;
import io.sluice.perf.compare.Row;
import io.sluice.perf.dropin.DropInBench;
import io.sluice.perf.ordered.OrderedRows;
import io.sluice.perf.records.RecordsBench;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code ./sluice bench}: Sluice and its peers on the same work in the same run. */
public final class Bench implements Verb {
    private static final long RATE_ERROR_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** For the service loader. */
    public Bench() {}

    @Override
    public String name() {
        return "bench";
    }

    @Override
    public String summary() {
        return "compare Sluice with its peers on the same work in the same run";
    }

    @Override
    public String usage() {
        return Comparison.usage() + Alternation.usage() + DropInBench.usage() + BatchingBench.usage() + "\n"
                + JournalBench.usage() + "\n" + RecordsBench.usage() + "\n" + StoppedSubscriber.usage();
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        String what = arguments.isEmpty() ? "" : arguments.get(0);
        List<String> rest = arguments.isEmpty() ? arguments : arguments.subList(1, arguments.size());
        return switch (what) {
            case Row.COMPARE -> Comparison.run(what, rest, System.out, out -> true);
            case LimiterSuite.NAME ->
                Comparison.run(what, rest, System.out, out -> LimiterSuite.rateErrors(out, RATE_ERROR_NANOS));
            case OrderedRows.SUITE, AeronRows.SUITE -> Comparison.run(what, rest, System.out, out -> true);
            case Alternation.SUITE -> Alternation.run(rest, System.out);
            case DropInBench.NAME -> DropInBench.run(rest, System.out);
            case "batching" -> BatchingBench.run(rest, System.out);
            case "journal" -> JournalBench.run(rest, System.out);
            case StoppedSubscriber.NAME -> StoppedSubscriber.run(rest, System.out);
            case "records" -> RecordsBench.run(rest, System.out);
            default ->
                throw new UsageException(
                        "what to compare must be one of compare, limiter, ordered, aeron, lmax-perftest, batching, journal, records, drop-in, aeron-stop, but "
                                + (what.isEmpty() ? "is missing" : "was '" + what + "'"));
        };
    }
}
