package io.sluice.examples.demo;

import io.sluice.batching.journal.Durability;
import io.sluice.batching.journal.Journal;
import io.sluice.batching.journal.JournalConfig;
import io.sluice.batching.journal.JournalException;
import io.sluice.batching.journal.JournalReader;
import io.sluice.cli.UsageException;
import io.sluice.examples.feed.FeedFormat;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.MarketEvent;
import io.sluice.examples.feed.Reasons;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where the journal lies: a folder that the user named, or a temporary one that is removed when this is closed. The segments
 * of the journal are in the folder {@value #SEGMENTS} in it; a folder that is kept gets the records as one file, too, after the
 * run, read back from the segments.
 */
final class JournalFolder implements AutoCloseable {
    /** The folder of the journal itself. */
    static final String SEGMENTS = "segments";

    private static final String LOCK = "journal.lock";
    private static final int SEGMENT_SIZE = 8 << 20;
    private static final int BUFFER = 1 << 16;

    private final Path folder;
    private final Path segments;
    private final Path file;
    private final boolean temporary;

    private JournalFolder(Path folder, String segments, Path file, boolean temporary) {
        this.folder = folder;
        this.segments = folder.resolve(segments);
        this.file = file;
        this.temporary = temporary;
    }

    /**
     * Makes a temporary folder for a journal that nobody reads.
     *
     * @param segments what the folder of the journal in it is called, so that it is not taken for one of a run
     */
    static JournalFolder unread(String segments) throws UsageException {
        try {
            Path folder = Files.createTempDirectory("sluice-demo-");
            return new JournalFolder(folder, segments, folder.resolve(segments), true);
        } catch (IOException e) {
            throw cannotBeMade(null, e);
        }
    }

    /**
     * Makes the folder if need be. The file's name in it is one that the demo can read again: {@code journal.itch}, or
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
            return new JournalFolder(folder, SEGMENTS, file, wanted == null);
        } catch (IOException e) {
            throw cannotBeMade(wanted, e);
        }
    }

    private static UsageException cannotBeMade(@Nullable Path wanted, IOException reason) {
        String which = wanted == null ? "the temporary folder of the journal" : "--journal '" + wanted + "'";
        return new UsageException(which + " cannot be made: " + Reasons.of(reason));
    }

    /** The folder itself; one behind a symbolic link would be refused by {@link Files#createDirectories} alone. */
    private static Path made(Path folder) throws IOException {
        return Files.isDirectory(folder) ? folder : Files.createDirectories(folder);
    }

    /** Creates the journal in it, in place of an earlier one: group commit, one {@code force} for all records of a batch. */
    Journal journal() throws UsageException {
        return journal(Durability.EACH_BATCH);
    }

    /** Creates the journal in it, in place of an earlier one. */
    Journal journal(Durability durability) throws UsageException {
        try {
            removeJournal();
            return Journal.open(
                    segments, JournalConfig.defaults().segmentSize(SEGMENT_SIZE).durability(durability));
        } catch (IOException e) {
            throw cannotBeWritten(e);
        }
    }

    /**
     * Reads the journal back when it is closed, and writes its records as one file if the folder is kept.
     *
     * @param written what went in
     * @param forces how often it was forced
     */
    JournalCheck readBack(JournalRecords written, long forces) throws UsageException {
        JournalRecords read = new JournalRecords();
        byte[] record = new byte[MarketEvent.MAX_RAW_LENGTH];
        try (JournalReader reader = JournalReader.replay(segments, 0);
                OutputStream out = temporary
                        ? OutputStream.nullOutputStream()
                        : new BufferedOutputStream(Files.newOutputStream(file), BUFFER)) {
            while (reader.next()) {
                int length = Math.min(reader.payloadLength(), record.length);
                reader.buffer().get(reader.payloadOffset(), record, 0, length);
                read.count(record, length);
                out.write(record, 0, length);
            }
        } catch (JournalException e) {
            throw new UsageException("the journal in '" + segments + "' cannot be read back: " + Reasons.of(e));
        } catch (IOException e) {
            throw cannotBeWritten(e);
        }
        return new JournalCheck(written.records(), written.bytes(), forces, read.sameAs(written));
    }

    /** The message for a failed write. */
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

    /** Removes the temporary folder. */
    @Override
    public void close() throws UsageException {
        if (!temporary) {
            return;
        }
        try {
            removeJournal();
            Files.deleteIfExists(segments.resolve(LOCK)); // nobody else knows a temporary folder
            Files.deleteIfExists(segments);
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            throw new UsageException("the temporary folder '" + folder + "' cannot be removed: " + Reasons.of(e));
        }
    }

    /**
     * Deletes the files that a journal leaves in its folder, and nothing else: not a file that another process writes now, and not
     * the lock, by which writers know of each other.
     */
    private void removeJournal() throws IOException {
        if (!Files.isDirectory(segments)) {
            return;
        }
        @Nullable
        FileChannel channel =
                FileChannel.open(segments.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (channel.tryLock() == null) {
                throw inUse(null);
            }
            List<Path> files;
            try (Stream<Path> all = Files.list(segments)) {
                files = all.filter(JournalFolder::isOfJournal).toList();
            }
            for (Path one : files) {
                Files.deleteIfExists(one);
            }
        } catch (OverlappingFileLockException e) {
            channel = null; // this process writes it, and a close of the file would give its lock up
            throw inUse(e);
        } finally {
            if (channel != null) {
                channel.close();
            }
        }
    }

    private IOException inUse(@Nullable Exception cause) {
        return new IOException(
                "the journal in '" + segments + "' must be free, but another run or program writes it", cause);
    }

    private static boolean isOfJournal(Path path) {
        String name = String.valueOf(path.getFileName());
        return name.matches("journal-[0-9]+\\.segment|journal\\.(first|new|preparing|spare|torn)");
    }
}
