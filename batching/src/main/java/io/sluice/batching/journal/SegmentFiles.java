package io.sluice.batching.journal;

import io.sluice.batching.journal.JournalException.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * The segments of a journal that is open for appending. Makes the next one, and retires old ones.
 * One thread uses it. {@link Journal} begins with an overview.
 */
final class SegmentFiles {
    /** After a failed allocation the next one waits so long: each may fill the device, which others use too. */
    static final long RETRY_NANOS = 100_000_000;

    private final Storage storage;
    private final NanoClock nanoClock;
    private final int newSegmentSize;
    private final boolean preparesAhead;
    private final SpareSegment spare;
    private final List<Segment> segments = new ArrayList<>();

    private long journalId;

    /** Why there was no room for a segment; null once there was, or may be. */
    private @Nullable IOException refusal;

    private long refusedNanos;

    SegmentFiles(Storage storage, JournalConfig config) {
        this.storage = storage;
        nanoClock = config.nanoClock;
        newSegmentSize = config.segmentSize;
        preparesAhead = config.prepareAhead;
        spare = new SpareSegment(storage, newSegmentSize);
    }

    /** Finds the segments of an earlier writer, and deletes what it had not finished. */
    void load() throws IOException {
        segments.addAll(SegmentListing.list(storage, true));
        spare.findLeftOver();
    }

    void setJournalId(long id) {
        journalId = id;
    }

    long journalId() {
        return journalId;
    }

    boolean isEmpty() {
        return segments.isEmpty();
    }

    Segment first() {
        return segments.get(0);
    }

    Segment last() {
        return segments.get(segments.size() - 1);
    }

    /** The index of the segment before the last one, or -1. */
    long indexBeforeLast() {
        return segments.size() < 2 ? -1 : segments.get(segments.size() - 2).index();
    }

    // Making the next segment.

    /** The segment that comes next; the first one has the index 0. */
    Segment next(long firstSequence) {
        return new Segment(isEmpty() ? 0 : last().index() + 1, firstSequence);
    }

    /** A segment that was created is now the last one. */
    void add(Segment segment) {
        segments.add(segment);
    }

    /** Makes a segment's file that is wholly there, and forced, or not at all. */
    void create(Segment segment) throws JournalException {
        String name = FileNames.segment(segment.index());
        checkMayTry(name);
        try {
            storage.delete(FileNames.NEW);
            spare.allowAgain();
            spare.prepareWhole();
            spare.renameTo(FileNames.NEW);
            try (Storage.SegmentFile made = storage.open(FileNames.NEW, true)) {
                made.write(SegmentHeader.encode(journalId, segment, newSegmentSize), 0);
                made.force();
            }
            storage.rename(FileNames.NEW, name);
            storage.forceFolder();
        } catch (IOException e) {
            spare.giveUp(e);
            deleteUnfinished(e);
            throw refused(name, e);
        }
        refusal = null;
    }

    /** Nanoseconds until an allocation may be tried, by a time of the journal's clock; 0 or less for now. */
    long nanosToTry(long now) {
        return refusal == null ? 0 : RETRY_NANOS - (now - refusedNanos);
    }

    private void checkMayTry(String name) throws JournalException {
        IOException cause = refusal;
        if (cause != null && nanosToTry(nanoClock.nanoTime()) > 0) {
            throw cannotAllocate(name, cause + "; tried again 100 ms after it failed at the earliest", cause);
        }
    }

    private void deleteUnfinished(IOException cause) {
        try {
            storage.delete(FileNames.NEW);
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    /** Deletes the last segment, which holds no record. */
    void dropLast() throws IOException {
        storage.delete(FileNames.segment(last().index()));
        storage.forceFolder();
        segments.remove(segments.size() - 1);
    }

    /**
     * Does the part of the next segment that is due: nothing before the middle of this one, all at seven eighths. So the work of
     * a step is in proportion to what was appended since the last one.
     *
     * @param position how far the current segment is filled
     * @param segmentSize its size
     * @param more bytes to prepare beyond what is due, from the middle on
     * @return whether it did something
     */
    boolean prepareNext(int position, int segmentSize, int more) {
        int behindMiddle = position - segmentSize / 2;
        if (!preparesAhead || behindMiddle <= 0 || !spare.isWanted()) {
            return false;
        }
        long due = Math.max((long) newSegmentSize * behindMiddle * 8 / (3L * segmentSize), spare.blankBytes() + more);
        int upTo = Frame.blockEnd((int) Math.min(newSegmentSize, due));
        boolean any = false;
        try {
            while (spare.isWanted() && spare.blankBytes() < upTo) {
                spare.prepareStep(upTo);
                any = true;
            }
        } catch (IOException e) {
            spare.giveUp(e); // nothing is lost; the roll tries again, and reports
        }
        return any;
    }

    /** Makes the spare now; whether there was none. */
    boolean preallocate() throws JournalException {
        checkMayTry(FileNames.SPARE);
        try {
            spare.allowAgain();
            if (spare.isReady()) {
                return false;
            }
            spare.prepareWhole();
        } catch (IOException e) {
            spare.giveUp(e);
            throw refused(FileNames.SPARE, e);
        }
        refusal = null;
        return true;
    }

    private JournalException refused(String name, IOException cause) {
        refusal = cause;
        refusedNanos = nanoClock.nanoTime();
        return cannotAllocate(name, cause.toString(), cause);
    }

    private JournalException cannotAllocate(String name, String reason, IOException cause) {
        return new JournalException(
                Kind.CANNOT_ALLOCATE,
                "cannot allocate " + newSegmentSize + " bytes for " + storage.describe(name) + ": " + reason,
                cause);
    }

    // Retiring old ones.

    /** Says in {@code journal.first} with which segment the journal begins. */
    void writeFirst(Segment first) throws IOException {
        new FirstSegmentFile(journalId, first.index()).write(storage);
    }

    /** Gives up the segments whose records all come before a sequence, but never the last one. Returns how many. */
    int retireBefore(long sequence) throws JournalException {
        int count = 0;
        while (count + 1 < segments.size() && segments.get(count + 1).firstSequence() <= sequence) {
            count++;
        }
        if (count == 0) {
            return 0;
        }
        try {
            // journal.first is forced before anything is deleted.
            // So a crash in between leaves files that opening deletes.
            try {
                writeFirst(segments.get(count));
            } catch (IOException e) { // the disk may be full: a spare is room
                spare.giveUp(e);
                storage.delete(FileNames.SPARE);
                writeFirst(segments.get(count));
            }
            for (int i = 0; i < count; i++) {
                String name = FileNames.segment(first().index());
                if (!preparesAhead || !recycled(name)) {
                    storage.delete(name);
                }
                segments.remove(0);
            }
            storage.forceFolder();
            refusal = null; // there may be room now
            return count;
        } catch (IOException e) {
            throw JournalException.cannotOpen("retire segments in " + storage.describe(""), e);
        }
    }

    private boolean recycled(String name) {
        try {
            return spare.recycle(name);
        } catch (IOException e) {
            return false; // a file that cannot be written can perhaps be deleted
        }
    }

    /** Deletes a spare that is not ready. */
    void close() {
        spare.close();
    }
}
