package io.sluice.batching.journal;

import io.sluice.batching.journal.JournalException.Kind;
import io.sluice.core.SequenceView;
import io.sluice.core.check.Check;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a journal forward.
 *
 * <pre>{@code
 * try (JournalReader reader = JournalReader.replay(folder, 0)) {
 *     while (reader.next()) {
 *         apply(reader.sequence(), reader.buffer(), reader.payloadOffset(), reader.payloadLength());
 *     }
 * }
 * }</pre>
 *
 * <p>One thread at a time may use it. It blocks on file reads. It allocates when it is made, when it moves to another segment, and
 * when a record is longer than any before.
 *
 * <p>There are two kinds. One that <em>replays</em> a journal checks at the end that nothing readable follows, which
 * would mean damage. Each such check scans the rest of the last segment. One that <em>follows</em> a live writer does not check, so it
 * may be asked again and again.
 *
 * <p>An interrupt of the reading thread during a read closes the file, as with every {@link java.nio.channels.FileChannel}: the
 * reader cannot be used after that.
 */
public final class JournalReader implements AutoCloseable {
    static final long FROM_FIRST = -1;

    private final Storage storage;
    private final boolean following;

    private SegmentCursor cursor;
    private @Nullable SequenceView limit;
    private long from;
    private long current = -1;
    private long currentTime = -1; // a look at what is not there reads the cursor's window anew
    private boolean closed;

    /**
     * Opens a journal that has no writer; or one that has, up to its present end.
     *
     * @param folder the journal's folder
     * @param fromSequence the first sequence to read, from the first one held to one after the last
     * @return the reader
     * @throws JournalException if there is no journal, a segment is missing or damaged, or the sequence is not held
     */
    public static JournalReader replay(Path folder, long fromSequence) throws JournalException {
        Check.notNull(folder, "folder");
        checkFrom(fromSequence);
        return replay(new DiskStorage(folder), fromSequence);
    }

    /**
     * Follows a journal that another process, or another thread, writes.
     *
     * @param folder the journal's folder
     * @param fromSequence the first sequence to read, from the first one held to one after the last
     * @return the reader
     * @throws JournalException if there is no journal, a segment is missing or damaged, or the sequence is not held
     */
    public static JournalReader follow(Path folder, long fromSequence) throws JournalException {
        Check.notNull(folder, "folder");
        return follow(new DiskStorage(folder), fromSequence);
    }

    static JournalReader replay(Storage storage, long fromSequence) throws JournalException {
        return new JournalReader(storage, fromSequence, false);
    }

    static JournalReader follow(Storage storage, long fromSequence) throws JournalException {
        checkFrom(fromSequence);
        return new JournalReader(storage, fromSequence, true);
    }

    private JournalReader(Storage storage, long fromSequence, boolean following) throws JournalException {
        this.storage = storage;
        this.following = following;
        try {
            cursor = opened(fromSequence);
        } catch (IOException e) {
            throw JournalException.cannotOpen("read the journal in " + storage.describe(""), e);
        }
    }

    /** Lists the segments, and opens one. Again where others were retired meanwhile: those that are left may hold the sequence. */
    private SegmentCursor opened(long fromSequence) throws IOException {
        while (true) {
            List<Segment> segments = SegmentListing.list(storage, false);
            if (segments.isEmpty()) {
                throw new JournalException(
                        Kind.CANNOT_OPEN, storage.describe("") + " must hold a journal, but holds none");
            }
            try {
                begin(segments, fromSequence);
                return cursor;
            } catch (Throwable e) {
                Storage.closeQuietly(cursor);
                if (!(e instanceof JournalException)
                        || !FirstSegmentFile.saysRetired(
                                storage, segments.get(0).index())) {
                    throw e;
                }
            }
        }
    }

