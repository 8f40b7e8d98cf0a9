package io.sluice.batching.journal;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The operations that a journal needs of a folder. Tests put a device behind it that loses all that was not forced. */
interface Storage {
    /** A file of a fixed size. */
    interface SegmentFile extends Closeable {
        long size() throws IOException;

        /** Reads at most {@code dst.remaining()} bytes; returns how many, -1 at the end. */
        int read(ByteBuffer dst, long position) throws IOException;

        /** Reads from an offset until the buffer is full; false if the file ends before. */
        default boolean readFully(ByteBuffer dst, long position) throws IOException {
            int start = dst.position();
            while (dst.hasRemaining()) {
                if (read(dst, position + dst.position() - start) <= 0) {
                    return false;
                }
            }
            return true;
        }

        /** Writes all of {@code src}. */
        void write(ByteBuffer src, long position) throws IOException;

        /** Returns when everything written so far, and the file's length, is on the device. */
        void force() throws IOException;

        /** Maps the whole file for writing. */
        ByteBuffer map() throws IOException;

        /** Returns when this part of the mapping is on the device. */
        void force(ByteBuffer map, int from, int length) throws IOException;
    }

    /** Creates the folder if it is not there. */
    void createFolder() throws IOException;

    List<String> list() throws IOException;

    /** Whether the file is there. Throws where that cannot be found out. */
    boolean exists(String name) throws IOException;

    /**
     * Creates a file of {@code size} zero bytes whose space is really taken; fails if it exists. One of size 0 grows by what
     * is written behind its end.
     */
    SegmentFile create(String name, long size) throws IOException;

    SegmentFile open(String name, boolean writable) throws IOException;

    /** Renames, replacing what has the name {@code to}. */
    void rename(String from, String to) throws IOException;

    void delete(String name) throws IOException;

    /** Returns when creations, renames and deletions are on the device. */
    void forceFolder() throws IOException;

    /** Takes the lock, or returns null if another process, or another journal of this one, holds it. */
    @Nullable
    Closeable tryLock(String name) throws IOException;

    /** Throws if the lock's file is not the one that was locked any more: another writer may have locked the one that is there. */
    default void checkLock() throws IOException {}

    /** For messages. */
    String describe(String name);

    /** Closes what is not null, and ignores a failure: durable data was forced before, and depends on no close. */
    static void closeQuietly(@Nullable Closeable closeable) {
        if (closeable != null) {
            try {
                closeable.close();
            } catch (IOException ignored) {
                // As said above.
            }
        }
    }
}
