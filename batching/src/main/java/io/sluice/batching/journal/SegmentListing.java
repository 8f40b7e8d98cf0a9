package io.sluice.batching.journal;

import io.sluice.batching.journal.JournalException.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Finds out which segments a journal has: those with consecutive indices from the one that {@code journal.first} names, or from
 * 0 if there is no such file. All are of one journal.
 */
final class SegmentListing {
    private SegmentListing() {}

    /**
     * The segments, oldest first; none if there is no journal. Segments before the first one are left over from an interrupted
     * retirement.
     *
     * @param deletesRetired whether to delete these
     */
    static List<Segment> list(Storage storage, boolean deletesRetired) throws IOException {
        while (true) {
            List<Segment> segments = new ArrayList<>();
            if (tryList(storage, deletesRetired, segments)) {
                return segments;
            }
            // A live writer has retired a segment since journal.first was read. So that file has changed: look again.
        }
    }

    /** Fills in the segments; false if one of them was retired meanwhile. */
    private static boolean tryList(Storage storage, boolean deletesRetired, List<Segment> segments) throws IOException {
        boolean named = FirstSegmentFile.exists(storage);
        FirstSegmentFile first = named ? FirstSegmentFile.read(storage) : null;
        List<Long> indices = indices(storage);
        if (indices.isEmpty() && first == null) {
            return true;
        }
        long next = first == null ? 0 : first.index();
        long journalId = first == null ? 0 : first.journalId();
        for (long index : indices) {
            if (index < next && segments.isEmpty()) {
                if (deletesRetired) {
                    storage.delete(FileNames.segment(index));
                }
                continue;
            }
            try {
                if (index != next) {
                    throw missing(storage, next, "segment " + index + " is there");
                }
                try (SegmentCursor header = SegmentCursor.forHeader(storage, index)) {
                    if (first == null && segments.isEmpty()) {
                        journalId = header.journalId();
                    } else if (header.journalId() != journalId) {
                        throw new JournalException(
                                Kind.DAMAGED,
                                header.description() + " must be of this journal, but belongs to another one");
                    }
                    segments.add(new Segment(index, header.firstSequence()));
                }
            } catch (JournalException e) {
                if (FirstSegmentFile.saysRetired(storage, next)) {
                    return false;
                }
                throw e;
            }
            next++;
        }
        if (segments.isEmpty()) {
            if (FirstSegmentFile.saysRetired(storage, next)) {
                return false;
            }
            throw missing(storage, next, storage.describe(FileNames.FIRST) + " names it as the first one");
        }
        return true;
    }

    /** The size of the last segment, as its header says. */
    static int lastSize(Storage storage) throws JournalException {
        try (SegmentCursor last = SegmentCursor.forHeader(storage, Collections.max(indices(storage)))) {
            return (int) last.declaredSize;
        } catch (IOException e) {
            throw JournalException.cannotOpen("read the journal in " + storage.describe(""), e);
        }
    }

    private static List<Long> indices(Storage storage) throws IOException {
        List<Long> indices = new ArrayList<>();
        for (String name : storage.list()) {
            long index = FileNames.segmentIndex(name);
            if (index >= 0) {
                indices.add(index);
            }
        }
        indices.sort(null);
        return indices;
    }

    static JournalException missing(Storage storage, long index, String reason) {
        return new JournalException(
                Kind.MISSING_SEGMENT,
                storage.describe(FileNames.segment(index)) + " must be there, but is missing: " + reason);
    }
}
