package io.sluice.examples.soak;

import io.sluice.cli.Interruption;
import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** {@code ./sluice soak}: random graphs for as long as it is given, with every event counted at every consumer. */
public final class SoakVerb implements Verb {
    private static final double MOST_MINUTES = 10_080;
    private static final long PROGRESS_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final PrintStream out;
    private final PrintStream err;

    /** Creates the verb on the process's standard output and standard error. */
    public SoakVerb() {
        this(System.out, System.err);
    }

    SoakVerb(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    @Override
    public String name() {
        return "soak";
    }

    @Override
    public String summary() {
        return "run random graphs for minutes or days and count what is lost or doubled";
    }

    @Override
    public String usage() {
        return String.format(Locale.ROOT, """
                usage: ./sluice soak [--minutes N] [--seed S] [--counters FILE]

                Runs rings with random capacities, producers, graphs of consumers and idle strategies, one after another;
                consumers join, leave, pause, skip, retry, rewind and die, producers abort. Every consumer keeps a sum
                for every producer, and every event's number is followed.

                --minutes N   how long, more than 0, to %.0f, 1 unless given; fractions are allowed
                --seed S      of the graphs and the planned failures, a whole number; the interleaving is the machine's.
                              Drawn and printed unless given
                --counters FILE
                              writes the figures of the ring under way to FILE, for ./sluice stat FILE

                Ends with what was lost, doubled, out of order, torn, and the seed. Exit status: 0 if all of it is zero,
                1 if not, 2 on wrong usage; 130 on Ctrl-C, with the report so far.
                """, MOST_MINUTES);
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        double minutes = 1;
        long seed = new SplittableRandom().nextLong();
        @Nullable String counters = null;
        for (int i = 0; i < arguments.size(); i += 2) {
            String option = arguments.get(i);
            if (!option.equals("--minutes") && !option.equals("--seed") && !option.equals("--counters")) {
                throw new UsageException(
                        "each argument must be --minutes, --seed or --counters, but one was '" + option + "'");
            }
            if (i + 1 == arguments.size()) {
                throw new UsageException(option + " must have a value, but none follows");
            }
            String value = arguments.get(i + 1);
            if (option.equals("--minutes")) {
                minutes = minutes(value);
            } else if (option.equals("--counters")) {
                counters = value;
            } else {
                seed = seed(value);
            }
        }
        try (Interruption interruption = Interruption.listening("sluice soak", () -> {});
                SoakCounters file = counters == null ? null : open(counters)) {
            return run((long) (minutes * TimeUnit.MINUTES.toNanos(1)), seed, interruption, file);
        }
    }

    private static SoakCounters open(String file) throws UsageException {
        try {
            return new SoakCounters(Path.of(file));
        } catch (IOException | InvalidPathException e) {
            throw new UsageException("--counters: '" + file + "' can not be written: " + e);
        }
    }

    private static double minutes(String value) throws UsageException {
        try {
            double minutes = Double.parseDouble(value);
            if (minutes > 0 && minutes <= MOST_MINUTES) {
                return minutes;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw new UsageException(String.format(
                Locale.ROOT, "--minutes must be above 0 and at most %.0f, but was '%s'", MOST_MINUTES, value));
    }

    private static long seed(String value) throws UsageException {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new UsageException("--seed must be a whole number of 64 bits, but was '" + value + "'");
        }
    }

    /** Runs rounds until the time is over or somebody asks it to end; a round under way is brought to its end. */
    int run(long nanos, long seed, Interruption interruption) throws InterruptedException {
        return run(nanos, seed, interruption, null);
    }

    private int run(long nanos, long seed, Interruption interruption, @Nullable SoakCounters counters)
            throws InterruptedException {
        long begin = System.nanoTime();
        long said = begin;
        Tally tally = new Tally();
        SplittableRandom seeds = new SplittableRandom(seed);
        do {
            Round round = new Round(
                    seeds.nextLong(), () -> interruption.requested() || System.nanoTime() - begin >= nanos, tally);
            if (counters != null) {
                counters.show(round.ring());
            }
            round.run();
            if (System.nanoTime() - said >= PROGRESS_NANOS) {
                said = System.nanoTime();
                err.println(String.format(
                        Locale.ROOT,
                        "sluice soak: %d minutes, %d rounds, %d wrong",
                        TimeUnit.NANOSECONDS.toMinutes(said - begin),
                        tally.rounds,
                        tally.wrong()));
            }
        } while (!interruption.requested() && System.nanoTime() - begin < nanos);
        if (interruption.requested()) {
            out.println("interrupted");
        }
        out.print(tally.report(seed, (System.nanoTime() - begin) / 1e9));
        out.println(tally.rounds - tally.failedRounds + " passed, " + tally.failedRounds + " failed, 0 skipped");
        out.flush();
        if (interruption.requested()) {
            return INTERRUPTED;
        }
        return tally.wrong() == 0 ? DONE : CHECK_FAILED;
    }
}
