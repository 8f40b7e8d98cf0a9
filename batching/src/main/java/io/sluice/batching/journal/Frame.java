package io.sluice.batching.journal;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * One frame of a segment: a header of 32 bytes, and the payload behind it. {@link Journal} begins with an overview of the
 * fields and of what the types mean.
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

    private static final int MAGIC = 0x4A6C53 << 8;

    private Frame() {}

    /** The next multiple of 8. */
    static int align(int length) {
        return (length + ALIGNMENT - 1) & -ALIGNMENT;
    }

    /** The next multiple of a block. */
    static int blockEnd(int position) {
        return (position + BLOCK - 1) & -BLOCK;
    }

    /** The length of header and payload. */
    static int length(ByteBuffer buffer, int at) {
        return buffer.getInt(at + 4);
    }

    static long sequence(ByteBuffer buffer, int at) {
        return buffer.getLong(at + 8);
    }

    static long timestamp(ByteBuffer buffer, int at) {
        return buffer.getLong(at + 16);
    }

    /** The last sequence that was durable when the frame was made, or a lower one. */
    static long durable(ByteBuffer buffer, int at) {
        return sequence(buffer, at) - buffer.getInt(at + 24);
    }

    /** The type, or 0 if this is no frame's header. */
    static int type(ByteBuffer buffer, int at) {
        int word = buffer.getInt(at + 28);
        int type = word & 0xFF;
        return (word & ~0xFF) == MAGIC && type >= DATA && type <= CLOSE ? type : 0;
    }

    /** Whether length and type are possible for a frame of which {@code room} bytes are left in the segment. */
    static boolean isPlausible(ByteBuffer buffer, int at, long room) {
        int length = length(buffer, at);
        return length >= HEADER && length <= room && type(buffer, at) != 0;
    }

    /** How many bytes from the frame's start, its checksum included, the checksum needs. */
    static int checksummedLength(ByteBuffer buffer, int at) {
        return type(buffer, at) == DATA ? length(buffer, at) : HEADER;
    }

    /** Whether the CRC is right; all covered bytes must be in the buffer. Leaves position and limit changed. */
    static boolean isIntact(ByteBuffer buffer, int at, int mask, CRC32C crc) {
        return buffer.getInt(at) == (checksum(buffer, at, checksummedLength(buffer, at), crc) ^ mask);
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
            int mask,
            CRC32C crc) {
        buffer.putInt(at + 4, length);
        buffer.putLong(at + 8, sequence);
        buffer.putLong(at + 16, timestamp);
        buffer.putInt(at + 24, (int) Math.min(Integer.MAX_VALUE, sequence - durable));
        buffer.putInt(at + 28, MAGIC | type);
        buffer.putInt(at, checksum(buffer, at, type == DATA ? length : HEADER, crc) ^ mask);
    }

    /** A number that differs from segment to segment, and from journal to journal. */
    static int segmentSalt(long journalId, long index) {
        long mixed = (journalId + index * 0x9E3779B97F4A7C15L) * 0xD6E8FEB86659FD93L;
        return (int) (mixed >>> 32);
    }

    /** The number that the checksum of the frame at this offset of a segment is exclusive-ored with. */
    static int checksumMask(int salt, long offset) {
        return salt ^ (int) (offset * 0x9E3779B1L);
    }

    private static int checksum(ByteBuffer buffer, int at, int length, CRC32C crc) {
        crc.reset();
        buffer.limit(at + length).position(at + 4);
        crc.update(buffer);
        buffer.clear();
        return (int) crc.getValue();
    }
}
