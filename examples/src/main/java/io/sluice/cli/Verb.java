package io.sluice.cli;

import java.util.List;

/**
 * One verb of the {@code ./sluice} launcher. A module adds a verb by a public class with a no-argument constructor and a
 * line in {@code META-INF/services/io.sluice.cli.Verb}: the class name, then {@code # name: summary}, or {@code ## name:
 * summary} for a verb for developers of Sluice. The launcher reads that comment, so that it can list the verbs, and find the
 * module to build, without starting Java. It prints the usage from {@code docs/verbs.md}.
 */
public interface Verb {
    /** Exit status: done. */
    int DONE = 0;

    /** Exit status: a check failed. */
    int CHECK_FAILED = 1;

    /** Exit status: bad input or usage; one line on standard error said what, where, and what is allowed. */
    int BAD_INPUT = 2;

    /** Exit status: interrupted by the user. */
    int INTERRUPTED = 130;

    /**
     * The word after {@code ./sluice}.
     *
     * @return lower-case letters only
     */
    String name();

    /**
     * The purpose of the verb.
     *
     * @return one short line
     */
    String summary();

    /**
     * Whether the verb is for developers of Sluice, not for its users or people who choose it.
     *
     * @return by default not
     */
    default boolean isForDevelopers() {
        return false;
    }

    /**
     * How the verb is used, printed for {@code --help}.
     *
     * @return usage and options, several lines
     */
    String usage();

    /**
     * Runs the verb. The last line on standard output is the verdict.
     *
     * @param arguments what follows the verb on the command line
     * @return the exit status
     * @throws UsageException on bad input; its message becomes the one line on standard error, the exit status is 2
     * @throws Exception on a fault of the program; printed with its stack trace, the exit status is 70
     */
    int run(List<String> arguments) throws Exception;
}
