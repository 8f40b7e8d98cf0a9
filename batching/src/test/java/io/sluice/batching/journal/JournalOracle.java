package io.sluice.batching.journal;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/** What was appended to a journal, each record with a number of its own, and what of it was acknowledged. */
@NullMarked
final class JournalOracle {
    /** What was demanded and not met. */
    static final class Complaint extends AssertionError {
        private static final long serialVersionUID = 1L;

        Complaint(String message) {
            super(message);
        }
    }

    /** The sequence of the first record. */
    final int origin;

    private final List<Integer> appended = new ArrayList<>();
    private int ids;

    /** The last sequence that has to outlive a loss of power. */
    long acknowledged;

    /** The last sequence that has to outlive the process. */
    long written;

    JournalOracle(int origin) {
        this.origin = origin;
        acknowledged = origin - 1L;
        written = origin - 1L;
    }

    /** Fills a buffer with the next record. It is known before the call: a crash within the call may leave it. */
    void next(ByteBuffer buffer, int length) {
        int id = ids++;
        appended.add(id);
        fill(buffer, id, length);
    }

    private static void fill(ByteBuffer buffer, int id, int length) {
        for (int i = 0; i + 4 <= length; i += 4) {
            buffer.putInt(i, id);
        }
    }

    /** The journal goes on at a sequence: what was to have it, or a later one, is not there. Returns how many these were. */
    int forget(long nextSequence) {
        int forgotten = 0;
        while (origin + appended.size() > nextSequence) {
            appended.remove(appended.size() - 1);
            forgotten++;
        }
        return forgotten;
    }

    /** What was appended, to go back to it. */
    List<Integer> copy() {
        return List.copyOf(appended);
    }

    void backTo(List<Integer> copy) {
        appended.clear();
        appended.addAll(copy);
    }

    /** Demands that a reader has moved to the record with this sequence. */
    void demand(JournalReader reader, long sequence) {
        if (reader.sequence() != sequence) {
            throw new Complaint("a reader found " + reader.sequence() + " instead of " + sequence);
        }
        int at = (int) (sequence - origin);
        if (at >= appended.size()) {
            throw new Complaint("a reader found " + sequence + ", which was never appended");
        }
        int id = Integer.reverseBytes(reader.buffer().getInt(reader.payloadOffset()));
        if (id != appended.get(at)) {
            throw new Complaint("record " + sequence + " is number " + id + ", appended was " + appended.get(at));
        }
    }
}
