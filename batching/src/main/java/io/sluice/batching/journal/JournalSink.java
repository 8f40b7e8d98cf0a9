package io.sluice.batching.journal;

import io.sluice.batching.Batch;
import io.sluice.batching.BatchSink;
import io.sluice.core.check.Check;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Appends each message of a batch to a journal as a record of its own. The journal's durability takes effect when the events
 * that arrived together have ended. With {@link Durability#EACH_BATCH} a ring's consumers behind this handler see an event
 * only after it was forced, with the other durabilities after it was written. The handler's failure policy must not be {@code
 * SKIP} then: it would hand on events that are in no journal.
 *
 * <p>A message that is longer than the journal's longest record is refused alone, as {@link
 * io.sluice.batching.BatchingConfig.Oversize#REFUSE} says.
 */
public final class JournalSink implements BatchSink {
    private final Journal journal;

    /**
     * Makes a sink.
     *
     * @param journal where to append; closed by {@link #close()}
     */
    public JournalSink(Journal journal) {
        this.journal = Check.notNull(journal, "journal");
    }

    /** The longest record that the journal takes. */
    @Override
    public int maxMessageLength() {
        return journal.maxRecordLength();
    }

    @Override
    public void send(Batch batch) throws IOException {
        ByteBuffer buffer = batch.buffer();
        int from = buffer.position();
        for (int i = 0; i < batch.messages(); i++) {
            int offset = batch.offset(i);
            int length = batch.length(i);
            if (offset + length > from) { // else the journal has it already
                journal.append(buffer, offset, length);
                buffer.position(offset + length);
            }
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

    /** Forces what {@link Durability#every} has put off: no further call may come for a long time. */
    @Override
    public void onShutdown() throws IOException {
        journal.forceOwed();
    }

    @Override
    public void close() throws IOException {
        journal.close();
    }
}
