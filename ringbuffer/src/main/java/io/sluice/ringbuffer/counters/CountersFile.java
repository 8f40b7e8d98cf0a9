package io.sluice.ringbuffer.counters;

import io.sluice.core.State;
import io.sluice.core.bytes.SafeBuffer;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.monitor.RingMonitor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.agrona.concurrent.status.CountersManager;
import org.jspecify.annotations.Nullable;

/**
 * Writes the figures of rings to a mapped file, as Agrona's counters, for other processes to read while this one runs: with
 * {@link CountersFileReader}, with {@code ./sluice stat}, or with Agrona's {@code CountersReader} over the file's two regions.
 * The rings do not notice: {@link #update}, called by the application now and then, takes snapshots and copies them.
 *
 * <p>Belongs to one thread at a time.
 */
public final class CountersFile implements AutoCloseable {
    /** Agrona frees nothing for reuse before this: readers that look at a freed counter see zero meanwhile. */
    private static final long REUSE_MILLIS = 1_000;

    private static final RingCounter[] ALL = RingCounter.values();

    /** How many counters a ring has, and each consumer: there is room for all of them, or none is written. */
    private static final int TOGETHER = 10;

    /** The number of no counter. */
    private static final int NONE = -1;

    private final SafeBuffer file;
    private final SafeBuffer header;
    private final SafeBuffer key = SafeBuffer.allocate(2 * Integer.BYTES);
    private final CountersManager counters;
    private final List<Entry> entries = new ArrayList<>();
    private int rings;
    private boolean closed;

    private CountersFile(SafeBuffer file, int capacity) {
        this.file = file;
        header = CountersLayout.header(file);
        counters = new CountersManager(
                CountersLayout.metadata(file, capacity),
                CountersLayout.values(file, capacity),
                StandardCharsets.UTF_8,
                System::currentTimeMillis,
                REUSE_MILLIS);
        header.putLong(CountersLayout.PROCESS_AT, ProcessHandle.current().pid());
        header.putLong(CountersLayout.STARTED_AT, System.currentTimeMillis());
        header.putLong(CountersLayout.UPDATED_AT, System.currentTimeMillis());
        header.putLong(CountersLayout.COUNTERS_AT, capacity);
        header.putLongVolatile(CountersLayout.MAGIC_AT, CountersLayout.MAGIC); // volatile: after the header's rest
    }

