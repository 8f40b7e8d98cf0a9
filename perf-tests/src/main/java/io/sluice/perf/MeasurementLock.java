package io.sluice.perf;

import io.sluice.cli.UsageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * Makes sure that two measurements never run at once on a machine: a lock on a file in the folder of temporary files, which the
 * operating system drops when the process ends, however it ends. Any thread may close it.
 */
public final class MeasurementLock implements AutoCloseable {
    private static final String NAME = "sluice-measurement.lock";
    private static final int MOST_BYTES = 4096;

    private final FileChannel channel;

    private MeasurementLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Takes the machine's lock.
     *
     * @param command what measures, for others who want to
     * @return the lock, until it is closed
     * @throws UsageException if another process measures: says which and since when
     * @throws IOException if the file can not be written
     */
    public static MeasurementLock take(String command) throws IOException, UsageException {
        return take(Path.of(System.getProperty("java.io.tmpdir"), NAME), command);
    }

    static MeasurementLock take(Path file, String command) throws IOException, UsageException {
        FileChannel channel = FileChannel.open(
                file,
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS);
        boolean taken = false;
        try {
            if (lock(channel) == null) {
                throw new UsageException("a measurement must have the machine for itself, but another one runs: "
                        + said(channel) + "; wait for its end (the lock is " + file + ")");
            }
            String holder = "process " + ProcessHandle.current().pid() + ", since "
                    + OffsetDateTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS) + ", " + command;
            channel.truncate(0);
            ByteBuffer bytes = ByteBuffer.wrap(holder.getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            taken = true;
            return new MeasurementLock(channel);
        } finally {
            if (!taken) {
                channel.close();
            }
        }
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // held by this very process
        }
    }

    private static String said(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(MOST_BYTES);
        channel.read(bytes, 0);
        String said = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8).strip();
        return said.isEmpty() ? "one that has not said its name yet" : said;
    }

    /** Lets others measure. */
    @Override
    public void close() throws IOException {
        channel.close(); // and with it the lock
    }
}
