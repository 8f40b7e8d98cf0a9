package io.sluice.batching.journal;

import static io.sluice.batching.journal.Frame.ALIGNMENT;
import static io.sluice.batching.journal.Frame.BLOCK;
import static io.sluice.batching.journal.Frame.HEADER;

import io.sluice.batching.journal.JournalException.Kind;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Walks over the frames of one segment.
 *
 * <p>The window holds a copy of a part of the file. A frame that is not intact in the window is read from the file once
 * more before it is called unreadable, since a live writer may have completed it meanwhile. A frame that is seen half
 * written fails its CRC; nothing else is assumed about the order in which a writer's bytes arrive.
 */
final class SegmentCursor implements Closeable {
    private static final int MIN_WINDOW = 64 << 10;

    private final Storage.SegmentFile file;
    private final String description;
    private final long size;
    final long declaredSize;
    private final long index;
    private final long journalId;
    private final long firstSequence;
    private final int salt;
    private final CRC32C crc = new CRC32C();

    private ByteBuffer window;
    private ByteBuffer view; // the window's bytes, with a state of its own: readers change that
    private long windowStart;
    private int windowLength;

    private long offset = BLOCK;
    private long expectedSequence;

    private int frameAt;
    private int frameLength;
    private int frameType;
    private long epochStart = BLOCK;
    private @Nullable ByteBuffer headerCopy;

    /** Opens a segment and checks its header. */
    SegmentCursor(Storage storage, long index) throws JournalException {
        this(storage, index, MIN_WINDOW);
    }

    /** Opens a segment for a look at its header alone. */
    static SegmentCursor forHeader(Storage storage, long index) throws JournalException {
        return new SegmentCursor(storage, index, BLOCK);
    }

    private SegmentCursor(Storage storage, long index, int room) throws JournalException {
        String name = FileNames.segment(index);
        this.index = index;
        this.description = storage.describe(name);
        Storage.SegmentFile opened = null;
        boolean done = false;
        try {
            opened = storage.open(name, false);
            file = opened;
            size = file.size();
            window = ByteBuffer.allocateDirect((int) Math.min(room, Math.max(size, BLOCK)))
                    .order(ByteOrder.LITTLE_ENDIAN);
            view = window.duplicate();
            if (!fill(0, BLOCK) || !SegmentHeader.isValid(window) || SegmentHeader.index(window) != index) {
                throw new JournalException(
                        Kind.DAMAGED,
                        description + " (" + size + " bytes) must begin with the header of segment " + index
                                + ", but has none at offset 0");
            }
            declaredSize = SegmentHeader.segmentSize(window);
            journalId = SegmentHeader.journalId(window);
            firstSequence = SegmentHeader.firstSequence(window);
            salt = Frame.segmentSalt(journalId, index);
            expectedSequence = firstSequence;
            done = true;
        } catch (IOException e) {
            throw JournalException.cannotOpen("read " + description, e);
        } finally {
            if (!done) {
                Storage.closeQuietly(opened);
            }
        }
    }

    /** Moves to the next frame; false if there is none that can be read in full yet. */
    boolean next() throws IOException {
        long at = offset;
        if (!readable(at) && !(fill(at, HEADER) && readable(at))) {
            return false;
        }
        if (isMark()) {
            epochStart = at;
        }
        frameAt = (int) (at - windowStart);
        frameLength = Frame.length(window, frameAt);
        frameType = Frame.type(window, frameAt);
        offset = at + Frame.align(frameLength);
        if (frameType == Frame.DATA) {
            expectedSequence++;
            view.clear().order(ByteOrder.LITTLE_ENDIAN);
        }
        return true;
    }

    /** Whether {@link #next()} would succeed now; reads the file anew. */
    boolean canReadNext() throws IOException {
        return fill(offset, HEADER) && readable(offset);
    }

    /** Whether {@link #next()} moved to a frame that ends an epoch: nothing is written behind it before it is durable. */
    private boolean isMark() {
        return frameType > Frame.DATA;
    }

    /**
     * The start of the last epoch that has a readable frame. All before it was forced with success, since a frame follows.
     * The file does not tell whether the epoch itself was forced.
     */
    long epochStart() {
        return epochStart;
    }

    /** Whether the segment has its end: a mark that fills it. The next segment must be there if the mark is a ROLL. */
    boolean isFinished() {
        return isMark() && offset >= declaredSize;
    }

    /**
     * Whether this segment, in which no record was found, was made for a roll that failed after the segment had got its
     * name. The writer then went on in the segment before, and closed that full. So the segment before has no ROLL, and
     * holds the record that this one was to begin with.
     */
    boolean isLeftOverBehind(SegmentCursor before) throws IOException {
        return before.frameType == Frame.CLOSE
                && before.journalId == journalId
                && firstSequence < before.expectedSequence
                && !canReadNext();
    }