    /** Opens the segment that holds the first sequence to read, and moves before that. */
    private void begin(List<Segment> segments, long fromSequence) throws IOException {
        long first = segments.get(0).firstSequence();
        from = fromSequence == FROM_FIRST ? first : fromSequence;
        if (from < first) {
            throw notHeld(from, "the first sequence held is " + first);
        }
        int at = segments.size() - 1;
        while (at > 0 && segments.get(at).firstSequence() > from) {
            at--;
        }
        cursor = new SegmentCursor(storage, segments.get(at).index());
        if (at > 0 && at == segments.size() - 1 && !cursor.canReadNext()) {
            // An empty last segment may be dropped by the writer, who then goes on in the one before.
            Storage.closeQuietly(cursor);
            cursor = new SegmentCursor(storage, segments.get(at - 1).index());
        }
        while (cursor.expectedSequence() < from) {
            if (!moveToNextRecord() && !recheckEnd()) { // else it has moved, or a live writer has gone on
                throw notHeld(from, "the journal ends before sequence " + cursor.expectedSequence());
            }
        }
    }

    /**
     * Stops this reader at a sequence that another thread advances, such as {@link Journal#durable()}.
     *
     * @param view the last sequence that may be read; read with acquire at each {@link #next()}
     * @return this reader
     */
    public JournalReader upTo(SequenceView view) {
        limit = Check.notNull(view, "view");
        return this;
    }

    /**
     * Moves to the next record.
     *
     * @return true if there is one; false at the end, before a torn tail, or at the limit: a later call may find more if the
     *     journal is still written
     * @throws JournalException if a segment is missing or damaged, cannot be read, was retired, or the reader is closed; a
     *     later call tries the same again
     */
    public boolean next() throws JournalException {
        if (closed) {
            throw new JournalException(
                    Kind.CLOSED, "the reader of " + storage.describe("") + " must be open, but was closed");
        }
        SequenceView bound = limit;
        if (bound != null && cursor.expectedSequence() > bound.get()) {
            return false;
        }
        try {
            if (moveToNextRecord()) {
                current = cursor.sequence();
                currentTime = cursor.timestamp();
                return true;
            }
            if (!following) {
                return recheckEnd() && next();
            }
            return false;
        } catch (IOException e) {
            throw JournalException.cannotOpen("read " + cursor.description(), e);
        }
    }

    /**
     * The current record's sequence.
     *
     * @return the sequence, -1 before the first {@link #next()}
     */
    public long sequence() {
        return current;
    }

    /**
     * The time of the journal's clock at the start of the current record's batch, or of the 64 KiB of the batch that hold
     * the record. Like the sequence, it stays when {@link #next()} finds no further record.
     *
     * @return the timestamp, in milliseconds since 1970 unless the journal was given another clock; -1 before the first {@link #next()}
     */
    public long timestamp() {
        return currentTime;
    }

    /**
     * The buffer that holds the current record. The buffer, the offset and the length are valid after a {@link #next()} that found a
     * record, until the next call of it. Read it with absolute indices. Each such {@code next} sets it to little endian, and its position
     * and limit to its ends. The reader itself does not look at what you set.
     *
     * @return the buffer
     */
    public ByteBuffer buffer() {
        return cursor.buffer();
    }

    /**
     * Where the current record's payload starts.
     *
     * @return its index in {@link #buffer()}
     */
    public int payloadOffset() {
        return cursor.payloadOffset();
    }

    /**
     * How long the current record's payload is.
     *
     * @return its length in bytes, 0 or more
     */
    public int payloadLength() {
        return cursor.payloadLength();
    }

    /**
     * The sequence that the next record will have.
     *
     * @return the sequence
     */
    public long nextSequence() {
        return cursor.expectedSequence();
    }

    /** Closes the file. Closing again does nothing. */
    @Override
    public void close() {
        closed = true;
        Storage.closeQuietly(cursor);
    }

