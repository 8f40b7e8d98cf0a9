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
        List<Long> indices = new ArrayList<>();
        for (String name : storage.list()) {
            long index = Frame.segmentIndex(name);
            if (index >= 0) {
                indices.add(index);
            }
        }
        indices.sort(null);
        boolean named = storage.exists(Frame.FIRST_NAME);
        if (indices.isEmpty() && !named) {
            return new ArrayList<>();
        }
        long next = named ? readFirst(storage) : 0;
        List<long[]> segments = new ArrayList<>();
        for (long index : indices) {
            if (index < next && segments.isEmpty()) {
                if (clean) {
                    storage.delete(Frame.segmentName(index));
                }
                continue;
            }
            if (index != next) {
                throw missing(storage, next, "segment " + index + " is there");
            }
            try (SegmentCursor cursor = new SegmentCursor(storage, index)) {
                segments.add(new long[] {index, cursor.firstSequence()});
            }
            next++;
        }
        if (segments.isEmpty()) {
            throw missing(storage, next, storage.describe(Frame.FIRST_NAME) + " names it as the first one");
        }
        return segments;
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
