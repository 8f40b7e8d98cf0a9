package io.sluice.batching.journal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The bytes of a segment, little endian.
 *
 * <pre>
 *   segment   header block (4 KiB) | frame | frame | ... | zeros
 *
 *   header     0 magic (8)   8 journal id (8)   16 index (8)   24 first sequence (8)   32 segment size (8)
 *             40 CRC-32C of bytes 0..39 (4)
 *
 *   frame      0 CRC-32C (4)   4 frame length (4)   8 sequence (8)   16 timestamp (8)
 *             24 sequence minus the last sequence known durable when the frame was made, 1 or more (4)
 *             28 type (1)   29 magic (3)   32 payload
 * </pre>
 *
 * <p>The CRC is stored exclusive-or a number made of journal, segment and offset, so that a block that lands in a wrong
 * place, or a payload that contains a copy of a frame, is not taken for a frame.
 *
 * <p>A frame's length is that of header and payload; the next frame starts at the next multiple of 8. The CRC covers all
 * bytes of a DATA frame after the CRC itself. The other types have no payload: PAD reaches to the end of a 4 KiB block, ROLL
 * to the end of the segment, CLOSE says that the writer ended in good order; their CRC covers the rest of the header, and
 * they carry the sequence of the next DATA frame. A CLOSE reaches to the end of a block, or to the end of the segment if no
 * further block is left; then the next segment, if there is one, goes on.
 *
 * <p>The distance at 24 tells damage from a torn tail: if a frame cannot be read, but a later one was written when the
 * former was already durable, then something that had been promised is gone.
 */
final class Frame {
    static final int BLOCK = 4096;
    static final int ALIGNMENT = 8;
    static final int HEADER = 32;
    static final int MAX_SEGMENT = 1 << 30;

    static final int DATA = 1;
    static final int PAD = 2;
    static final int ROLL = 3;
    static final int CLOSE = 4;

    static final String LOCK_NAME = "journal.lock";
    static final String FIRST_NAME = "journal.first";
    static final String NEW_NAME = "journal.new";
    static final String SPARE_NAME = "journal.spare";
    static final String PREPARING_NAME = "journal.preparing";
    static final String TORN_NAME = "journal.torn";
    private static final String PREFIX = "journal-";
    private static final String SUFFIX = ".segment";
    private static final int DIGITS = 12;

    private static final long SEGMENT_MAGIC = 0x31304C4E4A434C53L; // "SLCJNL01"
    private static final long FIRST_MAGIC = 0x3130545352434C53L; // "SLCRST01"
    private static final int FRAME_MAGIC = 0x4A6C53 << 8;
    static final int SEGMENT_HEADER = 44;

    private Frame() {}

    static int align(int length) {
        return (length + ALIGNMENT - 1) & -ALIGNMENT;
    }

    static int blockEnd(int position) {
        return (position + BLOCK - 1) & -BLOCK;
    }

    static int length(ByteBuffer buffer, int at) {
        return buffer.getInt(at + 4);
    }

    static long sequence(ByteBuffer buffer, int at) {
        return buffer.getLong(at + 8);
    }

    static long timestamp(ByteBuffer buffer, int at) {
        return buffer.getLong(at + 16);
    }

    /** The last sequence that was durable when the frame was made, or less. */
    static long durable(ByteBuffer buffer, int at) {
        return sequence(buffer, at) - buffer.getInt(at + 24);
    }

    /** The type, or 0 if this is no frame's header. */
    static int type(ByteBuffer buffer, int at) {
        int word = buffer.getInt(at + 28);
        int type = word & 0xFF;
        return (word & ~0xFF) == FRAME_MAGIC && type >= DATA && type <= CLOSE ? type : 0;
    }

    /** Whether length and type are possible for a frame of which {@code room} bytes are left in the segment. */
    static boolean plausible(ByteBuffer buffer, int at, long room) {
        int length = length(buffer, at);
        return length >= HEADER && length <= room && type(buffer, at) != 0;
    }

    /** How many bytes from the frame's start the CRC speaks for. */
    static int covered(ByteBuffer buffer, int at) {
        return type(buffer, at) == DATA ? length(buffer, at) : HEADER;
    }

