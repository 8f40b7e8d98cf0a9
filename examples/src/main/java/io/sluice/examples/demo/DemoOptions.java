package io.sluice.examples.demo;

import io.sluice.cli.UsageException;
import io.sluice.examples.generator.SessionGenerator;
import io.sluice.examples.ordered.OrderedWorkers;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The options of {@code ./sluice demo}.
 *
 * @param file the input, or null for a generated session
 * @param rate messages a second, or 0 if none is given
 * @param fullSpeed whether the only run is as fast as messages are handled
 * @param force whether the journal is forced to the device
 * @param json where the figures go, or null
 * @param books where the table of books goes, or null
 * @param journal the folder that the journal stays in, or null for a temporary one
 * @param risk threads that check the risk, or 0 for no check
 * @param slow whether the subscriber is slow
 * @param withoutNaks whether a slow subscriber says nothing
 * @param aeron whether it goes by Aeron to subscribers in processes of their own
 * @param bytes whether the ring is one of bytes
 * @param generate where a generated session goes instead of being run, or null
 * @param messages the messages of a generated session
 * @param seed the seed of a generated session
 */
record DemoOptions(
        @Nullable String file,
        long rate,
        boolean fullSpeed,
        boolean force,
        @Nullable Path json,
        @Nullable Path books,
        @Nullable Path journal,
        int risk,
        boolean slow,
        boolean withoutNaks,
        boolean aeron,
        boolean bytes,
        @Nullable Path generate,
        long messages,
        long seed) {
    /** The highest rate that may be asked for: above it, a clock tick matters. */
    static final long MAX_RATE = 10_000_000;

    /** The longest session that is generated into memory. */
    static final long MAX_MESSAGES_IN_MEMORY = 10_000_000;

    /** The rate of the first of two runs, messages a second: two shared cores sustain it. */
    static final long FIRST_RATE = 20_000;

    /** The messages of the first of two runs at most: 8 seconds. */
    static final long FIRST_MESSAGES = 8 * FIRST_RATE;

    /** Whether there are two runs: one that shows latency, then one at full speed. A slow subscriber is for full speed. */
    boolean runsTwice() {
        return rate == 0 && !fullSpeed && !slow;
    }

    /** Reads the arguments. */
    static DemoOptions parse(List<String> arguments) throws UsageException {
        Parser parser = new Parser(arguments);
        parser.parse();
        return parser.options();
    }

    /** The arguments on their way to options. */
    private static final class Parser {
        private final List<String> arguments;
        private final Set<String> seen = new LinkedHashSet<>();
        private int next;
        private @Nullable String file;
        private @Nullable Path json;
        private @Nullable Path books;
        private @Nullable Path journal;
        private @Nullable Path generate;
        private long rate;
        private int risk;
        private long messages = SessionGenerator.DEFAULT_MESSAGES;
        private long seed = SessionGenerator.DEFAULT_SEED;

        Parser(List<String> arguments) {
            this.arguments = arguments;
        }

        void parse() throws UsageException {
            while (next < arguments.size()) {
                String argument = arguments.get(next);
                next++;
                if (!argument.startsWith("-")) {
                    file(argument);
                    continue;
                }
                if (!seen.add(argument)) {
                    throw new UsageException(argument + " must be given once, but was given twice");
                }
                switch (argument) {
                    case "--rate" -> rate = number(argument, 1, MAX_RATE);
                    case "--json" -> json = path(argument, value(argument));
                    case "--books" -> books = path(argument, value(argument));
                    case "--journal" -> journal = path(argument, value(argument));
                    case "--risk" -> risk = (int) number(argument, 0, OrderedWorkers.MAX_WORKERS);
                    case "--slow", "--without-naks", "--full-speed", "--no-force", "--aeron", "--bytes" -> {
                        // looked up in the set of those seen
                    }
                    case "--generate" -> generate = path(argument, value(argument));
                    case "--messages" -> messages = number(argument, 1, SessionGenerator.MAX_MESSAGES);
                    case "--seed" -> seed = number(argument, Long.MIN_VALUE, Long.MAX_VALUE);
                    default ->
                        throw new UsageException(
                                "each option must be one that ./sluice demo --help lists, but one was '" + argument
                                        + "'");
                }
            }
        }

        DemoOptions options() throws UsageException {
            if (seen.contains("--without-naks") && !seen.contains("--slow") && generate == null) {
                throw new UsageException("--without-naks must be used with --slow, but that is not given");
            }
            if (seen.contains("--full-speed") && seen.contains("--rate")) {
                throw new UsageException("--full-speed must not be used with --rate, but both are given");
            }
            if (seen.contains("--aeron")) {
                for (String other : seen) {
                    if (!List.of("--aeron", "--messages", "--seed").contains(other)) {
                        throw new UsageException(other + " must not be used with --aeron, but both are given");
                    }
                }
            }
            if (seen.contains("--bytes")) {
                for (String other : List.of("--risk", "--slow")) {
                    if (seen.contains(other)) {
                        throw new UsageException(other + " must not be used with --bytes, but both are given");
                    }
                }
            }
            if (generate != null) {
                for (String other : List.of(
                        "--rate",
                        "--full-speed",
                        "--no-force",
                        "--json",
                        "--books",
                        "--journal",
                        "--risk",
                        "--slow",
                        "--without-naks",
                        "--bytes")) {
                    if (seen.contains(other)) {
                        throw new UsageException(other + " must not be used with --generate, but both are given");
                    }
                }
                if (file != null) {
                    throw new UsageException("FILE must not be used with --generate, but is '" + file + "'");
                }
            } else if (file != null) {
                for (String other : List.of("--messages", "--seed")) {
                    if (seen.contains(other)) {
                        throw new UsageException(
                                other + " must be used with a generated session, but FILE is '" + file + "'");
                    }
                }
            } else if (messages > MAX_MESSAGES_IN_MEMORY) {
                throw new UsageException(String.format(
                        Locale.ROOT,
                        "--messages must be at most %d to be kept in memory, but was %d; --generate FILE writes more",
                        MAX_MESSAGES_IN_MEMORY,
                        messages));
            }
            return new DemoOptions(
                    file,
                    rate,
                    seen.contains("--full-speed"),
                    !seen.contains("--no-force"),
                    json,
                    books,
                    journal,
                    risk,
                    seen.contains("--slow"),
                    seen.contains("--without-naks"),
                    seen.contains("--aeron"),
                    seen.contains("--bytes"),
                    generate,
                    messages,
                    seed);
        }

        private void file(String argument) throws UsageException {
            if (file != null) {
                throw new UsageException("FILE must be one, but '" + file + "' and '" + argument + "' are given");
            }
            path("FILE", argument);
            file = argument;
        }

        private String value(String option) throws UsageException {
            if (next == arguments.size()) {
                throw new UsageException(option + " must have a value, but none follows");
            }
            String value = arguments.get(next);
            next++;
            return value;
        }

        private Path path(String option, String value) throws UsageException {
            if (value.isEmpty()) {
                throw new UsageException(option + " must name a file, but was empty");
            }
            try {
                return Path.of(value);
            } catch (InvalidPathException e) {
                throw new UsageException(
                        option + " must be a file name, but '" + value + "' is none: " + e.getReason());
            }
        }

        private long number(String option, long lowest, long highest) throws UsageException {
            String text = value(option);
            try {
                long number = Long.parseLong(text);
                if (number >= lowest && number <= highest) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // Falls through to the message that says what is allowed.
            }
            throw new UsageException(String.format(
                    Locale.ROOT,
                    "%s must be a whole number from %d to %d, but was '%s'",
                    option,
                    lowest,
                    highest,
                    text));
        }
    }
}
