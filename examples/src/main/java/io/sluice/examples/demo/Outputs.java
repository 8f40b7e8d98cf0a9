package io.sluice.examples.demo;

import io.sluice.cli.UsageException;
import io.sluice.examples.feed.Reasons;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The files that the demo writes: looked at before the run, so that a wrong name is known at once. */
final class Outputs {
    private Outputs() {}

    /** Checks all of them. */
    static void check(DemoOptions options) throws UsageException {
        if (options.json() != null) {
            checkFile("--json", options.json());
            checkNotInput("--json", options.json(), options.file());
        }
        if (options.books() != null) {
            checkFile("--books", options.books());
            checkNotInput("--books", options.books(), options.file());
        }
        if (options.json() != null
                && options.books() != null
                && options.json()
                        .toAbsolutePath()
                        .normalize()
                        .equals(options.books().toAbsolutePath().normalize())) {
            throw new UsageException("--json and --books must be two files, but both are '" + options.json() + "'");
        }
        if (options.journal() != null && Files.exists(options.journal()) && !Files.isDirectory(options.journal())) {
            throw new UsageException("--journal must be a folder, but '" + options.journal() + "' is a file");
        }
        if (options.journal() != null) {
            checkNotJournal(options, options.journal());
        }
    }

    /** Checks that no other output has the name of the journal's folder, or of its file. */
    static void checkNotJournal(DemoOptions options, Path journal) throws UsageException {
        checkNotJournal("--json", options.json(), journal);
        checkNotJournal("--books", options.books(), journal);
    }

    private static void checkNotJournal(String option, @Nullable Path output, Path journal) throws UsageException {
        if (output != null
                && output.toAbsolutePath()
                        .normalize()
                        .equals(journal.toAbsolutePath().normalize())) {
            throw new UsageException(option + " must not be the journal, but '" + output + "' is");
        }
    }

    /** Checks that a file can be written, as far as that can be told before. */
    static void checkFile(String option, Path file) throws UsageException {
        if (Files.isDirectory(file)) {
            throw new UsageException(option + " must be a file, but '" + file + "' is a folder");
        }
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new UsageException(option + " must be in a folder that is there, but '" + file + "' is not");
        }
        if (!Files.isWritable(Files.exists(file) ? file : folder)) {
            throw new UsageException(
                    option + " must be a file that can be written, but '" + file + "' is none: permission denied");
        }
    }

    /** Checks that the input would not be written over while it is read. */
    static void checkNotInput(String option, Path output, @Nullable String input) throws UsageException {
        try {
            if (input != null && Files.exists(output) && Files.isSameFile(output, Path.of(input))) {
                throw new UsageException(option + " must not be the input, but '" + output + "' is");
            }
        } catch (IOException e) {
            // The input cannot be looked at: to open it will fail with its own reason.
        }
    }

    /** Writes a text, in UTF-8. */
    static void write(String option, Path file, String text) throws UsageException {
        try {
            Files.writeString(file, text, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw cannotBeWritten(option, file, e);
        }
    }

    /** The message for a failed write. */
    static UsageException cannotBeWritten(String option, Path file, IOException reason) {
        return new UsageException(option + " '" + file + "' cannot be written: " + Reasons.of(reason));
    }
}
