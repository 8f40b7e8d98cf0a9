package io.sluice.examples.trial;

import io.sluice.cli.UsageException;
import io.sluice.cli.Verb;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/** {@code ./sluice trial}: back pressure between processes, with receivers that are slowed, stopped, frozen and killed. */
public final class TrialVerb implements Verb {
    private static final double MOST_SECONDS = 3_600;
    private static final double MOST_RATE = 10_000_000;
    private static final double RATE = 300_000;
    private static final int GROUP = 4;

    private final PrintStream out;

    /** Creates the verb on the process's standard output. */
    public TrialVerb() {
        this(System.out);
    }

    TrialVerb(PrintStream out) {
        this.out = out;
    }

    @Override
    public String name() {
        return "trial";
    }

    @Override
    public String summary() {
        return "send between processes over UDP while receivers are slowed, stopped, frozen and killed";
    }

    @Override
    public String usage() {
        return String.format(Locale.ROOT, """
                usage: ./sluice trial [--seconds N] [--rate R] [--seed S]

                A sender and receivers in processes of their own, over UDP loopback. Receivers are slowed and paused in
                code, frozen (SIGSTOP, SIGCONT) and killed (SIGKILL), at random moments. Three runs of the same length: one
                receiver with NAKs, the same without, and %d receivers on multicast, one of which dies.

                --seconds N   how long each run is, 2 to %.0f, 60 unless given. Runs of 60 and more must reach 200000
                              messages a second, with 20 slowdowns and stops
                --rate R      messages a second that the sender wants to send, 1000 to %.0f, %.0f unless given
                --seed S      of what happens when, a whole number. Drawn and printed unless given

                Exit status: 0 if all checks hold, 1 if not, 2 on wrong usage.
                """, GROUP, MOST_SECONDS, MOST_RATE, RATE);
    }

    @Override
    public int run(List<String> arguments) throws Exception {
        double seconds = 60;
        double rate = RATE;
        long seed = new SplittableRandom().nextLong();
        for (int i = 0; i < arguments.size(); i += 2) {
            String option = arguments.get(i);
            if (!List.of("--seconds", "--rate", "--seed").contains(option)) {
                throw new UsageException(
                        "each argument must be --seconds, --rate or --seed, but one was '" + option + "'");
            }
            if (i + 1 == arguments.size()) {
                throw new UsageException(option + " must have a value, but none follows");
            }
            String value = arguments.get(i + 1);
            switch (option) {
                case "--seconds" -> seconds = number(option, value, 2, MOST_SECONDS);
                case "--rate" -> rate = number(option, value, 1_000, MOST_RATE);
                default -> seed = seed(value);
            }
        }
        long nanos = (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        out.println("seed " + seed);
        int passed = 0;
        int failed = 0;
        for (Trial.Settings settings : List.of(
                new Trial.Settings(1, true, rate, nanos, seed),
                new Trial.Settings(1, false, rate, nanos, seed),
                new Trial.Settings(GROUP, true, rate, nanos, seed))) {
            for (Trial.Finding finding : new Trial(settings, out).run()) {
                passed += finding.holds() ? 1 : 0;
                failed += finding.holds() ? 0 : 1;
            }
        }
        out.println(String.format(Locale.ROOT, "%ntrial: %d passed, %d failed, 0 skipped", passed, failed));
        out.flush();
        return failed == 0 ? DONE : CHECK_FAILED;
    }

    private static double number(String option, String value, double least, double most) throws UsageException {
        try {
            double number = Double.parseDouble(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new UsageException(
                String.format(Locale.ROOT, "%s must be from %.0f to %.0f, but was '%s'", option, least, most, value));
    }

    private static long seed(String value) throws UsageException {
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new UsageException("--seed must be a whole number of 64 bits, but was '" + value + "'");
        }
    }
}
