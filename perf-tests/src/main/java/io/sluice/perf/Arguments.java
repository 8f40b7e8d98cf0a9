package io.sluice.perf;

import io.sluice.cli.UsageException;
import io.sluice.perf.report.Outputs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The arguments of a verb that measures: flags, options with a value, and options that name a file to be written. */
public final class Arguments {
    /** Asks for a short run. */
    public static final String QUICK = "--quick";

    /** Names a JDK to measure on; may be given again. */
    public static final String JDK = "--jdk";

    private final Map<String, List<String>> values = new HashMap<>();
    private final Map<String, Path> outputs = new HashMap<>();
    private final Set<String> flags = new HashSet<>();

    private Arguments() {}

    /**
     * Reads arguments, and looks at each file that is to be written.
     *
     * @param arguments what follows the verb
     * @param flags options without a value
     * @param options options with a value, which may be given again
     * @param outputs options that name a file to be written
     * @return the arguments
     * @throws UsageException if an argument is none of these, or a file can not be written
     */
    public static Arguments parse(
            List<String> arguments, List<String> flags, List<String> options, List<String> outputs)
            throws UsageException {
        Arguments parsed = new Arguments();
        Iterator<String> left = arguments.iterator();
        while (left.hasNext()) {
            String option = left.next();
            if (flags.contains(option)) {
                parsed.flags.add(option);
                continue;
            }
            if (!options.contains(option) && !outputs.contains(option)) {
                List<String> all =
                        Stream.of(flags, options, outputs).flatMap(List::stream).toList();
                throw new UsageException(
                        "each argument must be one of " + String.join(", ", all) + ", but one was '" + option + "'");
            }
            if (!left.hasNext()) {
                throw new UsageException(option + " must have a value, but none follows");
            }
            String value = left.next();
            if (options.contains(option)) {
                parsed.values.computeIfAbsent(option, key -> new ArrayList<>()).add(value);
            } else {
                if (parsed.outputs.put(option, Path.of(value)) != null) {
                    throw new UsageException(option + " must be given once, but was given twice");
                }
                Outputs.check(option, Path.of(value));
            }
        }
        if (Set.copyOf(parsed.outputs.values()).size() < parsed.outputs.size()) {
            throw new UsageException("each option must name a file of its own, but two name the same");
        }
        return parsed;
    }

    /**
     * Whether a flag was given.
     *
     * @param flag the flag
     * @return whether it was
     */
    public boolean has(String flag) {
        return flags.contains(flag);
    }

    /**
     * The values of an option.
     *
     * @param option the option
     * @return in their order; none if it was not given
     */
    public List<String> values(String option) {
        return Collections.unmodifiableList(values.getOrDefault(option, List.of()));
    }

    /**
     * The values that an option lists, separated by commas.
     *
     * @param option the option
     * @return all that it lists, also where it was given again
     */
    public List<String> list(String option) {
        return values(option).stream()
                .flatMap(value -> Stream.of(value.split(",", -1)))
                .toList();
    }

    /**
     * The number that an option gives.
     *
     * @param option the option; the last one counts
     * @param least the least that may be given
     * @param most the most
     * @param otherwise the number if the option was not given
     * @return the number
     * @throws UsageException if it is none, or out of its range
     */
    public int number(String option, int least, int most, int otherwise) throws UsageException {
        List<String> given = values(option);
        if (given.isEmpty()) {
            return otherwise;
        }
        String value = given.get(given.size() - 1);
        try {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // said below
        }
        throw new UsageException(option + " must be from " + least + " to " + most + ", but was '" + value + "'");
    }

    /**
     * The JDKs to measure on.
     *
     * @return their homes, absolute; that of this JVM if none is named
     * @throws UsageException if a folder holds no JDK
     */
    public List<Path> jdks() throws UsageException {
        List<Path> homes = new ArrayList<>();
        for (String value : values(JDK)) {
            Path home = Path.of(value).toAbsolutePath();
            if (!Files.isExecutable(home.resolve("bin").resolve("java"))) {
                throw new UsageException(JDK + " must name a JDK's folder, but '" + value + "' has no bin/java");
            }
            homes.add(home);
        }
        return homes.isEmpty() ? List.of(Path.of(System.getProperty("java.home"))) : homes;
    }

    /**
     * The folder that an option names.
     *
     * @param option the option
     * @return the folder, null if it was not given
     * @throws UsageException if there is no such folder, or it can not be written
     */
    public @Nullable Path folder(String option) throws UsageException {
        Path folder = null;
        for (String value : values(option)) {
            folder = Path.of(value);
            if (!Files.isDirectory(folder) || !Files.isWritable(folder)) {
                throw new UsageException(
                        option + " must name a folder that is there and can be written, but was '" + value + "'");
            }
        }
        return folder;
    }

    /**
     * Writes a text to the file that an option names, if it was given.
     *
     * @param option the option
     * @param text what to write
     * @throws UsageException if that fails
     */
    public void write(String option, String text) throws UsageException {
        Path file = outputs.get(option);
        if (file != null) {
            Outputs.write(option, file, text);
        }
    }
}
