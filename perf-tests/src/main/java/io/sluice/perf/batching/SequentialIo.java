package io.sluice.perf.batching;

import io.sluice.batching.journal.Durability;
import io.sluice.batching.journal.Journal;
import io.sluice.batching.journal.JournalConfig;
import io.sluice.batching.journal.JournalReader;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes a file from its beginning to its end in pages of 4 KiB, and reads it back, by each of the four methods of Martin
 * Thompson, <em>Java Sequential IO Performance</em> (2011), and by the journal with either of its. Files are allocated before
 * they are written, and nothing is forced, as in the article. Each byte read is looked at.
 */
abstract class SequentialIo {
    static final int PAGE = 4096;

    private static final int MAPPED_CHUNK = 1 << 28;

    private final String title;

    private @Nullable Journal unclosed;

    private SequentialIo(String title) {
        this.title = title;
    }

    /** Its name in the table. */
    String title() {
        return title;
    }

    /** Writes so many pages; the file, or folder, is there and allocated. */
    abstract void write(Path path, long pages) throws IOException;

    /** Reads them; returns the sum of the first bytes of all pages. */
    abstract long read(Path path, long pages) throws IOException;

    /** Makes and allocates the file. */
    void prepare(Path path, long pages) throws IOException {
        allocate(path, pages * PAGE);
    }

    /** Removes the file, or folder, that was made. */
    void remove(Path path) throws IOException {
        Files.deleteIfExists(path);
    }

    /** All methods, the article's first. */
    static List<SequentialIo> all() {
        return List.of(
                randomAccessFile(),
                bufferedStream(),
                channel(),
                mapped(),
                journal("journal, blocks", JournalConfig.Method.BLOCKS),
                journal("journal, mapped", JournalConfig.Method.MAPPED));
    }

    /** The value that {@link #read} must return: page {@code i} begins with the byte {@code i & 0x7F}. */
    static long sum(long pages) {
        long sum = 0;
        for (long page = 0; page < pages; page++) {
            sum += mark(page);
        }
        return sum;
    }

    static byte mark(long page) {
        return (byte) (page & 0x7F);
    }

