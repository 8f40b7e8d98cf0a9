package io.sluice.batching.journal;

import static io.sluice.batching.journal.Frame.BLOCK;
import static io.sluice.batching.journal.Frame.HEADER;
import static io.sluice.batching.journal.Frame.align;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Puts frames into one segment: through a buffer that is written in whole blocks, or into a mapping of the file. It knows offsets, and
 * no rules about records, batches and durability. One thread uses it.
 */
final class SegmentWriter implements Closeable {
    /** The room that a PAD may take behind the last record: the rest of a block, and one more if that rest is too short. */
    static final int PAD_RESERVE = 2 * BLOCK;

    private final Storage.SegmentFile file;
    private final boolean mapped;
    private final ByteBuffer buffer;
    private final int size;
    private final int salt;
    private final CRC32C crc = new CRC32C();

    /** The offset in the file of the buffer's byte 0; a mapping starts at 0. */
    private int bufferStart;

    /** The offset in the file of the next frame. */
    private int position;

    /** The buffer holds bytes from here on that the file has not got. */
    private int unwrittenFrom;

    /** The start of the epoch that the next force ends. */
    private int epochStart;

    /**
     * Opens a segment for appending at an offset. Either this succeeds, or nothing is changed.
     *
     * @param writeBuffer the buffer for whole blocks; null for a mapping of the file
     */
    SegmentWriter(Storage storage, long journalId, long index, int offset, @Nullable ByteBuffer writeBuffer)
            throws IOException {
        String name = FileNames.segment(index);
        Storage.SegmentFile opened = storage.open(name, true);
        try {
            file = opened;
            mapped = writeBuffer == null;
            size = (int) opened.size();
            salt = Frame.segmentSalt(journalId, index);
            position = offset;
            unwrittenFrom = offset;
            epochStart = offset & -BLOCK;
            if (writeBuffer == null) {
                buffer = opened.map().order(ByteOrder.LITTLE_ENDIAN);
            } else {
                buffer = writeBuffer;
                bufferStart = epochStart;
                buffer.clear().limit(offset - epochStart);
                if (!opened.readFully(buffer, bufferStart)) {
                    throw new IOException(storage.describe(name) + " must have " + offset
                            + " bytes, as when it was read before, but was shorter");
                }
                buffer.clear();
            }
        } catch (Throwable e) {
            Storage.closeQuietly(opened);
            throw e;
        }
    }

    /** The longest record that fits into each segment and into the buffer. */
    static int longestRecord(JournalConfig config) {
        int inSegment = config.segmentSize - BLOCK - 2 * HEADER;
        int inBuffer = config.method == JournalConfig.Method.MAPPED
                ? Integer.MAX_VALUE
                : config.bufferSize - PAD_RESERVE - BLOCK - HEADER;
        return Math.min(inSegment, inBuffer) & -Frame.ALIGNMENT;
    }

    int position() {
        return position;
    }

    int size() {
        return size;
    }

    /** Whether the segment has room for a frame, and for a closing mark behind it. */
    boolean hasRoomFor(int frameLength) {
        return align(frameLength) <= size - HEADER - position;
    }

    /** Puts a record behind the others. The segment must have room for it. */
    void putRecord(ByteBuffer source, int offset, int length, long sequence, long time, long durable)
            throws IOException {
        int frame = HEADER + length;
        int needed = align(frame);
        if (!mapped && needed > buffer.capacity() - (position - bufferStart) - PAD_RESERVE) {
            writeFullBlocks();
        }
        int at = position - bufferStart;
        buffer.put(at + HEADER, source, offset, length);
        Frame.put(buffer, at, frame, Frame.DATA, sequence, time, durable, Frame.checksumMask(salt, position), crc);
        position += needed;
    }

    /** Puts a mark that reaches to an offset. */
    void putMark(int type, int end, long sequence, long time, long durable) throws IOException {
        if (!mapped && position - bufferStart + HEADER > buffer.capacity()) {
            writeFullBlocks();
        }
        Frame.put(
                buffer,
                position - bufferStart,
                end - position,
                type,
                sequence,
                time,
                durable,
                Frame.checksumMask(salt, position),
                crc);
        // A ROLL ends the use of the segment: behind its header nothing is ever written.
        position = type == Frame.ROLL ? position + HEADER : end;
    }

    /** Writes up to the position, the rest of the last block as zeros. A block that is not full stays in the buffer, too. */
    void writeAll() throws IOException {
        if (!mapped && unwrittenFrom != position) {
            int used = position - bufferStart;
            int end = Frame.blockEnd(used);
            for (int i = used; i < end; i++) {
                buffer.put(i, (byte) 0);
            }
            writeBlocks(end);
        }
    }

    /** Forces what was written, and begins a new epoch. Blocks. */
    void force() throws IOException {
        if (mapped) {
            // The mapping is forced in whole blocks from the epoch's first one on.
            file.force(buffer, epochStart, Frame.blockEnd(position) - epochStart);
        } else {
            file.force();
        }
        epochStart = position;
    }

    /** Makes room in the buffer. */
    private void writeFullBlocks() throws IOException {
        int full = (position - bufferStart) & -BLOCK;
        if (full > 0) {
            writeBlocks(full);
        }
    }

    /** Writes the buffer up to an index, and moves the block that is not full to the front. */
    private void writeBlocks(int end) throws IOException {
        try {
            buffer.position(0).limit(end);
            file.write(buffer, bufferStart);
        } finally {
            buffer.clear();
        }
        unwrittenFrom = Math.min(position, bufferStart + end);
        int full = (position - bufferStart) & -BLOCK;
        if (full > 0) {
            buffer.put(0, buffer, full, position - bufferStart - full);
            bufferStart += full;
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
