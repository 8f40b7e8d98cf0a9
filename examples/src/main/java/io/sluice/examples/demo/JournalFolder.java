package io.sluice.examples.demo;

import io.sluice.cli.UsageException;
import io.sluice.examples.feed.FeedFormat;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.Reasons;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where the journal lies: a folder that the user named, or a temporary one that is removed when this is closed. */
final class JournalFolder implements AutoCloseable {
    private final Path folder;
    private final Path file;
    private final boolean temporary;

    private JournalFolder(Path folder, Path file, boolean temporary) {
        this.folder = folder;
        this.file = file;
        this.temporary = temporary;
    }

    /**
     * Makes the folder if need be. The journal's name in it is one that the demo can read again: {@code journal.itch}, or
     * the instrument and {@code _journal.csv}.
     *
     * @param wanted the folder, or null for a temporary one
     * @param input the input file, which must not be written over, or null
     * @param reader tells the format
     */
    static JournalFolder open(@Nullable Path wanted, @Nullable String input, FeedReader reader) throws UsageException {
        String name = reader.format() == FeedFormat.ITCH ? "journal.itch" : reader.instrumentName(0) + "_journal.csv";
        try {
            Path folder = wanted == null ? Files.createTempDirectory("sluice-demo-") : made(wanted.toAbsolutePath());
            Path file = folder.resolve(name);
            Outputs.checkNotInput("--journal", file, input);
            return new JournalFolder(folder, file, wanted == null);
        } catch (IOException e) {
            String which = wanted == null ? "the temporary folder of the journal" : "--journal '" + wanted + "'";
            throw new UsageException(which + " cannot be made: " + Reasons.of(e));
        }
    }

    /** The folder itself; one behind a symbolic link would be refused by {@link Files#createDirectories} alone. */
    private static Path made(Path folder) throws IOException {
        return Files.isDirectory(folder) ? folder : Files.createDirectories(folder);
    }

    /** Creates the journal in it. */
    Journal journal() throws UsageException {
        try {
            return new Journal(file);
        } catch (IOException e) {
            throw cannotBeWritten(e);
        }
    }

    /** What to say when writing has failed. */
    UsageException cannotBeWritten(IOException reason) {
        return new UsageException("the journal '" + file + "' cannot be written: " + Reasons.of(reason));
    }

    /** The folder. */
    Path folder() {
        return folder;
    }

    /** The journal's file, or null if it will not be kept. */
    @Nullable
    String keptFile() {
        return temporary ? null : file.toString();
    }

    /** Removes what is temporary. */
    @Override
    public void close() throws UsageException {
        if (!temporary) {
            return;
        }
        try {
            Files.deleteIfExists(file);
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            throw new UsageException("the temporary folder '" + folder + "' cannot be removed: " + Reasons.of(e));
        }
    }
}
