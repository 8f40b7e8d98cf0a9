package io.sluice.perf.records;

import io.sluice.core.records.RecordTable;
import io.sluice.perf.compare.Contestant;
import io.sluice.perf.compare.Entry;
import io.sluice.perf.jmh.JmhContestant;
import io.sluice.perf.report.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/** The ways that {@code bench records} compares, as contestants of the lab, which are measured in rounds. */
public final class RecordContestants {
    private static final List<String> ROOM = List.of("-Xms256m", "-Xmx256m", "-XX:MaxDirectMemorySize=256m");

    private RecordContestants() {}

    /**
     * Ways to write an object with two arrays of ten, and to read it back.
     *
     * @return contestants whose figure is nanoseconds of both together
     */
    public static List<Entry> serialise() {
        return List.of(
                writtenAndRead("java", "Java's serialisation", RecordContestants::java),
                way("byte-buffer", "ByteBuffer, on heap"),
                way("byte-buffer-direct", "ByteBuffer, off heap"),
                way("codec", "codec, on heap"),
                way("codec-direct", "codec, off heap"));
    }

    private static Entry way(String id, String label) {
        return writtenAndRead(
                id,
                label,
                () -> new WrittenAndRead<>(Serialisation.way(id), Serialisation::item, Serialisation.Item::isSame));
    }

    private static WrittenAndRead<Serialisation.ItemObject> java() {
        return new WrittenAndRead<>(
                new JavaWay<Serialisation.ItemObject>(),
                number -> new Serialisation.ItemObject(Serialisation.item(number)),
                (one, other) -> one.item().isSame(other.item()));
    }

    private static Entry writtenAndRead(String id, String label, Supplier<WrittenAndRead<?>> maker) {
        JmhContestant.Maker once = () -> {
            WrittenAndRead<?> operation = maker.get();
            return () -> operation;
        };
        return JmhContestant.entry(id, label, once, 1, ROOM);
    }

    /**
     * Ways to hold trades, which are filled in and then scanned.
     *
     * @param trades how many, 1 or more
     * @return contestants whose figure is nanoseconds a trade of both together
     */
    public static List<Entry> tables(int trades) {
        List<Entry> entries = new ArrayList<>();
        entries.add(table("objects", "objects, anew", trades));
        entries.add(table("kept", "table, off heap, kept", trades));
        entries.add(table("anew", "table, off heap, anew", trades));
        entries.add(table("anew-on-heap", "table, on heap, anew", trades));
        return entries;
    }

    private static Entry table(String id, String label, int trades) {
        return new Entry(id, label, Role.PEER, () -> new FilledAndScanned(id, trades), ROOM);
    }

    /**
     * Objects that go round, each written and read back; the last object read from each place is compared with the one written. JMH times
     * it.
     */
    static final class WrittenAndRead<T> implements JmhContestant.Operation {
        private final Way<T> way;
        private final BiPredicate<T, T> same;
        private final List<T> objects = new ArrayList<>();
        private final List<T> read = new ArrayList<>();
        private long calls;

        WrittenAndRead(Way<T> way, IntFunction<T> made, BiPredicate<T, T> same) {
            this.way = way;
            this.same = same;
            for (int place = 0; place < Way.PLACES; place++) {
                objects.add(made.apply(place));
                read.add(objects.get(place));
            }
        }

        @Override
        public long run() throws Exception {
            int place = (int) (calls++ & (Way.PLACES - 1));
            way.write(objects.get(place), place);
            read.set(place, way.read(place));
            return place;
        }

        @Override
        public void check(long operations) {
            if (calls != operations) {
                throw new IllegalStateException("JMH counted " + operations + " calls, but there were " + calls);
            }
            calls = 0;
            for (int place = 0; place < Way.PLACES; place++) {
                if (!same.test(read.get(place), objects.get(place))) {
                    throw new IllegalStateException(
                            "what is read must be what was written, but at place " + place + " it is something else");
                }
            }
        }
    }

    /** Trades in one way; the sum of a scan is compared with the values that were filled in. */
    static final class FilledAndScanned implements Contestant {
        private final String how;
        private final int trades;
        private final RecordTable<Trades.Trade> kept;

        FilledAndScanned(String how, int trades) {
            this.how = how;
            this.trades = trades;
            kept = RecordTable.offHeap(Trades.CODEC, how.equals("kept") ? trades : 1);
        }

        @Override
        public double sample(long nanos) {
            long busy = 0;
            long rounds = 0;
            long begin = System.nanoTime();
            do {
                long start = System.nanoTime();
                long sum = round();
                busy += System.nanoTime() - start;
                rounds++;
                check(sum, trades);
                if (how.startsWith("anew")) {
                    System.gc(); // lets the memory go; not part of what is timed
                }
            } while (System.nanoTime() - begin < nanos);
            return busy / (double) rounds / trades;
        }

        private long round() {
            return switch (how) {
                case "objects" -> Trades.scan(Trades.filled(trades));
                case "kept" -> {
                    Trades.fill(kept);
                    yield Trades.scan(kept);
                }
                case "anew" -> once(RecordTable.offHeap(Trades.CODEC, trades));
                default -> once(RecordTable.onHeap(Trades.CODEC, trades));
            };
        }

        private static long once(RecordTable<Trades.Trade> made) {
            try (RecordTable<Trades.Trade> table = made) {
                Trades.fill(table);
                return Trades.scan(table);
            }
        }

        static void check(long sum, long trades) {
            long expected = Trades.sum(trades);
            if (sum != expected) {
                throw new IllegalStateException("the trades must add up to " + expected + ", but did to " + sum);
            }
        }

        @Override
        public int warmUps() {
            return 4;
        }

        @Override
        public void finish() {
            kept.close();
        }
    }
}