    /** Fills a file with zeros and has it forced, so that writing to it neither grows it nor waits for earlier pages. */
    static void allocate(Path file, long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            ByteBuffer zeros = ByteBuffer.allocateDirect(1 << 18);
            for (long at = 0; at < bytes; ) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), bytes - at));
                at += channel.write(zeros, at);
            }
            channel.force(true);
        }
    }

    private static SequentialIo randomAccessFile() {
        return new SequentialIo("RandomAccessFile") {
            @Override
            void write(Path path, long pages) throws IOException {
                byte[] page = new byte[PAGE];
                try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
                    for (long i = 0; i < pages; i++) {
                        page[0] = mark(i);
                        file.write(page, 0, PAGE);
                    }
                }
            }

            @Override
            long read(Path path, long pages) throws IOException {
                byte[] page = new byte[PAGE];
                long sum = 0;
                try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
                    for (long i = 0; i < pages; i++) {
                        file.readFully(page, 0, PAGE);
                        sum += page[0];
                    }
                }
                return sum;
            }
        };
    }

    private static SequentialIo bufferedStream() {
        return new SequentialIo("buffered stream") {
            @Override
            void write(Path path, long pages) throws IOException {
                byte[] page = new byte[PAGE];
                try (OutputStream out =
                        new BufferedOutputStream(Files.newOutputStream(path, StandardOpenOption.WRITE), PAGE)) {
                    for (long i = 0; i < pages; i++) {
                        page[0] = mark(i);
                        out.write(page, 0, PAGE);
                    }
                }
            }

            @Override
            long read(Path path, long pages) throws IOException {
                byte[] page = new byte[PAGE];
                long sum = 0;
                try (InputStream in = new BufferedInputStream(Files.newInputStream(path), PAGE)) {
                    for (long i = 0; i < pages; i++) {
                        if (in.readNBytes(page, 0, PAGE) < PAGE) {
                            throw new IOException("the file ends in page " + i);
                        }
                        sum += page[0];
                    }
                }
                return sum;
            }
        };
    }

    private static SequentialIo channel() {
        return new SequentialIo("channel") {
            @Override
            void write(Path path, long pages) throws IOException {
                ByteBuffer page = ByteBuffer.allocateDirect(PAGE);
                try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                    for (long i = 0; i < pages; i++) {
                        page.put(0, mark(i));
                        page.clear();
                        while (page.hasRemaining()) {
                            channel.write(page);
                        }
                    }
                }
            }

            @Override
            long read(Path path, long pages) throws IOException {
                ByteBuffer page = ByteBuffer.allocateDirect(PAGE);
                long sum = 0;
                try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
                    for (long i = 0; i < pages; i++) {
                        page.clear();
                        while (page.hasRemaining()) {
                            if (channel.read(page) < 0) {
                                throw new IOException("the file ends in page " + i);
                            }
                        }
                        sum += page.get(0);
                    }
                }
                return sum;
            }
        };
    }

    private static SequentialIo mapped() {
        return new SequentialIo("mapped") {
            @Override
            void write(Path path, long pages) throws IOException {
                byte[] page = new byte[PAGE];
                try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                    MappedByteBuffer map = null;
                    for (long i = 0; i < pages; i++) {
                        if (map == null || !map.hasRemaining()) {
                            map = channel.map(FileChannel.MapMode.READ_WRITE, i * PAGE, chunk(i, pages));
                        }
                        page[0] = mark(i);
                        map.put(page);
                    }
                }
            }

            @Override
            long read(Path path, long pages) throws IOException {
                byte[] page = new byte[PAGE];
                long sum = 0;
                try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
                    MappedByteBuffer map = null;
                    for (long i = 0; i < pages; i++) {
                        if (map == null || !map.hasRemaining()) {
                            map = channel.map(FileChannel.MapMode.READ_ONLY, i * PAGE, chunk(i, pages));
                        }
                        map.get(page);
                        sum += page[0];
                    }
                }
                return sum;
            }
        };
    }

    private static long chunk(long page, long pages) {
        return Math.min(MAPPED_CHUNK, (pages - page) * PAGE);
    }

    /** A record is as long as a page; each has the journal's header and checksum besides, which are not counted. */
    private static SequentialIo journal(String title, JournalConfig.Method method) {
        return new SequentialIo(title) {
            @Override
            void prepare(Path path, long pages) throws IOException {
                // Opening makes and forces the first segment, which is long enough for all.
                open(path, method, pages).close();
            }

            @Override
            void write(Path path, long pages) throws IOException {
                ByteBuffer page = ByteBuffer.allocateDirect(PAGE);
                Journal journal = open(path, method, pages);
                try {
                    for (long i = 0; i < pages; i++) {
                        page.put(0, mark(i));
                        journal.append(page, 0, PAGE);
                    }
                    journal.endOfBatch();
                } finally {
                    keep(journal); // closing forces, which the others do not: it is done after the clock has stopped
                }
            }

            @Override
            long read(Path path, long pages) throws IOException {
                closeJournal();
                long sum = 0;
                long records = 0;
                try (JournalReader reader = JournalReader.replay(path, 0)) {
                    while (reader.next()) {
                        sum += reader.buffer().get(reader.payloadOffset());
                        records++;
                    }
                }
                if (records != pages) {
                    throw new IOException("read " + records + " of " + pages + " records");
                }
                return sum;
            }

            @Override
            void remove(Path path) throws IOException {
                closeJournal();
                Folders.removeJournal(path);
            }
        };
    }

    void keep(Journal journal) {
        unclosed = journal;
    }

    /** Closes the journal that writing has left open; does nothing for other methods than the journal's. */
    void closeJournal() throws IOException {
        if (unclosed != null) {
            unclosed.close();
            unclosed = null;
        }
    }

    private static Journal open(Path path, JournalConfig.Method method, long pages) throws IOException {
        long needed = (pages + pages / 32 + 16) * PAGE; // headers, and the ends of blocks
        if (needed > 1 << 30) {
            throw new IllegalArgumentException("pages must fit into one segment of 1 GiB, but were " + pages);
        }
        return Journal.open(
                path,
                JournalConfig.defaults()
                        .method(method)
                        .segmentSize((int) needed)
                        .durability(Durability.NONE));
    }
}
