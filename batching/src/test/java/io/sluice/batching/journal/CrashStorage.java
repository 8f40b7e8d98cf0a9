package io.sluice.batching.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * A folder in memory that knows, page by page, what the device may hold: the last forced content, and every content that was
 * written since. It tells a hook after each operation, and lets it list what a loss of power would leave.
 *
 * <p>A force that fails marks all dirty pages clean, as Linux does, though only some of them have reached the device. A later
 * force has nothing to write then. The page cache goes on showing what was written, until it evicts the page.
 *
 * <p>Creations, renames and deletions reach the device in order; a forced folder has all of them.
 *
 * <p>It may be full, and refuse whatever a {@link Refusal} says.
 */
@NullMarked
final class CrashStorage extends MemoryStorage<CrashStorage.MemoryFile> {
    /** What the device may hold of a page that is not forced, in place of the forced content, oldest first. */
    private static final class Dirty {
        final List<byte[]> versions = new ArrayList<>();
        final List<Long> hashes = new ArrayList<>();
    }

    static final class MemoryFile {
        byte[] live;
        byte[] device;
        /** Whether the array belongs to somebody else too; then a copy is made before it is changed. */
        boolean liveShared;

        boolean deviceShared;
        final TreeMap<Integer, Dirty> dirty = new TreeMap<>();

        byte[] ownLive() {
            if (liveShared) {
                live = live.clone();
                liveShared = false;
            }
            return live;
        }

        byte[] ownDevice() {
            if (deviceShared) {
                device = device.clone();
                deviceShared = false;
            }
            return device;
        }

        /** A file on the device, and in the page cache as it is there. */
        static MemoryFile of(byte[] bytes) {
            MemoryFile file = new MemoryFile(bytes, bytes);
            file.liveShared = true;
            file.deviceShared = true;
            return file;
        }

        /** A number for each page of the device, so that states can be told apart quickly; null if out of date. */
        private long @Nullable [] deviceHashes;

        private long deviceSum;

        long devicePage(int page) {
            long[] hashes = deviceHashes;
            if (hashes == null) {
                hashes = new long[(device.length + PAGE - 1) / PAGE];
                deviceSum = device.length;
                for (int i = 0; i < hashes.length; i++) {
                    hashes[i] = hash(device, i * PAGE, Math.min((i + 1) * PAGE, device.length));
                    deviceSum += mixed(i, hashes[i]);
                }
                deviceHashes = hashes;
            }
            return page < hashes.length ? hashes[page] : 0;
        }

        long devicePages() {
            devicePage(0);
            return deviceSum;
        }

        void deviceChanged() {
            deviceHashes = null;
        }

        /** What the mapping held at the last look, null if the file is not mapped. */
        byte @Nullable [] seen;

        MemoryFile(byte[] live, byte[] device) {
            this.live = live;
            this.device = device;
        }
    }

    /** Told after each operation, and before each force. */
    interface Hook {
        void at(CrashStorage storage);
    }

    @Nullable
    Hook hook;

    /** Which force of a file fails, counted from 1; 0 for none. */
    int failingForce;
    /** Which of the dirty pages reach the device when a force fails. */
    SplittableRandom arrivals = new SplittableRandom(0);

    /** From now on, the next force of a file fails. */
    void failsNextForce() {
        failingForce = forces + 1;
    }

    /** Set while a journal appends: no page of a segment that was forced with content may then be written again. */
    boolean demandFreshPages;

    // What is refused.

    /** What a storage is asked for. */
    enum Operation {
        LOOK,
        OPEN,
        READ,
        CREATE,
        WRITE,
        RENAME,
        DELETE,
        FORCE_FOLDER
    }

    /** Asked before each operation. */
    interface Refusal {
        /** Whether the operation throws. */
        boolean refuses(Operation operation);
    }

    @Nullable
    Refusal refusal;

    /** How many bytes the files may have in all. A file that has its bytes can be written. */
    long capacity = Long.MAX_VALUE;

    /** How often something was refused, or a force failed. */
    int refused;

    /** How often that was a file with a segment's name. */
    int refusedOfSegments;

    /** How often files or names were changed or forced. */
    int operations;

    /** How often a file with a segment's name was written or forced. */
    int operationsOnSegments;

    /** A file that is not found. It is there for who has opened it. */
    @Nullable
    String hidden;

    private void ask(Operation operation, String name) throws IOException {
        Refusal asked = refusal;
        if (asked != null && asked.refuses(operation)) {
            throw refused("refused to " + operation, name);
        }
    }

