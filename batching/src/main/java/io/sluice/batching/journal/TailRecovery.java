package io.sluice.batching.journal;

import static io.sluice.batching.journal.Frame.BLOCK;

import io.sluice.batching.journal.JournalException.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Finds the end of a journal, makes the records before it durable, and blanks a torn tail. It changes nothing where it finds
 * damage. {@link Journal} begins with an overview.
 */
final class TailRecovery {
    private final Storage storage;
    private final SegmentFiles files;
    private final boolean mayRepair;

    /**
     * Where the journal goes on.
     *
     * @param journalId which journal it is
     * @param nextSequence the sequence of the next record
     * @param offset where its frame goes
     * @param isFull whether the last segment has no room for it, nor for anything else
     */
    record Tail(long journalId, long nextSequence, long offset, boolean isFull) {}

    TailRecovery(Storage storage, SegmentFiles files, boolean mayRepair) {
        this.storage = storage;
        this.files = files;
        this.mayRepair = mayRepair;
    }

    /** Drops segments of rolls that a crash interrupted, then recovers the last segment. */
    Tail recover() throws IOException {
        while (isUnfinishedRoll()) { // the one before may be one too, where segments differ in size
            files.dropLast();
        }
        return recoverLast();
    }

    /**
     * Whether the last segment was made for a roll that did not come to its end: it is empty, and the one before has no mark that
     * ends it, or was closed full with further records. If the mark that leads to the last segment is there, but nothing
     * proves yet that it was forced, this forces it.
     */
    private boolean isUnfinishedRoll() throws IOException {
        long before = files.indexBeforeLast();
        if (before < 0) {
            return false;
        }
        try (SegmentCursor last = new SegmentCursor(storage, files.last().index())) {
            if (readToEnd(last) || last.expectedSequence() != last.firstSequence()) {
                return false;
            }
            boolean closed;
            try (SegmentCursor previous = new SegmentCursor(storage, before)) {
                if (readToEnd(previous) && !last.isLeftOverBehind(previous)) {
                    if (last.offset() == BLOCK) {
                        writeAgain(before, previous.epochStart(), previous.offset());
                    }
                    return false;
                }
                closed = previous.type() == Frame.CLOSE;
                // before anything is dropped: the last segment gets nothing until the one before is forced
                if (last.endOfContent(BLOCK) != BLOCK) {
                    throw previous.damaged("frames follow in " + last.description());
                }
                checkUndamaged(previous);
            }
            if (!mayRepair && !closed) { // closed in order: the writer went on behind the roll that failed
                throw torn(last, 0);
            }
            return true;
        }
    }

    private Tail recoverLast() throws IOException {
        long index = files.last().index();
        try (SegmentCursor cursor = new SegmentCursor(storage, index)) {
            readToEnd(cursor);
            if (cursor.type() == Frame.ROLL) {
                throw SegmentListing.missing(storage, index + 1, "segment " + index + " is full and names a next one");
            }
            checkUndamaged(cursor);
            long end = cursor.offset();
            long endOfContent = cursor.endOfContent(end);
            if (endOfContent != end && !mayRepair) {
                throw torn(cursor, endOfContent - end);
            }
            writeAgain(index, cursor.epochStart(), end);
            blankTail(index, end, endOfContent, cursor.size());
            return new Tail(cursor.journalId(), cursor.expectedSequence(), end, cursor.isFinished());
        }
    }

    /**
     * Throws if the file has another size than its header says, or if something behind the readable frames proves that more were durable.
     */
    private static void checkUndamaged(SegmentCursor cursor) throws IOException {
        String wrongSize = cursor.wrongSize();
        if (wrongSize != null) {
            throw cursor.damaged(wrongSize);
        }
        long evidence = cursor.evidenceOfDamage();
        if (evidence >= 0) {
            throw cursor.damaged(SegmentCursor.laterFrame(evidence));
        }
    }

    /** Reads to the last readable frame; whether that ends the segment. */
    private static boolean readToEnd(SegmentCursor cursor) throws IOException {
        while (!cursor.isFinished() && cursor.next()) {
            // Reading is all.
        }
        return cursor.isFinished();
    }

    /**
     * Writes the bytes that were found once more, and forces them: after a killed process they may be in the page cache only, and after a
     * failed force the page cache may count them as written.
     */
    private void writeAgain(long index, long from, long to) throws IOException {
        try (Storage.SegmentFile segment = storage.open(FileNames.segment(index), true)) {
            ByteBuffer chunk = ByteBuffer.allocateDirect((int) Math.min(SpareSegment.CHUNK, Math.max(0, to - from)));
            for (long at = from; at < to; ) {
                chunk.clear().limit((int) Math.min(chunk.capacity(), to - at));
                if (!segment.readFully(chunk, at)) {
                    throw new IOException(storage.describe(FileNames.segment(index)) + " must have " + to
                            + " bytes, as when it was read before, but ended before " + (at + chunk.limit()));
                }
                int length = chunk.flip().remaining();
                segment.write(chunk, at);
                at += length;
            }
            segment.force();
        }
    }

    /**
     * Blanks the bytes behind the end. The file {@code journal.torn} exists from before the blanking until that is forced. If it
     * exists already, an earlier opening may have failed to force zeros that the page cache shows: then the whole rest is blanked.
     */
    private void blankTail(long index, long end, long endOfContent, long size) throws IOException {
        boolean unproven = storage.exists(FileNames.TORN);
        if (endOfContent == end && !unproven) {
            return;
        }
        if (!unproven) {
            storage.create(FileNames.TORN, 0).close();
        }
        blank(index, end, unproven ? size : endOfContent);
        storage.delete(FileNames.TORN);
    }

    private void blank(long index, long from, long to) throws IOException {
        try (Storage.SegmentFile torn = storage.open(FileNames.segment(index), true)) {
            ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(SpareSegment.CHUNK, to - from));
            for (long at = from; at < to; ) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), to - at));
                int length = zeros.remaining();
                torn.write(zeros, at);
                at += length;
            }
            torn.force();
        }
    }

    private static JournalException torn(SegmentCursor cursor, long bytes) {
        return new JournalException(
                Kind.TORN,
                cursor.description() + " must end with a whole record, but has a torn tail of " + bytes
                        + " bytes at offset " + cursor.offset() + ", after sequence " + (cursor.expectedSequence() - 1)
                        + "; repair it or allow repairOnOpen");
    }
}
