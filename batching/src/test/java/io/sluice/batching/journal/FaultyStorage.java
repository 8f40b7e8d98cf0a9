package io.sluice.batching.journal;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
final class FaultyStorage implements Storage {
    static final int PAGE = 4096;

    /** Thrown by the operation during which the power goes. */
    static final class PowerCut extends Error {
        private static final long serialVersionUID = 1L;

        PowerCut() {
            super("power cut", null, false, false);
        }
    }

    private static final class MemoryFile {
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
                java.util.Arrays.fill(device, before, length, (byte) 0xA5);
            }
        }
    }

    private record Change(
            @Nullable String removed,
            @Nullable String added,
            @Nullable MemoryFile file) {
        void apply(Map<String, MemoryFile> names) {
            if (removed != null) {
                names.remove(removed);
            }
            if (added != null && file != null) {
                names.put(added, file);
            }
        }
    }

    private final Map<String, MemoryFile> names = new HashMap<>();
    private final Map<String, MemoryFile> deviceNames = new HashMap<>();
    private final List<Change> unforced = new ArrayList<>();
    private boolean locked;

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
    int forces;
    /** Files made, and bytes written to and forces of files that are no segment yet. */
    int created;

    long bytesBesideSegments;
    int forcesBesideSegments;

    /** Throws at the next opening of a file with this name. */
    @Nullable
    String failOpening;

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
        Map<String, MemoryFile> found = new HashMap<>(deviceNames);
        int arrived = unforced.isEmpty() ? 0 : random.nextInt(unforced.size() + 1);
        for (Change change : unforced.subList(0, arrived)) {
            change.apply(found);
        }
        found.forEach((name, file) -> {
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
            after.names.put(name, copy);
            after.deviceNames.put(name, copy);
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
                    copy.put(name, bytes.clone());
                }
            } else {
                copy.put(name, file.live.clone());
            }
        });
        return copy;
    }

    private void put(String name, byte[] bytes) {
        MemoryFile file = new MemoryFile(bytes.clone(), bytes);
        names.put(name, file);
        deviceNames.put(name, file);
    }

    private void operation() throws IOException {
        tick();
        IOException failure = failNext;
        if (failure != null) {
            failNext = null;
            throw failure;
        }
    }

    private void change(@Nullable String removed, @Nullable String added, @Nullable MemoryFile file) {
        Change change = new Change(removed, added, file);
        change.apply(names);
        unforced.add(change);
    }

    private MemoryFile find(String name) throws IOException {
        MemoryFile file = names.get(name);
        if (file == null) {
            throw new NoSuchFileException(name);
        }
        return file;
    }

    @Override
    public void createFolder() {}

    @Override
    public List<String> list() {
        return new ArrayList<>(names.keySet());
    }

    @Override
    public boolean exists(String name) {
        return names.containsKey(name);
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
        java.util.Arrays.fill(file.device, (byte) 0xA5);
        change(null, name, file);
        return new Handle(file);
    }

    private long used() {
        return names.values().stream().mapToLong(file -> file.live.length).sum();
    }

    @Override
    public SegmentFile open(String name, boolean writable) throws IOException {
        if (name.equals(failOpening)) {
            failOpening = null;
            throw new IOException("too many open files");
        }
        return new Handle(find(name));
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
        unforced.forEach(change -> change.apply(deviceNames));
        unforced.clear();
    }

    @Override
    public @Nullable Closeable tryLock(String name) {
        if (locked) {
            return null;
        }
        locked = true;
        return () -> locked = false;
    }

    @Override
    public String describe(String name) {
        return "memory/" + name;
    }

    private final class Handle implements SegmentFile {
        private final MemoryFile file;

        Handle(MemoryFile file) {
            this.file = file;
        }

        @Override
        public long size() {
            return file.live.length;
        }

        @Override
        public int read(ByteBuffer dst, long position) {
            int length = (int) Math.min(dst.remaining(), file.live.length - position);
            if (length <= 0) {
                return -1;
            }
            dst.put(file.live, (int) position, length);
            Runnable meanwhile = afterNextRead;
            afterNextRead = null;
            if (meanwhile != null) {
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
                        if (file.device[i] != 0 && file.device[i] != (byte) 0xA5) {
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
        public void force() throws IOException {
            force(0, file.live.length);
        }

        @Override
        public ByteBuffer map() {
            return ByteBuffer.wrap(file.live);
        }

        @Override
        public void force(ByteBuffer map, int from, int length) throws IOException {
            if (from % PAGE != 0 || from + length > file.live.length) {
                throw new IOException("bad range " + from + ", " + length);
            }
            force(from, length);
        }

        private boolean isSegment() {
            return names.entrySet().stream()
                    .anyMatch(entry -> entry.getValue() == file && Frame.segmentIndex(entry.getKey()) >= 0);
        }

        private void force(int from, int length) throws IOException {
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

        @Override
        public void close() {}
    }
}