    /** Whether the CRC is right; all covered bytes must be in the buffer. Leaves position and limit changed. */
    static boolean intact(ByteBuffer buffer, int at, int place, CRC32C crc) {
        return buffer.getInt(at) == (checksum(buffer, at, covered(buffer, at), crc) ^ place);
    }

    /** Writes header and CRC around a payload that is already there. Leaves position and limit changed. */
    static void put(
            ByteBuffer buffer,
            int at,
            int length,
            int type,
            long sequence,
            long timestamp,
            long durable,
            int place,
            CRC32C crc) {
        buffer.putInt(at + 4, length);
        buffer.putLong(at + 8, sequence);
        buffer.putLong(at + 16, timestamp);
        buffer.putInt(at + 24, (int) Math.min(Integer.MAX_VALUE, sequence - durable));
        buffer.putInt(at + 28, FRAME_MAGIC | type);
        buffer.putInt(at, checksum(buffer, at, type == DATA ? length : HEADER, crc) ^ place);
    }

    /** What the CRCs of a segment are mixed with. */
    static int salt(long journalId, long index) {
        long mixed = (journalId + index * 0x9E3779B97F4A7C15L) * 0xD6E8FEB86659FD93L;
        return (int) (mixed >>> 32);
    }

    /** What the CRC of the frame at this offset of a segment is mixed with. */
    static int place(int salt, long offset) {
        return salt ^ (int) (offset * 0x9E3779B1L);
    }

    private static int checksum(ByteBuffer buffer, int at, int covered, CRC32C crc) {
        crc.reset();
        buffer.limit(at + covered).position(at + 4);
        crc.update(buffer);
        buffer.clear();
        return (int) crc.getValue();
    }

    static ByteBuffer segmentHeader(long journalId, long index, long firstSequence, long segmentSize) {
        ByteBuffer header = ByteBuffer.allocateDirect(BLOCK).order(ByteOrder.LITTLE_ENDIAN);
        header.putLong(0, SEGMENT_MAGIC);
        header.putLong(8, journalId);
        header.putLong(16, index);
        header.putLong(24, firstSequence);
        header.putLong(32, segmentSize);
        CRC32C crc = new CRC32C();
        crc.update(header.duplicate().position(0).limit(SEGMENT_HEADER - 4));
        header.putInt(SEGMENT_HEADER - 4, (int) crc.getValue());
        return header;
    }

    static boolean validSegmentHeader(ByteBuffer header) {
        CRC32C crc = new CRC32C();
        crc.update(header.duplicate().position(0).limit(SEGMENT_HEADER - 4));
        return header.getLong(0) == SEGMENT_MAGIC && header.getInt(SEGMENT_HEADER - 4) == (int) crc.getValue();
    }

    static ByteBuffer firstFile(long journalId, long firstIndex) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(32).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putLong(0, FIRST_MAGIC);
        bytes.putLong(8, journalId);
        bytes.putLong(16, firstIndex);
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().position(0).limit(24));
        bytes.putLong(24, crc.getValue());
        return bytes;
    }

    static boolean validFirstFile(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().position(0).limit(24));
        return bytes.getLong(0) == FIRST_MAGIC && bytes.getLong(24) == crc.getValue();
    }

    static String segmentName(long index) {
        String digits = Long.toString(index);
        return PREFIX + "0".repeat(Math.max(0, DIGITS - digits.length())) + digits + SUFFIX;
    }

    /** The index in a segment's name, or -1 if this is the name of something else. */
    static long segmentIndex(String name) {
        if (name.length() != PREFIX.length() + DIGITS + SUFFIX.length()
                || !name.startsWith(PREFIX)
                || !name.endsWith(SUFFIX)) {
            return -1;
        }
        long index = 0;
        for (int i = PREFIX.length(); i < PREFIX.length() + DIGITS; i++) {
            char digit = name.charAt(i);
            if (digit < '0' || digit > '9') {
                return -1;
            }
            index = index * 10 + digit - '0';
        }
        return index;
    }
}
