package io.sluice.batching.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * A folder in memory with a page cache of its own: what was not forced is, at a cut, kept, dropped, torn or turned into
 * garbage, page by page. The order of pages does not matter then: any subset may have arrived.
 *
 * <p>File creations, renames and deletions arrive in order, but only up to a random one after the last forced one.
 */
@NullMarked
final class FaultyStorage extends MemoryStorage<FaultyStorage.MemoryFile> {
    /** Thrown by the operation during which the power goes. */
    static final class PowerCut extends Error {
        private static final long serialVersionUID = 1L;

        PowerCut() {
            super("power cut", null, false, false);
        }
    }

    static final class MemoryFile {
        byte[] live;
        byte[] device;

        MemoryFile(byte[] live, byte[] device) {
            this.live = live;
            this.device = device;
        }

        /** Grows by what is written behind the end; what the blocks held before stays on the device until a force. */
        void grow(int length) {
            int before = live.length;
            if (length > before) {
                live = java.util.Arrays.copyOf(live, length);
                device = java.util.Arrays.copyOf(device, length);
                java.util.Arrays.fill(device, before, length, OLD_CONTENT);
            }
        }
    }

    /** How many operations succeed before the power goes. */
    long operationsLeft = Long.MAX_VALUE;
    /** How many bytes files may take in all. */
    long capacity = Long.MAX_VALUE;
    /** The twin: force returns at once, and is carried out at the next write. */
    boolean acknowledgeBeforeForce;
    /** The next write, force or folder force throws this. */
    @Nullable
    IOException failNext;
    /** Set while a journal is open: no page that was forced with content may then be written again. */
    boolean demandFreshPages;

    /** Run once, after the next read has taken its bytes. */
    @Nullable
    Runnable afterNextRead;

    int rewrittenPages;
    /** Files made, and bytes written to and forces of files that are no segment yet. */
    int created;

    long bytesBesideSegments;
    int forcesBesideSegments;

    /** How many files that exist were opened, and not closed yet. */
    int open;

    long bytesRead;

    /** Throws at the next opening of a file with this name. */
    @Nullable
    String failOpening;

    /** The next force of the folder throws this. */
    @Nullable
    IOException failNextFolderForce;
    /** The next mapping of a file throws this. */
    @Nullable
    Error failNextMapping;
    /** Run once, before the next question whether a file is there, or the next opening, of a file with this name. */
    @Nullable
    Runnable beforeNextLookAt;

    @Nullable
    String lookedAt;

    private @Nullable Runnable postponed;

    /** Counts as an operation at which the power may go, such as a store into a mapping. */
    void tick() {
        if (operationsLeft-- <= 0) {
            throw new PowerCut();
        }
    }

    /** What is found after the power came back. */
    FaultyStorage afterCut(SplittableRandom random) {
        FaultyStorage after = new FaultyStorage();
        int arrived = unforced.isEmpty() ? 0 : random.nextInt(unforced.size() + 1);
        namedAfter(arrived).forEach((name, file) -> {
            byte[] bytes = file.device.clone();
            for (int page = 0; page < bytes.length; page += PAGE) {
                int length = Math.min(PAGE, bytes.length - page);
                if (java.util.Arrays.equals(file.live, page, page + length, file.device, page, page + length)) {
                    continue;
                }
                switch (random.nextInt(8)) {
                    case 0, 1, 2 -> {} // dropped
                    case 3, 4, 5 -> System.arraycopy(file.live, page, bytes, page, length);
                    case 6 -> {
                        int torn = random.nextBoolean() ? random.nextInt(length) & -512 : random.nextInt(length);
                        System.arraycopy(file.live, page, bytes, page, torn);
                    }
                    default -> {
                        for (int i = page; i < page + length; i++) {
                            bytes[i] = (byte) random.nextInt();
                        }
                    }
                }
            }
            MemoryFile copy = new MemoryFile(bytes.clone(), bytes);
            after.put(name, copy);
        });
        return after;
    }

    /** What the next process finds if this one dies: the page cache is kept, and nothing more is on the device. */
    FaultyStorage afterKill() {
        locked = false;
        return this;
    }

    /** The bytes of a file, to be changed by a test. */
    byte[] bytes(String name) {
        return java.util.Objects.requireNonNull(names.get(name)).live;
    }

    /** A copy with some bytes of a file replaced, all of it on the device. */
    FaultyStorage copyWith(String changed, byte @Nullable [] bytes) {
        FaultyStorage copy = new FaultyStorage();
        names.forEach((name, file) -> {
            if (name.equals(changed)) {
                if (bytes != null) {
                    copy.put(name, forced(bytes.clone()));
                }
            } else {
                copy.put(name, forced(file.live.clone()));
            }
        });
        return copy;
    }

