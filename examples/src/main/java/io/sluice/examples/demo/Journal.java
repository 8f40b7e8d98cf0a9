package io.sluice.examples.demo;

import io.sluice.examples.feed.MarketEvent;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A plain file that the records of the feed are written to, as they came, so that it can be fed again. Records gather in
 * a buffer that is handed to the file system when it is full or the batch ends; nothing is forced to the device. Used by
 * one thread at a time.
 */
final class Journal implements AutoCloseable {
    private static final int BUFFER = 1 << 16;

    private final OutputStream out;
    private final byte[] buffer = new byte[BUFFER];
    private int used;
    private long bytes;

    /**
     * Creates the file, in place of an earlier one.
     *
     * @throws IOException if that fails
     */
    Journal(Path file) throws IOException {
        this(Files.newOutputStream(file));
    }

    /** Writes to a stream. */
    Journal(OutputStream out) {
        this.out = out;
    }

    /** Takes a record. */
    void append(MarketEvent event) throws IOException {
        int length = event.rawLength();
        if (length > BUFFER - used) {
            flush();
        }
        System.arraycopy(event.raw(), 0, buffer, used, length);
        used += length;
    }

    /** Hands what has gathered to the file system. */
    void flush() throws IOException {
        out.write(buffer, 0, used);
        bytes += used;
        used = 0;
    }

    /** How many bytes were handed to the file system. */
    long bytes() {
        return bytes;
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
