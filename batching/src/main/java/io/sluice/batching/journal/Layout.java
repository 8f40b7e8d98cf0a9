package io.sluice.batching.journal;

import io.sluice.batching.journal.JournalException.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Which files a journal consists of: segments with consecutive indices from the one that {@code journal.first} names, or
 * from 0 if there is no such file.
 */
final class Layout {
    private Layout() {}

    /**
     * The segments, oldest first, as pairs of index and first sequence; none if there is no journal. Segments before the
     * first one are left over from an interrupted retirement, and deleted if {@code clean}.
     */
    static List<long[]> segments(Storage storage, boolean clean) throws IOException {
        while (true) {
            List<long[]> segments = new ArrayList<>();
            long lost = look(storage, clean, segments);
            if (lost < 0) {
                return segments;
            }
            // A live writer has retired the segment since journal.first was read. So that file has changed: look again.
        }
    }

    /** Fills in the segments; the index of one that was retired meanwhile, or -1. */
    private static long look(Storage storage, boolean clean, List<long[]> segments) throws IOException {
        boolean named = storage.exists(Frame.FIRST_NAME);
        long next = named ? readFirst(storage) : 0;
        List<Long> indices = new ArrayList<>();
        for (String name : storage.list()) {
            long index = Frame.segmentIndex(name);
            if (index >= 0) {
                indices.add(index);
            }
        }
        indices.sort(null);
        if (indices.isEmpty() && !named) {
            return -1;
        }
        for (long index : indices) {
            if (index < next && segments.isEmpty()) {
                if (clean) {
                    storage.delete(Frame.segmentName(index));
                }
                continue;
            }
            try {
                if (index != next) {
                    throw missing(storage, next, "segment " + index + " is there");
                }
                segments.add(new long[] {index, SegmentCursor.firstSequence(storage, index)});
            } catch (JournalException e) {
                if (isRetired(storage, next)) {
                    return next;
                }
                throw e;
            }
            next++;
        }
        if (segments.isEmpty()) {
            JournalException missing =
                    missing(storage, next, storage.describe(Frame.FIRST_NAME) + " names it as the first one");
            if (isRetired(storage, next)) {
                return next;
            }
            throw missing;
        }
        return -1;
    }

    /** Whether the journal begins behind a segment by now. */
    static boolean isRetired(Storage storage, long index) throws IOException {
        return storage.exists(Frame.FIRST_NAME) && readFirst(storage) > index;
    }

    static JournalException missing(Storage storage, long index, String reason) {
        return new JournalException(
                Kind.MISSING_SEGMENT, storage.describe(Frame.segmentName(index)) + " is missing: " + reason);
    }

    static void writeFirst(Storage storage, long journalId, long index) throws IOException {
        storage.delete(Frame.NEW_NAME);
        ByteBuffer bytes = Frame.firstFile(journalId, index);
        try (Storage.SegmentFile made = storage.create(Frame.NEW_NAME, bytes.capacity())) {
            made.write(bytes, 0);
            made.force();
        }
        storage.rename(Frame.NEW_NAME, Frame.FIRST_NAME);
        storage.forceFolder();
    }

    private static long readFirst(Storage storage) throws IOException {
        ByteBuffer bytes = Frame.firstFile(0, 0);
        bytes.clear();
        try (Storage.SegmentFile file = storage.open(Frame.FIRST_NAME, false)) {
            while (bytes.hasRemaining()) {
                if (file.read(bytes, bytes.position()) <= 0) {
                    break;
                }
            }
        }
        boolean whole = !bytes.hasRemaining();
        bytes.clear().order(ByteOrder.LITTLE_ENDIAN);
        if (!whole || !Frame.validFirstFile(bytes)) {
            throw new JournalException(
                    Kind.DAMAGED, storage.describe(Frame.FIRST_NAME) + " is damaged: its checksum is wrong");
        }
        return bytes.getLong(16);
    }
}
