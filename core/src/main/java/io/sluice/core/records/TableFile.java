package io.sluice.core.records;

import io.sluice.core.bytes.SafeBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.LongFunction;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/*
 * A table in a file. Little-endian:
 *
 *    0  8  the letters SLUICETB
 *    8  4  version, 1
 *   12  4  length of the header, a multiple of 64
 *   16  8  rows
 *   24  4  bytes of a row
 *   28  4  bytes of the layout's text
 *   32  4  CRC-32C of the rows
 *   36  4  CRC-32C of the header, computed with 0 here
 *   40     the layout's text in UTF-8, then zeros to the header's end
 *   then the rows, and nothing behind them
 *
 * The rows are written and forced before the header, in a file of another name that is renamed at last. So a file of the right name is
 * whole, and one that was torn by other means has a wrong length or a wrong sum.
 */
final class TableFile {
    private static final long MAGIC = ByteBuffer.wrap("SLUICETB".getBytes(StandardCharsets.US_ASCII))
            .order(ByteOrder.LITTLE_ENDIAN)
            .getLong();
    private static final int VERSION = 1;
    private static final int TEXT = 40;
    private static final int SUM_OF_ROWS = 32;
    private static final int SUM_OF_HEADER = 36;
    private static final int ALIGNMENT = 64;
    private static final int LONGEST_HEADER = 1 << 26;
    private static final int MOST_LINKS = 40;

    /** The JDK copies bytes of the heap to memory off the heap, so not all at once. */
    private static final int CHUNK = 1 << 20;

    private final Path file;
    private final byte[] layout;
    private final int size;

    TableFile(Path file, RecordLayout<?> layout) {
        this.file = file;
        this.layout = layout.description().getBytes(StandardCharsets.UTF_8);
        size = layout.size();
    }

    // ---- save

