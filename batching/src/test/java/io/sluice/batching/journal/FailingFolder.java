package io.sluice.batching.journal;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** Paths of the default file system, on which chosen calls fail as they do on a device that gives up. One thread. */
@NullMarked
final class FailingFolder extends FileSystem {
    private final Path real;
    private final FileSystem below;
    private final Provider provider;

    /** How many files a folder's list names before it fails; -1 for all. */
    int namesBeforeFailure = -1;

    /** How many looks at a file's attributes succeed before one fails; -1 for all. */
    int looksBeforeFailure = -1;

    /** What was opened of the path and the folders above it, as to force them. */
    final List<String> opened = new ArrayList<>();

    FailingFolder(Path real) {
        this.real = real;
        below = real.getFileSystem();
        provider = new Provider(below.provider());
    }

    /** The path, with this file system's failures. */
    Path path() {
        return failing(real);
    }

    private Path failing(Path path) {
        return (Path) Proxy.newProxyInstance(
                FailingFolder.class.getClassLoader(), new Class<?>[] {Path.class}, (self, method, arguments) -> {
                    if (method.getName().equals("getFileSystem")) {
                        return this;
                    }
                    try {
                        Object answer = method.invoke(path, arguments);
                        return method.getName().equals("getParent") && answer != null ? failing((Path) answer) : answer;
                    } catch (InvocationTargetException e) {
                        throw Objects.requireNonNull(e.getCause());
                    }
                });
    }

    private Path real(Path path) {
        return Proxy.isProxyClass(path.getClass()) ? path.toAbsolutePath() : path;
    }

    /** The default provider, and its failures. */
    private final class Provider extends FileSystemProvider {
        private final FileSystemProvider to;

        Provider(FileSystemProvider to) {
            this.to = to;
        }

        @Override
        public DirectoryStream<Path> newDirectoryStream(Path dir, DirectoryStream.Filter<? super Path> filter)
                throws IOException {
            DirectoryStream<Path> all = to.newDirectoryStream(real(dir), filter);
            Iterator<Path> names = all.iterator();
            return new DirectoryStream<>() {
                private int named;

                @Override
                public Iterator<Path> iterator() {
                    return new Iterator<>() {
                        @Override
                        public boolean hasNext() {
                            if (named == namesBeforeFailure) {
                                throw new DirectoryIteratorException(new IOException("planned"));
                            }
                            return names.hasNext();
                        }

                        @Override
                        public Path next() {
                            if (!hasNext()) {
                                throw new NoSuchElementException();
                            }
                            named++;
                            return names.next();
                        }
                    };
                }

                @Override
                public void close() throws IOException {
                    all.close();
                }
            };
        }

        @Override
        public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
                throws IOException {
            if (looksBeforeFailure >= 0 && looksBeforeFailure-- == 0) {
                throw new IOException("planned");
            }
            return to.readAttributes(real(path), type, options);
        }

        @Override
        public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
                throws IOException {
            opened.add(path.toString());
            return to.newFileChannel(real(path), options, attributes);
        }

        @Override
        public String getScheme() {
            return "failing";
        }

        @Override
        public FileSystem newFileSystem(URI uri, Map<String, ?> environment) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileSystem getFileSystem(URI uri) {
            return FailingFolder.this;
        }

        @Override
        public Path getPath(URI uri) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SeekableByteChannel newByteChannel(
                Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
            return to.newByteChannel(real(path), options, attributes);
        }

        @Override
        public void createDirectory(Path dir, FileAttribute<?>... attributes) throws IOException {
            to.createDirectory(real(dir), attributes);
        }

        @Override
        public void delete(Path path) throws IOException {
            to.delete(real(path));
        }

        @Override
        public void copy(Path source, Path target, CopyOption... options) throws IOException {
            to.copy(real(source), real(target), options);
        }

        @Override
        public void move(Path source, Path target, CopyOption... options) throws IOException {
            to.move(real(source), real(target), options);
        }

        @Override
        public boolean isSameFile(Path path, Path path2) throws IOException {
            return to.isSameFile(real(path), real(path2));
        }

        @Override
        public boolean isHidden(Path path) throws IOException {
            return to.isHidden(real(path));
        }

        @Override
        public FileStore getFileStore(Path path) throws IOException {
            return to.getFileStore(real(path));
        }

        @Override
        public void checkAccess(Path path, AccessMode... modes) throws IOException {
            to.checkAccess(real(path), modes);
        }

        @Override
        public <V extends FileAttributeView> @Nullable V getFileAttributeView(
                Path path, Class<V> type, LinkOption... options) {
            return to.getFileAttributeView(real(path), type, options);
        }

        @Override
        public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options)
                throws IOException {
            return to.readAttributes(real(path), attributes, options);
        }

        @Override
        public void setAttribute(Path path, String attribute, Object value, LinkOption... options) throws IOException {
            to.setAttribute(real(path), attribute, value, options);
        }
    }

    @Override
    public FileSystemProvider provider() {
        return provider;
    }

    @Override
    public void close() {}

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return below.getSeparator();
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return below.getRootDirectories();
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return below.getFileStores();
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return below.supportedFileAttributeViews();
    }

    @Override
    public Path getPath(String first, String... more) {
        return below.getPath(first, more);
    }

    @Override
    public PathMatcher getPathMatcher(String pattern) {
        return below.getPathMatcher(pattern);
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        return below.getUserPrincipalLookupService();
    }

    @Override
    public WatchService newWatchService() throws IOException {
        return below.newWatchService();
    }
}
