package io.sluice.perf.lab;

import io.sluice.perf.Pinning;
import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.report.Role;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.JMException;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;

/**
 * Records that live, in one of three forms, while all is collected. The figure is the longest time in which a thread that only looks at the
 * clock did not see it. Each sample asks for one full collection, and checks the records after it.
 */
final class Blobs implements Contestant {
    private static final int RECORD = 32;
    private static final int MIB = 1 << 20;
    private static final int BLOB = 1 << 18;

    /** The flag of a collector that a JVM has only if it was built with that collector. */
    private static final Map<String, String> OWN_FLAGS =
            Map.of("Z", "ZCollectionInterval", "Shenandoah", "ShenandoahGCMode");

    /** The forms in which records live. */
    enum Form {
        /** An object for each. */
        OBJECTS("objects"),
        /** In arrays of 256 KiB. */
        BYTES_ON_HEAP("bytes"),
        /** In memory outside of the heap. */
        OFF_HEAP("off-heap");

        final String id;

        Form(String id) {
            this.id = id;
        }
    }

    /** With the head of an object 32 bytes, where references have 4; else 40. */
    private static final class Item {
        private final long value;
        private final long inverse;
        private final @Nullable Item next;

        Item(long value, @Nullable Item next) {
            this.value = value;
            this.inverse = ~value;
            this.next = next;
        }
    }

    /** Gives the sum of all records. */
    private interface Records {
        long sum();
    }

    private final Records records;
    private final long count;

    Blobs(Form form, int count) {
        this.count = count;
        records = switch (form) {
            case OBJECTS -> objects(count);
            case BYTES_ON_HEAP -> buffers(count, true);
            case OFF_HEAP -> buffers(count, false);
        };
    }

    /** Each collector that this JVM has, and each form; where memory is small, two collectors. */
    static List<Entry> entries() {
        int live = Settings.liveMib();
        int heap = heapMib(live);
        List<String> collectors = collectors(Settings.room(), live);
        List<Entry> entries = new ArrayList<>();
        for (String collector : collectors) {
            for (Form form : new Form[] {Form.OFF_HEAP, Form.BYTES_ON_HEAP, Form.OBJECTS}) {
                String name = collector.toLowerCase(Locale.ROOT);
                entries.add(new Entry(
                        form.id + "-" + name,
                        form.id + ", " + collector,
                        Role.PEER,
                        () -> new Blobs(form, live * (MIB / RECORD)),
                        List.of(
                                "-XX:+Use" + collector + "GC",
                                "-Xms" + heap + "m",
                                "-Xmx" + heap + "m",
                                "-XX:MaxDirectMemorySize=" + (live + 64) + "m")));
            }
        }
        return entries;
    }

    private static int heapMib(int live) {
        return 4 * live + 128;
    }

    private static List<String> collectors(long room, int live) {
        List<String> all = all();
        return fits(room, all.size(), heapMib(live), live) ? all : List.of("Serial", "G1");
    }

    /** The collectors that this JVM has. */
    private static List<String> all() {
        List<String> all = new ArrayList<>(List.of("Serial", "Parallel", "G1"));
        for (String collector : List.of("Z", "Shenandoah")) {
            if (has(collector)) {
                all.add(collector);
            }
        }
        return all;
    }

    /** The note for the case that collectors are left out. */
    static List<String> notes(long room) {
        List<String> chosen = collectors(room, Settings.liveMib());
        return chosen.size() == all().size()
                ? List.of()
                : List.of("Memory is small, " + room / MIB + " MiB, so only " + String.join(" and ", chosen)
                        + " were measured.");
    }

    /** All contestants live at the same time, in three forms for each collector. */
    static boolean fits(long room, int collectors, int heapMib, int liveMib) {
        return room > 3L * collectors * (heapMib + liveMib + 64L) * MIB;
    }

    static boolean has(String collector) {
        try {
            ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=HotSpotDiagnostic"),
                            "getVMOption",
                            new Object[] {OWN_FLAGS.getOrDefault(collector, "Use" + collector + "GC")},
                            new String[] {String.class.getName()});
            return true;
        } catch (JMException | RuntimeException e) {
            return false; // no such flag, or another JVM
        }
    }

    private static Records objects(int count) {
        Item[] items = new Item[count];
        Item last = null;
        for (int i = 0; i < count; i++) {
            last = new Item(i, last);
            items[i] = last;
        }
        return () -> {
            long sum = 0;
            for (int i = 0; i < count; i++) {
                Item item = items[i];
                sum += item.value;
                if (item.inverse != ~item.value || item.next != (i == 0 ? null : items[i - 1])) {
                    throw new IllegalStateException("record " + i + " must follow the one before it, but does not");
                }
            }
            return sum;
        };
    }

    private static Records buffers(int count, boolean onHeap) {
        int each = BLOB / RECORD;
        List<ByteBuffer> blobs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (i % each == 0) {
                blobs.add(onHeap ? ByteBuffer.allocate(BLOB) : ByteBuffer.allocateDirect(BLOB));
            }
            blobs.get(i / each).putLong(i % each * RECORD, i);
        }
        return () -> {
            long sum = 0;
            for (int i = 0; i < count; i++) {
                sum += blobs.get(i / each).getLong(i % each * RECORD);
            }
            return sum;
        };
    }

    @Override
    public double sample(long nanos) throws InterruptedException {
        AtomicBoolean ended = new AtomicBoolean();
        CountDownLatch there = new CountDownLatch(1);
        long[] longest = new long[1];
        Thread watch = ToAndFro.platform().start(() -> {
            Pinning.pin(0);
            long last = System.nanoTime();
            there.countDown();
            boolean over;
            do {
                // opaque: seen some time soon. Before the clock: the thread that ends the loop may go on first.
                over = ended.getOpaque();
                long now = System.nanoTime();
                longest[0] = Math.max(longest[0], now - last);
                last = now;
            } while (!over);
        });
        there.await();
        System.gc();
        ended.setOpaque(true); // opaque: as above
        watch.join();
        long sum = records.sum();
        if (sum != count * (count - 1) / 2) {
            throw new IllegalStateException(
                    "the records must add up to " + count * (count - 1) / 2 + ", but did to " + sum);
        }
        return longest[0];
    }

    @Override
    public int warmUps() {
        return 2;
    }
}