    void save(long rows, SafeBuffer[] pages) throws IOException {
        // A name that nobody else has: another save to the same file may be at work, and a user may have a NAME.tmp.
        String unique = Long.toHexString(ThreadLocalRandom.current().nextLong());
        Path replaced = behindLinks();
        Path written = replaced.resolveSibling(replaced.getFileName() + "." + unique + ".tmp");
        Set<PosixFilePermission> kept = permissions(replaced);
        FileAttribute<?>[] narrow = kept == null
                ? new FileAttribute<?>[0]
                : new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(kept)};
        FileChannel made =
                FileChannel.open(written, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), narrow);
        try {
            try (made) {
                if (kept != null && !kept.equals(permissions(written))) {
                    Files.setPosixFilePermissions(written, kept); // the mask of the process may have taken some away
                }
                write(made, rows, pages);
            }
            Files.move(written, replaced, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException | RuntimeException | Error e) {
            try {
                Files.deleteIfExists(written);
            } catch (IOException also) {
                e.addSuppressed(also);
            }
            throw e;
        }
        forceFolder(replaced);
    }

    /** The file that symbolic links lead to, whether it is there or not; the file itself if it is no link. */
    private Path behindLinks() throws IOException {
        Path found = file;
        for (int links = 0; Files.isSymbolicLink(found); links++) {
            if (links == MOST_LINKS) {
                throw new FileSystemLoopException(file.toString());
            }
            found = found.resolveSibling(Files.readSymbolicLink(found));
        }
        return found;
    }

    /** Null if there is no such file, or the system has other permissions than those of POSIX. */
    private static @Nullable Set<PosixFilePermission> permissions(Path file) throws IOException {
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        try {
            return view == null ? null : view.readAttributes().permissions();
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private void write(FileChannel channel, long rows, SafeBuffer[] pages) throws IOException {
        ByteBuffer header = ByteBuffer.allocate((TEXT + layout.length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)
                .order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(MAGIC)
                .putInt(VERSION)
                .putInt(header.capacity())
                .putLong(rows)
                .putInt(size);
        header.putInt(layout.length).position(TEXT);
        header.put(layout);
        channel.position(header.capacity());
        CRC32C sum = new CRC32C();
        for (SafeBuffer page : pages) {
            ByteBuffer bytes = bytes(page);
            for (ByteBuffer chunk = chunk(bytes); chunk.hasRemaining(); chunk = chunk(bytes)) {
                sum.update(chunk.duplicate());
                while (chunk.hasRemaining()) {
                    channel.write(chunk);
                }
            }
        }
        channel.force(true);
        header.putInt(SUM_OF_ROWS, (int) sum.getValue());
        header.putInt(SUM_OF_HEADER, sum(header)).clear();
        for (long at = 0; header.hasRemaining(); at = header.position()) {
            channel.write(header, at);
        }
        channel.force(true);
    }

    /** The bytes of a page as a view of its own, whose position is moved as they are written or read. */
    private static ByteBuffer bytes(SafeBuffer page) {
        byte[] array = page.byteArray();
        ByteBuffer all = array == null
                ? Objects.requireNonNull(page.byteBuffer()).duplicate().clear()
                : ByteBuffer.wrap(array);
        return all.slice(page.wrapAdjustment(), page.capacity());
    }

    /** The next bytes of a page; none at its end. */
    private static ByteBuffer chunk(ByteBuffer page) {
        ByteBuffer chunk = page.slice(page.position(), Math.min(page.remaining(), CHUNK));
        page.position(page.position() + chunk.capacity());
        return chunk;
    }

    /** Forces the folder, so that the new name outlives a crash. Where that is not possible, as on Windows, it is left to the system. */
    private static void forceFolder(Path file) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder != null
                && folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
                channel.force(true);
            }
        }
    }

    private static int sum(ByteBuffer header) {
        CRC32C sum = new CRC32C();
        sum.update(header.duplicate().clear());
        return (int) sum.getValue();
    }

    // ---- load

    <T extends Record> RecordTable<T> load(LongFunction<RecordTable<T>> made) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer header = header(channel);
            long rows = header.getLong(16);
            RecordTable<T> table = made.apply(rows);
            try {
                CRC32C sum = new CRC32C();
                channel.position(header.capacity());
                for (SafeBuffer page : table.pages()) {
                    ByteBuffer bytes = bytes(page);
                    for (ByteBuffer chunk = chunk(bytes); chunk.hasRemaining(); chunk = chunk(bytes)) {
                        ByteBuffer read = chunk.duplicate();
                        readFully(channel, chunk);
                        sum.update(read);
                    }
                }
                must(
                        header.getInt(SUM_OF_ROWS) == (int) sum.getValue(),
                        "be undamaged, but the sum of its rows is wrong");
                return table;
            } catch (IOException | RuntimeException | Error e) {
                table.close();
                throw e;
            }
        }
    }

    private ByteBuffer header(FileChannel channel) throws IOException {
        long length = channel.size();
        must(length >= TEXT, "be a table of records, but has only " + length + " bytes");
        ByteBuffer start = ByteBuffer.allocate(TEXT).order(ByteOrder.LITTLE_ENDIAN);
        readFully(channel, start);
        must(start.getLong(0) == MAGIC, "be a table of records, but begins with other bytes");
        must(start.getInt(8) == VERSION, "have version " + VERSION + ", but has version " + start.getInt(8));
        int headerLength = start.getInt(12);
        must(
                headerLength >= TEXT && headerLength <= Math.min(length, LONGEST_HEADER),
                "have a whole header, but is damaged or was cut off");
        ByteBuffer header = ByteBuffer.allocate(headerLength).order(ByteOrder.LITTLE_ENDIAN);
        channel.position(0);
        readFully(channel, header);
        int sum = header.getInt(SUM_OF_HEADER);
        must(sum(header.putInt(SUM_OF_HEADER, 0)) == sum, "have a whole header, but the header's sum is wrong");
        int textLength = header.getInt(28);
        must(textLength >= 0 && textLength <= headerLength - TEXT, "have a whole header, but its text is too long");
        byte[] text = new byte[textLength];
        header.get(TEXT, text);
        String found = new String(text, StandardCharsets.UTF_8);
        String asked = new String(layout, StandardCharsets.UTF_8);
        must(found.equals(asked), "hold records of (" + asked + "), but holds (" + found + ")");
        must(header.getInt(24) == size, "have rows of " + size + " bytes, but has rows of " + header.getInt(24));
        long rows = header.getLong(16);
        long mostRows = RecordTable.MAX_BYTES / size;
        must(rows >= 0 && rows <= mostRows, "have from 0 to " + mostRows + " rows, but has " + rows);
        long whole = headerLength + rows * size;
        must(length == whole, "have " + whole + " bytes for its " + rows + " rows, but has " + length);
        return header;
    }

    private void readFully(FileChannel channel, ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            must(channel.read(into) >= 0, "be whole, but ended while it was read");
        }
    }

    private void must(boolean holds, String what) throws IOException {
        if (!holds) {
            throw new IOException(file + " must " + what);
        }
    }
}
