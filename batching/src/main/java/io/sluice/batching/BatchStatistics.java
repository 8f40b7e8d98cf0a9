package io.sluice.batching;

import io.sluice.core.OpaqueCounters;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Counts what goes to a sink: batches, messages, bytes, and histograms of batch sizes with two significant digits. Written
 * by the one thread that makes the batches, without allocation; {@link #snapshot()} may be taken by any thread.
 */
public final class BatchStatistics {
    // One writer. Each counter is right by itself, but a snapshot may see one of them a batch ahead of another.
    // HdrHistogram's writer-reader phaser hands the histograms over.

    private static final int BATCHES = 0;
    private static final int MESSAGES = 1;
    private static final int BYTES = 2;
    private static final int FULL = 3;

    private static final int DIGITS = 2;

    private final OpaqueCounters counts = new OpaqueCounters(FULL + 1);

    private final SingleWriterRecorder messageRecorder = new SingleWriterRecorder(1, 1 << 21, DIGITS);
    private final SingleWriterRecorder byteRecorder =
            new SingleWriterRecorder(1, BatchingConfig.MAX_BUFFER * 2L, DIGITS);
    private final Histogram messageTotal = new Histogram(1, 1 << 21, DIGITS);
    private final Histogram byteTotal = new Histogram(1, BatchingConfig.MAX_BUFFER * 2L, DIGITS);

    /** Makes statistics that have counted nothing yet. */
    public BatchStatistics() {}

    /**
     * The counts since the start.
     *
     * @param batches how many batches were taken in full: sends, unless a sink took one in parts
     * @param messages how many messages these had
     * @param bytes how many bytes, headers included
     * @param fullBatches how many batches were sent because there was no more room, in bytes or messages
     * @param messagesMedian messages of a batch, the median
     * @param messagesP99 messages of a batch, the 99th percentile
     * @param messagesMax messages of the largest batch
     * @param bytesMedian bytes of a batch, the median
     * @param bytesP99 bytes of a batch, the 99th percentile
     * @param bytesMax bytes of the largest batch
     */
    public record Snapshot(
            long batches,
            long messages,
            long bytes,
            long fullBatches,
            long messagesMedian,
            long messagesP99,
            long messagesMax,
            long bytesMedian,
            long bytesP99,
            long bytesMax) {
        /**
         * The share of batches that were full.
         *
         * @return from 0 to 1; 0 if there were no batches
         */
        public double fullShare() {
            return batches == 0 ? 0 : (double) fullBatches / batches;
        }
    }

    /** Takes a bar of a histogram. */
    @FunctionalInterface
    public interface BarConsumer {
        /**
         * Takes a bar.
         *
         * @param size the size, in messages or bytes; exact to two significant digits
         * @param count how many batches had it
         */
        void accept(long size, long count);
    }

    /**
     * The counts so far. Any thread may call it. It blocks another thread that takes a snapshot, never the writer.
     *
     * @return the counts
     */
    public synchronized Snapshot snapshot() {
        collect();
        return new Snapshot(
                counts.get(BATCHES),
                counts.get(MESSAGES),
                counts.get(BYTES),
                counts.get(FULL),
                messageTotal.getValueAtPercentile(50),
                messageTotal.getValueAtPercentile(99),
                messageTotal.getMaxValue(),
                byteTotal.getValueAtPercentile(50),
                byteTotal.getValueAtPercentile(99),
                byteTotal.getMaxValue());
    }

    /**
     * The histogram of batch sizes in messages, for a plot. Any thread.
     *
     * @param consumer takes the bars, smallest size first
     */
    public synchronized void forEachMessageCount(BarConsumer consumer) {
        collect();
        messageTotal
                .recordedValues()
                .forEach(bar -> consumer.accept(bar.getValueIteratedTo(), bar.getCountAtValueIteratedTo()));
    }

    /**
     * The histogram of batch sizes in bytes, for a plot. Any thread.
     *
     * @param consumer takes the bars, smallest size first
     */
    public synchronized void forEachByteCount(BarConsumer consumer) {
        collect();
        byteTotal
                .recordedValues()
                .forEach(bar -> consumer.accept(bar.getValueIteratedTo(), bar.getCountAtValueIteratedTo()));
    }

    void onBatch(int messageCount, int byteCount, boolean wasFull) {
        messageRecorder.recordValue(messageCount);
        byteRecorder.recordValue(byteCount);
        counts.add(BATCHES, 1);
        counts.add(MESSAGES, messageCount);
        counts.add(BYTES, byteCount);
        if (wasFull) {
            counts.add(FULL, 1);
        }
    }

    private void collect() {
        messageTotal.add(messageRecorder.getIntervalHistogram());
        byteTotal.add(byteRecorder.getIntervalHistogram());
    }

    static {
        // HdrHistogram has no module name. On a module path this module reads it as an automatic module,
        // here it reads it from the class path.
        BatchStatistics.class
                .getModule()
                .addReads(BatchStatistics.class.getClassLoader().getUnnamedModule());
    }
}
