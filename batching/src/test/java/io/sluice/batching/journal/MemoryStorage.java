package io.sluice.batching.journal;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * A folder in memory. It knows which names the device has, and which creations, renames and deletions are not forced yet.
 *
 * @param <F> what it knows of a file
 */
@NullMarked
abstract class MemoryStorage<F> implements Storage {
    static final int PAGE = 4096;

    /** What a block holds before anything is written to it. */
    static final byte OLD_CONTENT = (byte) 0xA5;

    /** One creation, rename or deletion. */
    record Change<F>(
            @Nullable String removed,
            @Nullable String added,
            @Nullable F file) {
        void apply(Map<String, F> names) {
            if (removed != null) {
                names.remove(removed);
            }
            if (added != null && file != null) {
                names.put(added, file);
            }
        }
    }

    /** What everybody sees. */
    final Map<String, F> names = new LinkedHashMap<>();
    /** What the device has. */
    final Map<String, F> deviceNames = new LinkedHashMap<>();
    /** What the device does not have yet, oldest first. */
    final List<Change<F>> unforced = new ArrayList<>();

    boolean locked;

    /** How many times a file was forced. */
    int forces;

    /** Puts a file into the folder, forced. */
    final void put(String name, F file) {
        names.put(name, file);
        deviceNames.put(name, file);
    }

    final void change(@Nullable String removed, @Nullable String added, @Nullable F file) {
        Change<F> change = new Change<>(removed, added, file);
        change.apply(names);
        unforced.add(change);
    }

    /** All changes reach the device. */
    final void forceChanges() {
        unforced.forEach(change -> change.apply(deviceNames));
        unforced.clear();
    }

    /** The files that have a name on the device once so many of the unforced changes have arrived. */
    final Map<String, F> namedAfter(int changes) {
        Map<String, F> found = new LinkedHashMap<>(deviceNames);
        for (Change<F> change : unforced.subList(0, changes)) {
            change.apply(found);
        }
        return found;
    }

    final F find(String name) throws IOException {
        F file = names.get(name);
        if (file == null) {
            throw new NoSuchFileException(name);
        }
        return file;
    }

    @Override
    public final void createFolder() {}

    @Override
    public final List<String> list() {
        return new ArrayList<>(names.keySet());
    }

    @Override
    public boolean exists(String name) throws IOException {
        return names.containsKey(name);
    }

    @Override
    public final @Nullable Closeable tryLock(String name) {
        if (locked) {
            return null;
        }
        locked = true;
        return () -> locked = false;
    }

    @Override
    public final String describe(String name) {
        return "memory/" + name;
    }

    /** An open file: what all have in common. */
    abstract static class Handle implements SegmentFile {
        /** What everybody sees. */
        abstract byte[] content();

        abstract void force(int from, int length) throws IOException;

        @Override
        public final long size() {
            return content().length;
        }

        @Override
        public int read(ByteBuffer dst, long position) throws IOException {
            int length = (int) Math.min(dst.remaining(), content().length - position);
            if (length <= 0) {
                return -1;
            }
            dst.put(content(), (int) position, length);
            return length;
        }

        @Override
        public final void force() throws IOException {
            force(0, content().length);
        }

        @Override
        public final void force(ByteBuffer map, int from, int length) throws IOException {
            if (from % PAGE != 0 || from + length > content().length) {
                throw new IOException("bad range " + from + ", " + length);
            }
            force(from, length);
        }

        @Override
        public void close() {}
    }
}
