package io.sluice.batching.journal;

import io.sluice.batching.Batch;
import io.sluice.batching.BatchSink;
import java.io.IOException;
import java.util.Objects;

/**
 * Appends each message of a batch to a journal as a record of its own. The journal's durability takes effect when the events
 * that arrived together have ended: with {@link Durability#EACH_BATCH} a ring's consumers behind this handler see an event
 * only after it was forced, with the others after it was written. The handler's failure policy must not be {@code SKIP} then,
 * which would hand on events that are in no journal.
 */
public final class JournalSink implements BatchSink {
    private final Journal journal;
    private long batchId;
    private int appended;

    /**
     * Makes a sink.
     *
     * @param journal where to append; closed by {@link #close()}
     */
    public JournalSink(Journal journal) {
        this.journal = Objects.requireNonNull(journal, "journal");
    }

    @Override
    public void send(Batch batch) throws IOException {
        if (batch.id() != batchId) {
            batchId = batch.id();
            appended = 0;
        }
        while (appended < batch.messages()) {
            int offset = batch.offset(appended);
            int length = batch.length(appended);
            journal.append(batch.buffer(), offset, length);
            appended++;
            batch.buffer().position(offset + length);
        }
    }

    @Override
    public void endOfBatch() throws IOException {
        journal.endOfBatch();
    }

    @Override
    public void onIdle() throws IOException {
        journal.maintain();
    }

    @Override
    public long idleAfterNanos() {
        return journal.nanosToForce();
    }

    /** Forces what {@link Durability#every} owes: nobody may call for a long time. */
    @Override
    public void onShutdown() throws IOException {
        journal.endOfAll();
    }

    @Override
    public void close() throws IOException {
        journal.close();
    }
}