    JournalReport report(long first) throws JournalException {
        try {
            long written = cursor.endOfContent(cursor.offset());
            long torn = written - cursor.offset();
            return new JournalReport(
                    first,
                    cursor.expectedSequence(),
                    SegmentListing.list(storage, false).size(),
                    torn,
                    torn == 0 ? "" : cursor.description() + ", offset " + cursor.offset());
        } catch (IOException e) {
            throw JournalException.cannotOpen("read " + cursor.description(), e);
        }
    }

    /** Moves to the next DATA frame, over segments; false if there is none now. */
    private boolean moveToNextRecord() throws IOException {
        while (true) {
            // Before a look at the frames, so that a move that failed is tried again, and not taken for the end.
            if (cursor.isFinished()) {
                if (!moveToNextSegment()) {
                    return false;
                }
            } else if (!cursor.next()) {
                if (!cursor.isStillThisSegment()) {
                    throw retired();
                }
                return false;
            } else if (cursor.type() == Frame.DATA) {
                return true;
            }
        }
    }

    /** Moves from a finished segment to the next; false if it is not there, and need not be. */
    private boolean moveToNextSegment() throws IOException {
        long index = cursor.index() + 1;
        if (!storage.exists(FileNames.segment(index))) {
            if (FirstSegmentFile.saysRetired(storage, index)) {
                throw retired();
            }
            if (cursor.type() == Frame.ROLL) {
                throw SegmentListing.missing(
                        storage, index, "segment " + cursor.index() + " is full and names a next one");
            }
            return false; // closed when it was full: a later writer makes the next one
        }
        SegmentCursor following;
        try {
            following = new SegmentCursor(storage, index);
        } catch (JournalException e) {
            throw FirstSegmentFile.saysRetired(storage, index) ? retired() : e;
        }
        boolean fits = false;
        try {
            if (following.isLeftOverBehind(cursor)) {
                return false; // the same end: a later writer makes another one
            }
            if (following.firstSequence() != cursor.expectedSequence() || following.journalId() != cursor.journalId()) {
                throw following.damaged("the segment before ends before sequence " + cursor.expectedSequence()
                        + ", or belongs to another journal");
            }
            fits = true;
        } finally {
            if (!fits) {
                Storage.closeQuietly(following);
            }
        }
        Storage.closeQuietly(cursor);
        cursor = following;
        return true;
    }

    /**
     * Called where nothing can be read. Throws if this is not the end. Returns true if a live writer has completed the frame
     * meanwhile, so that reading can go on.
     */
    private boolean recheckEnd() throws IOException {
        JournalException complaint;
        try {
            String reason = reasonForDamage();
            if (reason == null) {
                return false;
            }
            complaint = cursor.damaged(reason);
        } catch (JournalException e) {
            complaint = e;
        }
        // The evidence may be younger than the look at the frame: look again, and only then believe it.
        if (cursor.canReadNext()) {
            return true;
        }
        if (!cursor.isStillThisSegment()) {
            throw retired();
        }
        throw complaint;
    }

    /** Why this cannot be the end of the journal; null if it can. */
    private @Nullable String reasonForDamage() throws IOException {
        String wrongSize = cursor.wrongSize();
        if (wrongSize != null || cursor.isFinished()) {
            return wrongSize;
        }
        long evidence = cursor.evidenceOfDamage();
        if (evidence >= 0) {
            return SegmentCursor.laterFrame(evidence);
        }
        long next = cursor.index() + 1;
        if (storage.exists(FileNames.segment(next))) {
            try (SegmentCursor following = new SegmentCursor(storage, next)) {
                if (following.next()) {
                    return "records follow in " + following.description();
                }
            }
        }
        return null;
    }

    private JournalException retired() {
        return notHeld(cursor.expectedSequence(), "it was retired before this reader came to it");
    }

    private JournalException notHeld(long sequence, String reason) {
        return new JournalException(
                Kind.NOT_HELD,
                "sequence " + sequence + " must be in the journal in " + storage.describe("") + ", but " + reason);
    }

    private static void checkFrom(long fromSequence) {
        Check.inRange(fromSequence, 0, Long.MAX_VALUE, "fromSequence");
    }
}
