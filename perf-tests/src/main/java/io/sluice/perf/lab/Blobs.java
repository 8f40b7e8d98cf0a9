package io.sluice.perf.lab;

import io.sluice.perf.Pinning;
import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.report.Role;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Records that live, in one of three forms, while all is collected. The figure is the longest time in which a thread that only looks at the
 * clock did not see it. Each sample asks for one full collection, and checks the records after it.
 */
final class Blobs implements Contestant {
    private static final int RECORD = 32;
    private static final int BYTES = 64 << 20;
    private static final int RECORDS = BYTES / RECORD;
    private static final int BLOB = 1 << 18;
    private static final long ROOM = 6L << 30;

    /** Where records live. */
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

    /** With the head of an object 32 bytes. */
    private static final class Item {
        private final long value;
        private final @Nullable Item next;

        Item(long value, @Nullable Item next) {
            this.value = value;
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

    static List<Entry> entries() {
        List<String> collectors =
                Space.availableBytes() > ROOM ? List.of("Serial", "Parallel", "G1", "Z") : List.of("Serial", "G1");
        List<Entry> entries = new ArrayList<>();
        for (String collector : collectors) {
            for (Form form : new Form[] {Form.OFF_HEAP, Form.BYTES_ON_HEAP, Form.OBJECTS}) {
                String name = collector.toLowerCase(Locale.ROOT);
                entries.add(new Entry(
                        form.id + "-" + name,
                        form.id + ", " + collector,
                        Role.PEER,
                        () -> new Blobs(form, RECORDS),
                        List.of("-XX:+Use" + collector + "GC", "-Xms384m", "-Xmx384m")));
            }
        }
        return entries;
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
                if (item.next != (i == 0 ? null : items[i - 1])) {
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
            while (!ended.getOpaque()) { // opaque: seen some time soon, orders nothing
                long now = System.nanoTime();
                longest[0] = Math.max(longest[0], now - last);
                last = now;
            }
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
