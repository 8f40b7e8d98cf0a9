package io.sluice.perf.batching;

import io.sluice.batching.journal.Durability;
import io.sluice.batching.journal.Journal;
import io.sluice.batching.journal.JournalConfig;
import io.sluice.perf.compare.Quartiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * Whether a roll to the next segment can be seen: batches are appended and forced one after the other, over many rolls, with
 * the defaults of the journal, which prepare the next segment ahead and use retired ones again.
 */
final class RollStalls {
    static final int BATCH = 64 << 10;

    private static final int RECORD = 1 << 10;
    private static final int KEPT_SEGMENTS = 2;

    private RollStalls() {}

    /**
     * Batches of one kind.
     *
     * @param count how many
     * @param nanos the quartiles, from the first append to the end of the force
     * @param longestNanos the longest
     * @param longestAppendNanos the longest single append in them
     */
    record Batches(int count, Quartiles nanos, double longestNanos, double longestAppendNanos) {
        static Batches of(long[] nanos, int count, long longestAppend) {
            double[] all = Arrays.stream(nanos, 0, count).asDoubleStream().toArray();
            return new Batches(
                    count, Quartiles.of(all), Arrays.stream(all).max().orElse(0), longestAppend);
        }
    }

    /**
     * The measured batches.
     *
     * @param rolls how many rolls there were
     * @param segment the segments' size in bytes
     * @param without the batches without a roll
     * @param with those with a roll
     */
    record Result(int rolls, int segment, Batches without, Batches with) {
        double ratio() {
            return with.longestNanos() / without.longestNanos();
        }
    }

    /** Appends until there were so many rolls; the first segment warms up. */
    static Result measure(Path folder, int rolls, int segment) throws IOException {
        JournalConfig config = JournalConfig.defaults().segmentSize(segment).durability(Durability.EACH_BATCH);
        int perSegment = segment / BATCH + 1;
        long[][] nanos = {new long[perSegment * (rolls + 2)], new long[rolls + 2]};
        int[] counts = new int[2];
        long[] longestAppend = new long[2];
        try (Journal journal = Journal.open(folder, config)) {
            ByteBuffer record = ByteBuffer.allocateDirect(RECORD);
            int seen = 0;
            Path next = segment(folder, 1);
            while (counts[1] < rolls) {
                long longest = 0;
                long start = System.nanoTime();
                long before = start;
                for (int i = 0; i < BATCH / RECORD; i++) {
                    journal.append(record.putLong(0, i), 0, RECORD - 32);
                    long now = System.nanoTime();
                    longest = Math.max(longest, now - before);
                    before = now;
                }
                journal.endOfBatch();
                long took = System.nanoTime() - start;
                boolean rolled = Files.exists(next);
                if (rolled) {
                    seen++;
                    next = segment(folder, seen + 1);
                }
                if (seen > 1 || (seen == 1 && !rolled)) {
                    int kind = rolled ? 1 : 0;
                    nanos[kind][counts[kind]++] = took;
                    longestAppend[kind] = Math.max(longestAppend[kind], longest);
                }
                journal.retireBefore(Math.max(0, journal.nextSequence() - (long) KEPT_SEGMENTS * (segment / RECORD)));
            }
        } finally {
            Folders.removeJournal(folder);
        }
        return new Result(
                counts[1],
                segment,
                Batches.of(nanos[0], counts[0], longestAppend[0]),
                Batches.of(nanos[1], counts[1], longestAppend[1]));
    }

    private static Path segment(Path folder, int index) {
        return folder.resolve(String.format(Locale.ROOT, "journal-%012d.segment", index));
    }
}