    private IOException refused(String reason, String name) {
        refused++;
        if (FileNames.segmentIndex(name) >= 0) {
            refusedOfSegments++;
        }
        return new IOException(reason + ": " + name);
    }

    private IOException full(String name) {
        return refused("No space left on device", name);
    }

    /** How many more bytes the files may have. */
    private long room() {
        return capacity == Long.MAX_VALUE ? capacity : Math.max(0, capacity - used());
    }

    /** How many bytes the files have in all. */
    long used() {
        long sum = 0;
        for (MemoryFile file : names.values()) {
            sum += file.live.length;
        }
        return sum;
    }

    private String nameOf(MemoryFile file) {
        for (Map.Entry<String, MemoryFile> entry : names.entrySet()) {
            if (entry.getValue() == file) {
                return entry.getKey();
            }
        }
        return ""; // deleted
    }

    private void told() {
        operations++;
        look();
        Hook told = hook;
        if (told != null) {
            told.at(this);
        }
    }

    /** Finds what was stored into mappings. */
    private void look() {
        for (MemoryFile file : names.values()) {
            byte[] seen = file.seen;
            if (seen != null) {
                for (int page = 0; page < file.live.length; page += PAGE) {
                    if (!Arrays.equals(file.live, page, page + PAGE, seen, page, page + PAGE)) {
                        System.arraycopy(file.live, page, seen, page, PAGE);
                        demandFresh(file, page);
                        written(file, page / PAGE);
                    }
                }
            }
        }
    }

    private void demandFresh(MemoryFile file, int from) {
        if (demandFreshPages && from > 0 && FileNames.segmentIndex(nameOf(file)) >= 0) { // page 0 is the header
            for (int i = from; i < Math.min(from + PAGE, file.device.length); i++) {
                if (file.device[i] != 0 && file.device[i] != OLD_CONTENT) {
                    throw new JournalOracle.Complaint(
                            "the forced page at " + from + " was written again: " + nameOf(file));
                }
            }
        }
    }

    private static void written(MemoryFile file, int page) {
        int from = page * PAGE;
        Dirty dirty = file.dirty.computeIfAbsent(page, any -> new Dirty());
        if (dirty.versions.size() == 3) {
            dirty.versions.remove(1); // the oldest and the newest ones are the telling ones
            dirty.hashes.remove(1);
        }
        byte[] content = Arrays.copyOfRange(file.live, from, Math.min(from + PAGE, file.live.length));
        dirty.versions.add(content);
        dirty.hashes.add(hash(content, 0, content.length));
    }

    // What a loss of power leaves.

    /** A page that is not forced. */
    record PageChoice(int file, int page, int versions) {}

    /** Chooses what becomes of the unforced pages. */
    interface Chooser {
        /** Which version arrives: -1 for none; and whether only the first, or only the second half of it. */
        int version(int index, PageChoice choice);

        default int half(int index) {
            return 0;
        }
    }

    int unforcedChanges() {
        return unforced.size();
    }

    /** The unforced pages of the files that have a name once so many of the unforced changes of the folder have arrived. */
    List<PageChoice> unforcedPages(int changes) {
        List<PageChoice> pages = new ArrayList<>();
        int number = 0;
        for (MemoryFile file : namedAfter(changes).values()) {
            for (Map.Entry<Integer, Dirty> dirty : file.dirty.entrySet()) {
                pages.add(new PageChoice(
                        number, dirty.getKey(), dirty.getValue().versions.size()));
            }
            number++;
        }
        return pages;
    }

    /** What is found when the power comes back. */
    CrashStorage afterCut(int changes, Chooser chooser) {
        CrashStorage after = new CrashStorage();
        int[] index = {0};
        int[] number = {0};
        namedAfter(changes).forEach((name, file) -> {
            byte[] bytes = file.dirty.isEmpty() ? file.device : file.device.clone();
            file.dirty.forEach((page, dirty) -> {
                int at = index[0]++;
                int version = chooser.version(at, new PageChoice(number[0], page, dirty.versions.size()));
                if (version >= 0) {
                    byte[] content = dirty.versions.get(version);
                    int from = chooser.half(at) == 2 ? content.length / 2 : 0;
                    int to = chooser.half(at) == 1 ? content.length / 2 : content.length;
                    System.arraycopy(content, from, bytes, page * PAGE + from, to - from);
                }
            });
            number[0]++;
            MemoryFile copy = MemoryFile.of(bytes);
            after.put(name, copy);
        });
        return after;
    }

