package io.sluice.examples.demo;

import io.sluice.batching.Batch;
import io.sluice.batching.BatchSink;
import java.io.IOException;
import org.HdrHistogram.Histogram;

/**
 * A journal's sink that notes when it was done with each message: when the end of the message's batch, with its {@code force},
 * was over. The journal's thread writes; the books' thread reads, behind the journal's progress.
 */
final class JournalClock implements BatchSink {
    private final BatchSink journal;
    private final Histogram endNanos = Latency.histogram();
    private final long[] doneNanos;
    private long noted;
    private long last = -1;

    /**
     * Wraps a sink.
     *
     * @param journal the sink; closed by this
     * @param capacity slots of the ring, a power of two: as many messages may be between journal and books
     */
    JournalClock(BatchSink journal, int capacity) {
        this.journal = journal;
        doneNanos = new long[capacity];
    }

    /** When the journal was done with a message. For the books' thread, while it handles that message. */
    long doneNanos(long sequence) {
        // plain: written before the journal's progress was published, and overwritten only when the slot is
        return doneNanos[slot(sequence)];
    }

    /** How long the ends of batches took. To be read when the run has ended. */
    Histogram endNanos() {
        return endNanos;
    }

    @Override
    public void send(Batch batch) throws IOException {
        journal.send(batch);
        last = batch.sequence(batch.messages() - 1);
    }

    @Override
    public void endOfBatch() throws IOException {
        long begin = System.nanoTime();
        journal.endOfBatch();
        long now = System.nanoTime();
        Latency.record(endNanos, now - begin);
        for (; noted <= last; noted++) {
            doneNanos[slot(noted)] = now; // plain: the ring publishes the journal's progress after this
        }
    }

    @Override
    public void onIdle() throws IOException {
        journal.onIdle();
    }

    @Override
    public long idleAfterNanos() {
        return journal.idleAfterNanos();
    }

    @Override
    public void onShutdown() throws IOException {
        journal.onShutdown();
    }

    @Override
    public int maxBatchLength() {
        return journal.maxBatchLength();
    }

    @Override
    public void close() throws IOException {
        journal.close();
    }

    private int slot(long sequence) {
        return (int) sequence & (doneNanos.length - 1);
    }
}
