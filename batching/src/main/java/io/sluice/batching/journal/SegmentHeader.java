package io.sluice.batching.journal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** The first block of a segment. {@link Journal} begins with an overview of its fields. */
final class SegmentHeader {
    /** How many bytes of the block have a meaning. */
    static final int LENGTH = 44;

    private static final long MAGIC = 0x31304C4E4A434C53L; // "SLCJNL01"
    private static final int CHECKSUM_AT = LENGTH - 4;

    private SegmentHeader() {}

    static ByteBuffer encode(long journalId, Segment segment, long segmentSize) {
        ByteBuffer header = ByteBuffer.allocateDirect(Frame.BLOCK).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(0, MAGIC);
        header.putLong(8, journalId);
        header.putLong(16, segment.index());
        header.putLong(24, segment.firstSequence());
        header.putLong(32, segmentSize);
        header.putInt(CHECKSUM_AT, (int) checksum(header, CHECKSUM_AT));
        return header;
    }

    static boolean isValid(ByteBuffer header) {
        return header.getLong(0) == MAGIC && header.getInt(CHECKSUM_AT) == (int) checksum(header, CHECKSUM_AT);
    }

    static long journalId(ByteBuffer header) {
        return header.getLong(8);
    }

    static long index(ByteBuffer header) {
        return header.getLong(16);
    }

    static long firstSequence(ByteBuffer header) {
        return header.getLong(24);
    }

    /** The size of the whole segment; the file has it from its creation on. */
    static long segmentSize(ByteBuffer header) {
        return header.getLong(32);
    }

    /** Of the first bytes; 0 to 2^32 - 1. */
    static long checksum(ByteBuffer bytes, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().position(0).limit(length));
        return crc.getValue();
    }
}