    /**
     * Makes a file, in place of one that is there.
     *
     * @param file where; on Linux best in memory, below {@code /dev/shm}
     * @param capacity how many counters it has room for, 1 to 100,000: ten for each ring, one more once it has failed (left out
     *     where there is no room), and ten for each consumer; 640 bytes each
     * @return a file without counters
     * @throws IllegalArgumentException if the capacity is out of its range
     * @throws IOException if the file can not be written
     */
    public static CountersFile create(Path file, int capacity) throws IOException {
        Check.notNull(file, "file");
        Check.inRange(capacity, 1, CountersLayout.MOST_COUNTERS, "capacity");
        // A new file, not the old one made empty: a read beyond the end kills a process that has that one mapped.
        Files.deleteIfExists(file);
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new CountersFile(
                    SafeBuffer.map(channel, FileChannel.MapMode.READ_WRITE, 0, CountersLayout.fileLength(capacity)),
                    capacity);
        }
    }

    /**
     * Adds a ring with all of its consumers, present and future, and writes its figures.
     *
     * @param monitor a monitor of the ring, to be used by this file only from now on
     * @throws IllegalArgumentException if the monitor, or a ring of the same name, is in the file already
     * @throws IllegalStateException if there is no room for the counters, or the file is closed
     */
    public void add(RingMonitor monitor) {
        Check.notNull(monitor, "monitor");
        checkOpen();
        for (Entry entry : entries) {
            if (entry.monitor == monitor) {
                throw new IllegalArgumentException(
                        "monitor of ring " + monitor.name() + " must be added once, but is in the file already");
            }
            if (entry.monitor.name().equals(monitor.name())) {
                throw new IllegalArgumentException("ring name must be one that no other ring of the file has, but "
                        + monitor.name() + " is in the file already");
            }
        }
        monitor.sample();
        Entry entry = new Entry(monitor, rings++);
        try {
            entry.write();
        } catch (Throwable t) {
            entry.free();
            throw t;
        }
        entries.add(entry);
    }

    /**
     * Takes a ring out of the file.
     *
     * @param monitor the monitor that was added
     * @return whether it was there
     */
    public boolean remove(RingMonitor monitor) {
        checkOpen();
        for (Iterator<Entry> all = entries.iterator(); all.hasNext(); ) {
            Entry entry = all.next();
            if (entry.monitor == monitor) {
                all.remove();
                entry.free();
                return true;
            }
        }
        return false;
    }

    /**
     * Takes a snapshot of each ring and writes it. A snapshot costs what {@link RingMonitor#sample} states. Makes no garbage while
     * no consumer joins or leaves and no ring fails. A consumer that has joined and finds no room is left out; each update looks for room
     * again, and all else is written. Room that others leave is free after a second. A ring that cannot be read, as where a gating sequence
     * of the program's own throws, keeps the figures that it had, and all others are written. The platform's {@code System.Logger} named
     * {@code io.sluice.ringbuffer} is told once of each consumer left out, and of a ring that cannot be read, until it can.
     *
     * @throws IllegalStateException if the file is closed
     */
    public void update() {
        checkOpen();
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            try {
                entry.monitor.sample();
                entry.write();
                entry.told = false;
            } catch (Throwable t) {
                // a gating sequence that throws, or no memory: no reason to leave out the other rings
                entry.tell(t);
            }
        }
        header.putLongVolatile(CountersLayout.UPDATED_AT, System.currentTimeMillis()); // volatile: after the values
    }

    /**
     * Marks the file as closed and unmaps it once the garbage collector finds it unused; the file stays, with its last
     * figures. Closing it again does nothing.
     */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        header.putLongVolatile(CountersLayout.CLOSED_AT, 1); // volatile: after the last figures
        file.close();
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the counters file must be open, but is closed");
        }
    }

    /** One ring in the file. */
    private final class Entry {
        private final RingMonitor monitor;
        private final int number;
        private final int[] ids = new int[ALL.length];
        private final List<ConsumerEntry> ordered = new ArrayList<>();
        private int joined;
        private boolean written;
        private boolean failed;
        private boolean told;

        Entry(RingMonitor monitor, int number) {
            this.monitor = monitor;
            this.number = number;
            Arrays.fill(ids, NONE);
        }

        void write() {
            if (!written) {
                if (!allocate(ids, false, number, -1, monitor.name(), monitor.name())) {
                    noRoom(monitor.name());
                }
                written = true;
            }
            for (RingCounter counter : ALL) {
                if (!counter.ofConsumer() && counter.isPermanent()) {
                    counters.setCounterValue(ids[counter.number()], counter.value(monitor));
                }
            }
            for (int i = 0; i < ordered.size(); i++) {
                ordered.get(i).seen = false;
            }
            for (int i = 0; i < monitor.consumers(); i++) {
                write(monitor.consumer(i));
            }
            for (int i = ordered.size() - 1; i >= 0; i--) {
                ConsumerEntry entry = ordered.get(i);
                if (!entry.seen) { // it has left
                    release(entry.ids);
                    ordered.remove(i);
                }
            }
            if (monitor.state() == State.FAILED && !failed) {
                writeFailure(); // last: what was thrown may throw when it is asked for its words
                failed = true; // said once, also if there is no room
            }
        }

        /** Tells the log, once until the ring can be read again. Throws nothing: the other rings come next. */
        private void tell(Throwable thrown) {
            if (told) {
                return;
            }
            try {
                System.getLogger("io.sluice.ringbuffer")
                        .log(
                                System.Logger.Level.WARNING,
                                "ring " + monitor.name()
                                        + " is in the counters file, but cannot be read: its figures stay as they were",
                                thrown);
                told = true;
            } catch (Throwable t) {
                // a log that throws, or no memory: the next update tells it
            }
        }

        /** A counter comes with its label: a reader sees the whole cause, or none yet. */
        private void writeFailure() {
            String cause = monitor.failure();
            if (cause != null && counters.available() > 0) {
                int id = allocate(cause, RingCounter.FAILURE, number, -1);
                ids[RingCounter.FAILURE.number()] = id;
                counters.setCounterValue(id, 1);
            }
        }

        private void write(RingMonitor.ConsumerSample sample) {
            ConsumerEntry entry = find(sample);
            boolean isNew = entry == null;
            if (entry == null) {
                entry = new ConsumerEntry(sample);
                ordered.add(entry);
            }
            entry.seen = true;
            if (!entry.written) {
                String inWords = monitor.name() + ", consumer " + sample.name();
                entry.written = allocate(entry.ids, true, number, joined, sample.name(), inWords);
                if (!entry.written) {
                    if (isNew) {
                        noRoom(inWords);
                    }
                    return;
                }
                joined++;
            }
            for (RingCounter counter : ALL) {
                if (counter.ofConsumer()) {
                    counters.setCounterValue(entry.ids[counter.number()], counter.value(sample));
                }
            }
        }

        /** Refuses a ring that is being added. Later it logs: an update that threw would keep the others' figures from being written. */
        private void noRoom(String inWords) {
            String message = "the file must hold ten counters for each ring and ten for each consumer, but holds "
                    + counters.capacity() + ": no room for the counters of " + inWords;
            if (!entries.contains(this)) {
                throw new IllegalStateException(message);
            }
            System.getLogger("io.sluice.ringbuffer").log(System.Logger.Level.WARNING, message);
        }

        private @Nullable ConsumerEntry find(RingMonitor.ConsumerSample sample) {
            for (int i = 0; i < ordered.size(); i++) {
                if (ordered.get(i).sample == sample) {
                    return ordered.get(i);
                }
            }
            return null;
        }

        void free() {
            release(ids);
            ordered.forEach(entry -> release(entry.ids));
        }
    }

    /** One consumer in the file. */
    private static final class ConsumerEntry {
        private final RingMonitor.ConsumerSample sample;
        private final int[] ids = new int[ALL.length];
        private boolean seen;
        private boolean written;

        ConsumerEntry(RingMonitor.ConsumerSample sample) {
            this.sample = sample;
            Arrays.fill(ids, NONE);
        }
    }

    /**
     * Allocates all counters or none. Returns whether there is room. Looks first: a counter that is given back is free only a second later.
     * If it was cut off, as without memory, the next call takes those that are missing.
     */
    private boolean allocate(int[] ids, boolean ofConsumer, int ring, int consumer, String name, String inWords) {
        int taken = 0;
        for (int id : ids) {
            taken += id >= 0 ? 1 : 0;
        }
        if (counters.available() < TOGETHER - taken) {
            return false;
        }
        for (RingCounter counter : ALL) {
            if (counter.ofConsumer() == ofConsumer && counter.isPermanent() && ids[counter.number()] < 0) {
                boolean head = counter == RingCounter.RING || counter == RingCounter.CONSUMER;
                ids[counter.number()] =
                        allocate(head ? name : inWords + ": " + counter.title(), counter, ring, consumer);
            }
        }
        return true;
    }

    /** Agrona's form that takes a function for the key would make one of Agrona's own buffers, which need an option of the JVM. */
    private int allocate(String label, RingCounter counter, int ring, int consumer) {
        key.putInt(0, ring);
        key.putInt(Integer.BYTES, consumer);
        byte[] bytes = label.getBytes(StandardCharsets.UTF_8);
        return counters.allocate(counter.typeId(), key, 0, key.capacity(), new SafeBuffer(bytes), 0, bytes.length);
    }

    private void release(int[] ids) {
        for (int i = 0; i < ids.length; i++) {
            int id = ids[i];
            ids[i] = NONE; // first: what is cut off is not given back twice
            if (id >= 0) {
                counters.free(id);
            }
        }
    }
}
