package io.sluice.batching.journal;

import io.sluice.batching.journal.JournalException.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The file {@code journal.first}: which journal this is, and which segment is the first one that it still holds. It is replaced as
 * a whole, by a rename.
 *
 * @param journalId the journal's number
 * @param index the index of the first segment
 */
record FirstSegmentFile(long journalId, long index) {
    private static final long MAGIC = 0x3130545352434C53L; // "SLCRST01"
    private static final int LENGTH = 32;
    private static final int CHECKSUM_AT = 24;

    static boolean exists(Storage storage) throws IOException {
        return storage.exists(FileNames.FIRST);
    }

    /** Whether the journal begins behind a segment by now. */
    static boolean saysRetired(Storage storage, long index) throws IOException {
        return exists(storage) && read(storage).index > index;
    }

    /** Replaces the file, and forces it and the folder. */
    void write(Storage storage) throws IOException {
        storage.delete(FileNames.NEW);
        ByteBuffer bytes = ByteBuffer.allocateDirect(LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(0, MAGIC);
        bytes.putLong(8, journalId);
        bytes.putLong(16, index);
        bytes.putLong(CHECKSUM_AT, SegmentHeader.checksum(bytes, CHECKSUM_AT));
        try (Storage.SegmentFile made = storage.create(FileNames.NEW, LENGTH)) {
            made.write(bytes, 0);
            made.force();
        }
        storage.rename(FileNames.NEW, FileNames.FIRST);
        storage.forceFolder();
    }

    static FirstSegmentFile read(Storage storage) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocateDirect(LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        boolean whole;
        try (Storage.SegmentFile file = storage.open(FileNames.FIRST, false)) {
            whole = file.readFully(bytes, 0);
        }
        bytes.clear();
        if (!whole
                || bytes.getLong(0) != MAGIC
                || bytes.getLong(CHECKSUM_AT) != SegmentHeader.checksum(bytes, CHECKSUM_AT)) {
            throw new JournalException(
                    Kind.DAMAGED,
                    storage.describe(FileNames.FIRST) + " must have the checksum of its content, but is damaged");
        }
        return new FirstSegmentFile(bytes.getLong(8), bytes.getLong(16));
    }
}
