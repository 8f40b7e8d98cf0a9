package io.sluice.perf.report;

import io.sluice.cli.UsageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that a verb writes: looked at before a long run, written after it. */
public final class Outputs {
    private Outputs() {}

    /**
     * Makes sure that a file can be written later.
     *
     * @param option that named it, for the message
     * @param file the file
     * @throws UsageException if it is a folder, or its folder is not there or not writable
     */
    public static void check(String option, Path file) throws UsageException {
        Path folder = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file)) {
            throw new UsageException(option + " must name a file, but '" + file + "' is a folder");
        }
        if (folder == null || !Files.isDirectory(folder) || !Files.isWritable(folder)) {
            throw new UsageException(
                    option + " must name a file in a folder that is there and can be written, but was '" + file + "'");
        }
        if (Files.exists(file) && !Files.isWritable(file)) {
            throw new UsageException(option + " must name a file that can be written, but was '" + file + "'");
        }
    }

    /**
     * Writes a text as UTF-8.
     *
     * @param option that named the file, for the message
     * @param file the file
     * @param text what to write
     * @throws UsageException if that fails
     */
    public static void write(String option, Path file, String text) throws UsageException {
        try {
            Files.writeString(file, text, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UsageException(option + " '" + file + "' can not be written: " + e.getMessage());
        }
    }
}