    /** Whether the file still is this segment. A retired one that is used again has another header, or none. */
    boolean isStillThisSegment() throws IOException {
        ByteBuffer header = headerCopy;
        if (header == null) {
            header = ByteBuffer.allocate(SegmentHeader.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
            headerCopy = header;
        }
        boolean whole = file.readFully(header.clear(), 0);
        header.clear();
        return whole
                && SegmentHeader.isValid(header)
                && SegmentHeader.journalId(header) == journalId
                && SegmentHeader.index(header) == index;
    }

    /** The type of the frame that {@link #next()} moved to. */
    int type() {
        return frameType;
    }

    long sequence() {
        return Frame.sequence(window, frameAt);
    }

    long timestamp() {
        return Frame.timestamp(window, frameAt);
    }

    /** The buffer that holds the payload, at {@link #payloadOffset()}; valid until the next move. */
    ByteBuffer buffer() {
        return view;
    }

    int payloadOffset() {
        return frameAt + HEADER;
    }

    int payloadLength() {
        return frameLength - HEADER;
    }

    /** Where the next frame starts. */
    long offset() {
        return offset;
    }

    /** The sequence of the next DATA frame. */
    long expectedSequence() {
        return expectedSequence;
    }

    long firstSequence() {
        return firstSequence;
    }

    long journalId() {
        return journalId;
    }

    long index() {
        return index;
    }

    long size() {
        return size;
    }

    String description() {
        return description;
    }

    /** The offset behind the last byte that is not zero, at or after {@code from}; {@code from} if all are zero. */
    long endOfContent(long from) throws IOException {
        long last = from;
        for (long at = from; at < size; at += windowLength) {
            if (!fill(at, 1)) {
                break;
            }
            for (int i = windowLength - 1; i >= 0; i--) {
                if (window.get(i) != 0) {
                    last = at + i + 1;
                    break;
                }
            }
        }
        return last;
    }

    /**
     * Looks behind the first frame that cannot be read for one that could only have been written after the former was
     * durable. Returns its offset, or -1 if there is none: then the tail is torn, and nothing was lost that had been
     * promised.
     *
     * <p>Such a frame says so itself (its durable sequence), or has the very sequence that was expected: in a torn tail the
     * frames behind the first hole have later ones, unless the hole is a PAD, and a PAD is durable before anything is
     * written behind it.
     */
    long evidenceOfDamage() throws IOException {
        long sequence = expectedSequence;
        for (long at = offset + ALIGNMENT; at + HEADER <= size; at += ALIGNMENT) {
            if (at < windowStart || at + HEADER > windowStart + windowLength) {
                if (!fill(at, HEADER)) {
                    return -1;
                }
            }
            int in = (int) (at - windowStart);
            if (window.getInt(in + 28) == 0 || !Frame.isPlausible(window, in, size - at)) {
                continue;
            }
            long found = Frame.sequence(window, in);
            if (found < sequence || (found != sequence && Frame.durable(window, in) < sequence)) {
                continue;
            }
            int needed = Frame.checksummedLength(window, in);
            if (in + needed > windowLength && !fillWithFrame(at, needed)) {
                continue;
            }
            in = (int) (at - windowStart);
            if (Frame.isIntact(window, in, Frame.checksumMask(salt, at), crc)) {
                return at;
            }
        }
        return -1;
    }

    /** Makes the exception for damage that {@code reason} shows; it names the place. */
    JournalException damaged(String reason) {
        return new JournalException(
                Kind.DAMAGED,
                description + " is damaged at offset " + offset + ", where sequence " + expectedSequence
                        + " was expected: " + reason);
    }

    /** The reason of damage that {@link #evidenceOfDamage()} gives. */
    static String laterFrame(long evidence) {
        return "the frame at offset " + evidence + " was written after this one was durable";
    }

    /** The reason of damage where the file has not the size that its header says; null if it has. */
    @Nullable
    String wrongSize() {
        return size == declaredSize ? null : "the file has " + size + " bytes, its header says " + declaredSize;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    /** Whether the window holds an intact frame with the expected sequence at this offset of the file. */
    private boolean readable(long at) throws IOException {
        if (at < windowStart || at + HEADER > windowStart + windowLength) {
            return false;
        }
        int in = (int) (at - windowStart);
        if (!Frame.isPlausible(window, in, size - at) || Frame.sequence(window, in) != expectedSequence) {
            return false;
        }
        int needed = Frame.checksummedLength(window, in);
        if (in + needed > windowLength) {
            if (!fillWithFrame(at, needed)) {
                return false;
            }
            in = 0;
            // Read anew, so the header may be another one.
            if (!Frame.isPlausible(window, in, size - at)
                    || Frame.sequence(window, in) != expectedSequence
                    || Frame.checksummedLength(window, in) > windowLength) {
                return false;
            }
        }
        return Frame.isIntact(window, in, Frame.checksumMask(salt, at), crc);
    }

    /**
     * Reads the window anew from a frame of so many bytes. The window grows only for a frame that is intact, since a damaged length
     * may be as long as the segment.
     */
    private boolean fillWithFrame(long at, int length) throws IOException {
        return (length <= window.capacity() || isIntactInFile(at, length)) && fill(at, length);
    }

    /** Whether the frame is intact, read a window at a time. */
    private boolean isIntactInFile(long at, int length) throws IOException {
        long end = at + length;
        int expected = 0;
        crc.reset();
        for (long from = at; from < end; from += windowLength) {
            if (!fill(from, (int) Math.min(HEADER, end - from))) {
                return false;
            }
            if (from == at) {
                expected = window.getInt(0) ^ Frame.checksumMask(salt, at);
            }
            window.limit((int) Math.min(windowLength, end - from)).position(from == at ? Integer.BYTES : 0);
            crc.update(window);
            window.clear();
        }
        return (int) crc.getValue() == expected;
    }

    /** Reads the window anew from {@code at}; false if the file has fewer than {@code needed} bytes there. */
    private boolean fill(long at, int needed) throws IOException {
        if (needed > window.capacity()) {
            window = ByteBuffer.allocateDirect(Frame.blockEnd(needed)).order(ByteOrder.LITTLE_ENDIAN);
            view = window.duplicate();
        }
        windowStart = at;
        windowLength = 0;
        file.readFully(window.clear(), at);
        windowLength = window.position();
        window.clear();
        return windowLength >= needed;
    }
}