    /** What the next process finds when this one dies: the page cache, and a device that holds no more than before. */
    CrashStorage afterKill() {
        look();
        CrashStorage after = new CrashStorage();
        java.util.IdentityHashMap<MemoryFile, MemoryFile> copies = new java.util.IdentityHashMap<>();
        names.forEach((name, file) -> after.names.put(name, copies.computeIfAbsent(file, CrashStorage::copy)));
        deviceNames.forEach(
                (name, file) -> after.deviceNames.put(name, copies.computeIfAbsent(file, CrashStorage::copy)));
        unforced.forEach(change -> after.unforced.add(new Change<>(
                change.removed(),
                change.added(),
                change.file() == null ? null : copies.computeIfAbsent(change.file(), CrashStorage::copy))));
        return after;
    }

    /** A segment of which several pages are not forced; null if there is none. */
    @Nullable
    String segmentOfUnforcedPages() {
        for (Map.Entry<String, MemoryFile> entry : names.entrySet()) {
            if (entry.getValue().dirty.size() > 1 && FileNames.segmentIndex(entry.getKey()) >= 0) {
                return entry.getKey();
            }
        }
        return null;
    }

    /** What is left where this process forces a file in vain, and dies: its pages count as clean, and some have arrived. */
    CrashStorage afterFailedForce(String name, SplittableRandom arriving) {
        CrashStorage after = afterKill();
        after.arrivals = arriving;
        after.failsNextForce();
        try (SegmentFile file = after.open(name, true)) {
            file.force();
        } catch (IOException asPlanned) {
            return after;
        }
        throw new IllegalStateException("the force of " + name + " did not fail");
    }

    private static MemoryFile copy(MemoryFile file) {
        MemoryFile copy = new MemoryFile(file.live.clone(), file.device.clone());
        file.dirty.forEach((page, dirty) -> {
            Dirty same = new Dirty();
            same.versions.addAll(dirty.versions);
            same.hashes.addAll(dirty.hashes);
            copy.dirty.put(page, same);
        });
        return copy;
    }

    /** The page cache forgets pages that it believes to be clean: they are read from the device again. */
    void evict(SplittableRandom random, int outOf) {
        for (MemoryFile file : names.values()) {
            for (int page = 0; page * PAGE < file.live.length; page++) {
                if (!file.dirty.containsKey(page) && random.nextInt(outOf) == 0) {
                    int from = page * PAGE;
                    System.arraycopy(file.device, from, file.ownLive(), from, Math.min(PAGE, file.live.length - from));
                }
            }
        }
    }

