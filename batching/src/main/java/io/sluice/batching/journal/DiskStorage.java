package io.sluice.batching.journal;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A folder of the file system. */
final class DiskStorage implements Storage {
    private static final int ZERO_CHUNK = 1 << 20;

    private final Path folder;

    /** The writer's; null where a journal is only read. */
    private @Nullable FolderLock lock;

    DiskStorage(Path folder) {
        this.folder = folder;
    }

    @Override
    public void createFolder() throws IOException {
        if (!Files.isDirectory(folder)) { // JDKs before 17.0.14 refuse a link to a folder
            List<Path> changed = new ArrayList<>();
            Path missing = folder;
            for (Path above = above(missing); above != null && !Files.exists(missing); above = above(missing)) {
                changed.add(above);
                missing = above;
            }
            Files.createDirectories(folder);
            for (Path above : changed) { // what is forced in the folder is there only if the folder is
                forceFolder(above);
            }
        }
    }

    /** The folder that holds a path; null for a root. */
    private static @Nullable Path above(Path path) {
        Path parent = path.getParent();
        return parent != null || path.isAbsolute()
                ? parent
                : path.toAbsolutePath().getParent();
    }

    @Override
    public List<String> list() throws IOException {
        List<String> names = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            files.forEach(file -> names.add(String.valueOf(file.getFileName())));
        } catch (UncheckedIOException e) { // a stream of files cannot throw the one that it stands for
            throw e.getCause();
        }
        return names;
    }

    @Override
    public boolean exists(String name) throws IOException {
        try { // not Files.exists, which takes any failure for an absence
            Files.readAttributes(folder.resolve(name), BasicFileAttributes.class);
            return true;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    @Override
    public SegmentFile create(String name, long size) throws IOException {
        checkLock();
        FileChannel channel = FileChannel.open(folder.resolve(name), CREATE_NEW, READ, WRITE);
        try {
            ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(ZERO_CHUNK, size));
            for (long position = 0; position < size; ) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), size - position));
                position += channel.write(zeros, position);
            }
            return new DiskFile(channel);
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public SegmentFile open(String name, boolean writable) throws IOException {
        Path path = folder.resolve(name);
        return new DiskFile(writable ? FileChannel.open(path, READ, WRITE) : FileChannel.open(path, READ));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        checkLock();
        Files.move(
                folder.resolve(from),
                folder.resolve(to),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void delete(String name) throws IOException {
        checkLock();
        Files.deleteIfExists(folder.resolve(name));
    }

    @Override
    public void forceFolder() throws IOException {
        forceFolder(folder);
    }

    private static void forceFolder(Path folder) throws IOException {
        if (File.separatorChar == '\\') {
            return; // Windows opens no folders; NTFS journals its own metadata.
        }
        try (FileChannel channel = FileChannel.open(folder, READ)) {
            channel.force(true);
        }
    }

    @Override
    public @Nullable Closeable tryLock(String name) throws IOException {
        lock = FolderLock.tryLock(folder.resolve(name));
        return lock;
    }

    @Override
    public void checkLock() throws IOException {
        if (lock != null) {
            lock.check();
        }
    }

    @Override
    public String describe(String name) {
        return folder.resolve(name).toString();
    }

    private static final class DiskFile implements SegmentFile {
        private final FileChannel channel;

        DiskFile(FileChannel channel) {
            this.channel = channel;
        }

        @Override
        public long size() throws IOException {
            return channel.size();
        }

        @Override
        public int read(ByteBuffer dst, long position) throws IOException {
            return channel.read(dst, position);
        }

        @Override
        public void write(ByteBuffer src, long position) throws IOException {
            long at = position;
            while (src.hasRemaining()) {
                at += channel.write(src, at);
            }
        }

        @Override
        public void force() throws IOException {
            channel.force(true);
        }

        @Override
        public ByteBuffer map() throws IOException {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size());
        }

        @Override
        public void force(ByteBuffer map, int from, int length) {
            ((MappedByteBuffer) map).force(from, length);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
