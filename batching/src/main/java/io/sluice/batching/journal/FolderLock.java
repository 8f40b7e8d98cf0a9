package io.sluice.batching.journal;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The lock on a journal's folder, against other processes and within this one.
 *
 * <p>The kernel keeps POSIX locks by process and file: when a process closes any descriptor of a file, it loses all its locks
 * on that file. So this process must not open a lock file that it holds already. A register says what it holds, by the path
 * and by the file's key (device and inode), so that a link or another spelling of the path is found too.
 *
 * <p>Any thread; one at a time. Opening a lock file may block as long as the file system does.
 */
final class FolderLock implements Closeable {
    /** The locks that this process holds: paths and file keys. Guarded by the class. */
    private static final Set<Object> HELD = new HashSet<>();

    /**
     * Channels of lock files that another copy of this class holds, loaded by another class loader, by file key. To close
     * one would release that copy's lock. Guarded by the class.
     */
    private static final Map<Object, FileChannel> NEVER_CLOSED = new HashMap<>();

    private final Path path;
    private final FileChannel channel;
    private final List<Object> keys;
    private boolean closed;

    private FolderLock(Path path, FileChannel channel, List<Object> keys) {
        this.path = path;
        this.channel = channel;
        this.keys = keys;
    }

    /** Takes the lock, or returns null if anybody holds it. */
    static @Nullable FolderLock tryLock(Path path) throws IOException {
        synchronized (FolderLock.class) {
            Path parent = path.toAbsolutePath().getParent();
            Path real = parent == null ? path : parent.toRealPath().resolve(path.getFileName());
            Object before = fileKey(path);
            if (HELD.contains(real) || (before != null && HELD.contains(before))) {
                return null; // and no descriptor was opened
            }
            FileChannel channel = NEVER_CLOSED.get(before == null ? real : before);
            boolean fresh = channel == null;
            if (channel == null) {
                channel = FileChannel.open(path, CREATE, WRITE);
            }
            List<Object> keys = new ArrayList<>(List.of(real));
            FileLock lock = null;
            boolean done = false;
            boolean mayClose = fresh;
            try {
                lock = channel.tryLock();
                if (lock == null) {
                    return null;
                }
                Object key = fileKey(path);
                if (key != null) {
                    keys.add(key);
                }
                done = true;
            } catch (OverlappingFileLockException e) {
                mayClose = false; // another copy of this class holds it
                Object key = null;
                try {
                    key = fileKey(path);
                } finally {
                    NEVER_CLOSED.put(key == null ? real : key, channel);
                }
                return null;
            } finally {
                if (!done && mayClose) {
                    channel.close();
                } else if (!done && lock != null) {
                    lock.release(); // the channel stays open for the other copy
                }
            }
            keys.forEach(NEVER_CLOSED::remove);
            HELD.addAll(keys);
            return new FolderLock(path, channel, keys);
        }
    }

    /** Throws if another file, or none, has the name of the one that was locked. */
    void check() throws IOException {
        if (keys.size() > 1 && !keys.contains(fileKey(path))) { // a system without keys lets nobody delete an open file
            throw new IOException(path + " must be the file that was locked, but was removed or replaced");
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (FolderLock.class) {
            if (!closed) {
                closed = true;
                try {
                    channel.close();
                } finally {
                    keys.forEach(HELD::remove); // last: until the channel is closed, an open here would lose the lock
                }
            }
        }
    }

    /** Device and inode, asked without opening the file; null if it is not there, or the system has no such key. */
    private static @Nullable Object fileKey(Path path) throws IOException {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        } catch (NoSuchFileException e) {
            return null;
        }
    }
}
