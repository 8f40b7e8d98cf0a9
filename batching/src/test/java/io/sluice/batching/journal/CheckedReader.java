package io.sluice.batching.journal;

import io.sluice.batching.journal.JournalException.Kind;
import io.sluice.batching.journal.JournalOracle.Complaint;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/**
 * A reader beside a writer, that meets exceptions and goes on. It demands every record in order, once, and no end before the
 * last record that is written; and that each exception has a reason, and is none that tells of anything but that reason.
 */
@NullMarked
final class CheckedReader {
    private final CrashStorage storage;
    private final JournalOracle oracle;
    private final JournalReader reader;
    private final CrashExplorer.Totals totals;
    private final boolean bounded;
    private long next;
    private long time = -1; // of the last record that was found

    /** A reader from a sequence on; bounded: only of what is durable. */
    CheckedReader(
            CrashStorage storage,
            JournalOracle oracle,
            JournalReader reader,
            CrashExplorer.Totals totals,
            boolean bounded) {
        this.storage = storage;
        this.oracle = oracle;
        this.reader = reader;
        this.totals = totals;
        this.bounded = bounded;
        next = reader.nextSequence();
    }

    /** The journal that is open from now on. */
    void follow(Journal journal) {
        if (bounded) {
            reader.upTo(journal.durable());
        }
    }

    /**
     * Reads on.
     *
     * @param most how many records at most
     * @param trouble what the reader meets; null for nothing
     * @return false if the reader cannot go on, since what comes next was retired
     */
    boolean read(Journal journal, int most, @Nullable Trouble trouble) {
        CrashStorage.Refusal before = storage.refusal;
        storage.refusal = trouble;
        try {
            for (int i = 0; i < most; i++) {
                switch (ask(journal)) {
                    case RECORD, REFUSED -> {}
                    case END -> {
                        return true;
                    }
                    case RETIRED -> {
                        if (ask(journal) != Answer.RETIRED) {
                            throw new Complaint("a reader was told that " + next + " was retired, and then was not");
                        }
                        return false;
                    }
                }
            }
            return true;
        } finally {
            storage.refusal = before;
        }
    }

    private enum Answer {
        RECORD,
        END,
        REFUSED,
        RETIRED
    }

    private Answer ask(Journal journal) {
        int refused = storage.refused;
        long bound = bounded ? journal.durableSequence() : Long.MAX_VALUE;
        boolean found;
        try {
            found = reader.next();
        } catch (JournalException e) {
            demandTime(e.toString());
            return judge(e, storage.refused > refused);
        }
        if (!found) {
            demandTime("the end");
            long atLeast = Math.min(bound, journal.writtenSequence());
            if (next - 1 < atLeast) {
                throw new Complaint("a reader ended before " + next + ", but " + atLeast + " is there");
            }
            return Answer.END;
        }
        if (next > bound) {
            throw new Complaint("a reader found " + next + ", durable is " + bound);
        }
        oracle.demand(reader, next);
        time = reader.timestamp();
        next++;
        return Answer.RECORD;
    }

    /** Nothing was found: the time is that of the last record still. */
    private void demandTime(String behind) {
        if (reader.timestamp() != time) {
            throw new Complaint(
                    "behind " + behind + " a reader tells the time " + reader.timestamp() + ", not " + time);
        }
    }

    private Answer judge(JournalException e, boolean refused) {
        totals.readersRefused++;
        if (reader.nextSequence() != next) {
            throw new Complaint("after " + e + " a reader stands before " + reader.nextSequence() + ", not " + next);
        }
        if (refused && e.kind() == Kind.CANNOT_OPEN) {
            return Answer.REFUSED;
        }
        if (storage.hidden != null && e.kind() == Kind.MISSING_SEGMENT) {
            return Answer.REFUSED;
        }
        storage.refusal = null;
        storage.hidden = null;
        long held = firstHeld(storage);
        if (e.kind() == Kind.NOT_HELD && held > oracle.origin && next <= held) {
            return Answer.RETIRED;
        }
        throw new Complaint("a reader threw " + e + " of kind " + e.kind());
    }

    /** The first sequence of the first segment that {@code journal.first} leaves. */
    static long firstHeld(CrashStorage storage) {
        try (JournalReader all = JournalReader.replay(storage, JournalReader.FROM_FIRST)) {
            return all.nextSequence();
        } catch (JournalException e) {
            throw new Complaint("a replay cannot begin: " + e);
        }
    }

    void close() {
        reader.close();
    }
}