    private static MemoryFile forced(byte[] bytes) {
        return new MemoryFile(bytes.clone(), bytes);
    }

    private void operation() throws IOException {
        tick();
        IOException failure = failNext;
        if (failure != null) {
            failNext = null;
            throw failure;
        }
    }

    @Override
    public SegmentFile create(String name, long size) throws IOException {
        operation();
        created++;
        if (names.containsKey(name)) {
            throw new FileAlreadyExistsException(name);
        }
        long used = used();
        if (used + size > capacity) {
            MemoryFile torso = new MemoryFile(new byte[(int) (capacity - used)], new byte[(int) (capacity - used)]);
            change(null, name, torso);
            throw new IOException("No space left on device");
        }
        MemoryFile file = new MemoryFile(new byte[(int) size], new byte[(int) size]);
        // What the blocks held before they were given to this file, until zeros are forced over it.
        java.util.Arrays.fill(file.device, OLD_CONTENT);
        change(null, name, file);
        return new OpenFile(file);
    }

    long used() {
        return names.values().stream().mapToLong(file -> file.live.length).sum();
    }

    private void looksAt(String name) {
        Runnable meanwhile = beforeNextLookAt;
        if (meanwhile != null && name.equals(lookedAt)) {
            beforeNextLookAt = null;
            meanwhile.run();
        }
    }

    @Override
    public boolean exists(String name) {
        looksAt(name);
        return names.containsKey(name);
    }

    @Override
    public SegmentFile open(String name, boolean writable) throws IOException {
        looksAt(name);
        if (name.equals(failOpening)) {
            failOpening = null;
            throw new IOException("too many open files");
        }
        MemoryFile file = find(name);
        open++;
        return new OpenFile(file) {
            private boolean closed;

            @Override
            public void close() {
                open -= closed ? 0 : 1;
                closed = true;
            }
        };
    }

    @Override
    public void rename(String from, String to) throws IOException {
        operation();
        change(from, to, find(from));
    }

    @Override
    public void delete(String name) throws IOException {
        operation();
        if (names.containsKey(name)) {
            change(name, null, null);
        }
    }

    @Override
    public void forceFolder() throws IOException {
        operation();
        IOException failure = failNextFolderForce;
        if (failure != null) {
            failNextFolderForce = null;
            throw failure;
        }
        forceChanges();
    }

    private class OpenFile extends Handle {
        private final MemoryFile file;

        OpenFile(MemoryFile file) {
            this.file = file;
        }

        @Override
        byte[] content() {
            return file.live;
        }

        @Override
        public int read(ByteBuffer dst, long position) throws IOException {
            int length = super.read(dst, position);
            bytesRead += Math.max(0, length);
            Runnable meanwhile = afterNextRead;
            if (length > 0 && meanwhile != null) {
                afterNextRead = null;
                meanwhile.run();
            }
            return length;
        }

        @Override
        public void write(ByteBuffer src, long position) throws IOException {
            Runnable late = postponed;
            postponed = null;
            if (late != null) {
                late.run();
            }
            int from = (int) position;
            int length = src.remaining();
            int grown = Math.max(0, from + length - file.live.length);
            if (grown > 0 && used() + grown > capacity) {
                throw new IOException("No space left on device");
            }
            file.grow(from + length);
            bytesBesideSegments += isSegment() ? 0 : length;
            if (demandFreshPages && isSegment()) {
                // Page 0 is the header, written before the file gets its name; a spare may bear an unused one.
                for (int page = Math.max(PAGE, from / PAGE * PAGE); page < from + length; page += PAGE) {
                    for (int i = page; i < Math.min(page + PAGE, file.device.length); i++) {
                        if (file.device[i] != 0 && file.device[i] != OLD_CONTENT) {
                            rewrittenPages++;
                            break;
                        }
                    }
                }
            }
            src.get(file.live, from, length);
            operation(); // after the store: a cut leaves any part of it
        }

        @Override
        public ByteBuffer map() {
            Error failure = failNextMapping;
            if (failure != null) {
                failNextMapping = null;
                throw failure;
            }
            return ByteBuffer.wrap(file.live);
        }

        private boolean isSegment() {
            return names.entrySet().stream()
                    .anyMatch(entry -> entry.getValue() == file && FileNames.segmentIndex(entry.getKey()) >= 0);
        }

        @Override
        void force(int from, int length) throws IOException {
            operation(); // before the pages are safe: a cut leaves any part of them
            forces++;
            forcesBesideSegments += isSegment() ? 0 : 1;
            byte[] snapshot = java.util.Arrays.copyOfRange(file.live, from, from + length);
            Runnable work = () -> System.arraycopy(snapshot, 0, file.device, from, length);
            if (acknowledgeBeforeForce) {
                postponed = work;
            } else {
                work.run();
            }
        }
    }
}