    /** Whether the page cache shows somewhere what is not on the device, and believes it is. */
    boolean lies() {
        for (MemoryFile file : names.values()) {
            for (int from = 0; from < file.live.length; from += PAGE) {
                int to = Math.min(from + PAGE, file.live.length);
                if (!file.dirty.containsKey(from / PAGE)
                        && !Arrays.equals(file.live, from, to, file.device, from, to)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Files and contents that {@link #afterCut} would give, to tell states apart before they are made. */
    long fingerprint(int changes, Chooser chooser) {
        long sum = 0;
        int index = 0;
        int number = 0;
        for (Map.Entry<String, MemoryFile> entry : namedAfter(changes).entrySet()) {
            MemoryFile file = entry.getValue();
            long content = file.devicePages();
            for (Map.Entry<Integer, Dirty> dirty : file.dirty.entrySet()) {
                int page = dirty.getKey();
                List<byte[]> versions = dirty.getValue().versions;
                int version = chooser.version(index, new PageChoice(number, page, versions.size()));
                if (version >= 0) {
                    int half = chooser.half(index);
                    long before = file.devicePage(page);
                    long after = dirty.getValue().hashes.get(version);
                    content += after == before ? 0 : mixed(page, after + half) - mixed(page, before);
                }
                index++;
            }
            number++;
            sum += mixed(entry.getKey().hashCode(), content);
        }
        return sum;
    }

    private static long mixed(long a, long b) {
        long c = (a + 0x9E3779B97F4A7C15L) * 0xD6E8FEB86659FD93L ^ b;
        c = (c ^ c >>> 32) * 0xD6E8FEB86659FD93L;
        return c ^ c >>> 32;
    }

    private static long hash(byte[] bytes, int from, int to) {
        long hash = (long) to - from;
        for (int i = from; i + 8 <= to; i += 8) {
            hash = (hash ^ (long) LONGS.get(bytes, i)) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        return hash;
    }

    private static final java.lang.invoke.VarHandle LONGS =
            java.lang.invoke.MethodHandles.byteArrayViewVarHandle(long[].class, java.nio.ByteOrder.nativeOrder());

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        names.forEach((name, file) ->
                text.append(name).append(':').append(file.live.length).append(' '));
        return text.toString();
    }

    // The folder.

    @Override
    public boolean exists(String name) throws IOException {
        ask(Operation.LOOK, name);
        return !name.equals(hidden) && super.exists(name);
    }

    @Override
    public SegmentFile create(String name, long size) throws IOException {
        ask(Operation.CREATE, name);
        if (names.containsKey(name)) {
            throw new FileAlreadyExistsException(name);
        }
        long taken = Math.min(size, room() & -PAGE);
        MemoryFile file = new MemoryFile(new byte[(int) taken], new byte[(int) taken]);
        grown(file, 0);
        change(null, name, file);
        told();
        if (taken < size) {
            throw full(name);
        }
        return new OpenFile(file);
    }

    /** Behind the old length the device holds what its blocks held before, until zeros arrive there. */
    private static void grown(MemoryFile file, int before) {
        Arrays.fill(file.device, before, file.device.length, OLD_CONTENT);
        file.deviceChanged();
        for (int page = before / PAGE; page * PAGE < file.live.length; page++) {
            written(file, page);
        }
    }

    @Override
    public SegmentFile open(String name, boolean writable) throws IOException {
        ask(Operation.OPEN, name);
        if (name.equals(hidden)) {
            throw new NoSuchFileException(name);
        }
        return new OpenFile(find(name));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        ask(Operation.RENAME, from);
        change(from, to, find(from));
        told();
    }

    @Override
    public void delete(String name) throws IOException {
        ask(Operation.DELETE, name);
        if (names.containsKey(name)) {
            change(name, null, null);
            told();
        }
    }

    @Override
    public void forceFolder() throws IOException {
        ask(Operation.FORCE_FOLDER, "");
        forceChanges();
        told();
    }

    private final class OpenFile extends Handle {
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
            if (refusal != null) {
                ask(Operation.READ, nameOf(file));
            }
            return super.read(dst, position);
        }

        @Override
        public void write(ByteBuffer src, long position) throws IOException {
            int length = src.remaining();
            int part = length;
            IOException failure = null;
            try {
                ask(Operation.WRITE, refusal == null ? "" : nameOf(file));
            } catch (IOException e) {
                failure = e;
                part = arrivals.nextInt(length / PAGE + 1) * PAGE; // some of it is written
            }
            long grown = Math.max(0, position + part - file.live.length);
            if (grown > room()) {
                part = Math.max(0, part - (int) (grown - (room() & -PAGE)));
                failure = full(nameOf(file));
            }
            if (part > 0) {
                write(src, (int) position, part);
            }
            told();
            if (failure != null) {
                throw failure;
            }
        }

        private void countSegment() {
            operationsOnSegments += FileNames.segmentIndex(nameOf(file)) < 0 ? 0 : 1;
        }

        private void write(ByteBuffer src, int from, int length) {
            countSegment();
            int before = file.live.length;
            if (from + length > before) {
                file.live = Arrays.copyOf(file.live, from + length);
                file.device = Arrays.copyOf(file.device, from + length);
                file.liveShared = false;
                file.deviceShared = false;
                Arrays.fill(file.device, before, from + length, OLD_CONTENT);
                file.deviceChanged();
            }
            src.get(file.ownLive(), from, length);
            for (int page = from / PAGE; page * PAGE < from + length; page++) {
                demandFresh(file, page * PAGE);
                written(file, page);
            }
        }

        @Override
        public ByteBuffer map() {
            file.seen = file.live.clone();
            return ByteBuffer.wrap(file.ownLive());
        }

        @Override
        void force(int from, int length) throws IOException {
            told(); // finds what was stored into a mapping, and lets the power go before the force
            forces++;
            countSegment();
            boolean fails = forces == failingForce;
            file.deviceChanged();
            Map<Integer, Dirty> forced = file.dirty.subMap(from / PAGE, (from + length + PAGE - 1) / PAGE);
            for (Map.Entry<Integer, Dirty> entry : forced.entrySet()) {
                if (!fails || arrivals.nextInt(3) == 0) {
                    int at = entry.getKey() * PAGE;
                    System.arraycopy(file.live, at, file.ownDevice(), at, Math.min(PAGE, file.live.length - at));
                }
            }
            forced.clear(); // also if it fails: no system keeps the pages dirty then
            told();
            if (fails) {
                throw refused("I/O error", nameOf(file));
            }
        }
    }
}
