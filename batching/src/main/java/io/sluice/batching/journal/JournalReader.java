package io.sluice.batching.journal;

import io.sluice.batching.journal.JournalException.Kind;
import io.sluice.core.SequenceView;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
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
 * <p>Used by one thread at a time. Blocks on file reads. Allocates when it is made, when it moves to another segment, and
 * when a record is longer than any before.
 *
 * <p>Two kinds: one that <em>replays</em> a journal checks, where it finds nothing more to read, that this is the end, and
 * not damage before the end; this costs a scan of the rest of the last segment, each time. One that <em>follows</em> a live writer
 * leaves that check out, and may be asked again and again.
 */
public final class JournalReader implements AutoCloseable {
    static final long FROM_FIRST = -1;

    private final Storage storage;
    private final boolean following;

    private SegmentCursor cursor;
    private @Nullable SequenceView limit;
    private long from;
    private long current = -1;
    private boolean closed;

    /**
     * Opens a journal that nobody writes, or reads one that somebody does up to where it is now.
     *
     * @param folder the journal's folder
     * @param fromSequence the first sequence to read, from the first one held to one after the last
     * @return the reader
     * @throws JournalException if there is no journal, a segment is missing or damaged, or the sequence is not held
     */
    public static JournalReader replay(Path folder, long fromSequence) throws JournalException {
        Objects.requireNonNull(folder, "folder");
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
        Objects.requireNonNull(folder, "folder");
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
        SegmentCursor opened = null;
        boolean done = false;
        try {
            List<long[]> segments = Layout.segments(storage, false);
            if (segments.isEmpty()) {
                throw new JournalException(Kind.CANNOT_OPEN, "there is no journal in " + storage.describe(""));
            }
            long first = segments.get(0)[1];
            from = fromSequence == FROM_FIRST ? first : fromSequence;
            if (from < first) {
                throw notHeld("the first sequence held is " + first);
            }
            int at = segments.size() - 1;
            while (at > 0 && segments.get(at)[1] > from) {
                at--;
            }
            try {
                opened = new SegmentCursor(storage, segments.get(at)[0]);
            } catch (JournalException e) {
                throw Layout.isRetired(storage, segments.get(at)[0]) ? notHeld("it was retired just now") : e;
            }
            cursor = opened;
            while (cursor.expected() < from) {
                boolean more = step();
                opened = cursor;
                if (!more) {
                    checkEnd();
                    throw notHeld("the journal ends before sequence " + cursor.expected());
                }
            }
            done = true;
        } catch (JournalException e) {
            throw e;
        } catch (IOException e) {
            throw new JournalException(
                    Kind.CANNOT_OPEN, "cannot read the journal in " + storage.describe("") + ": " + e, e);
        } finally {
            if (!done) {
                Journal.closeQuietly(opened);
            }
        }
    }

    /**
     * Does not read beyond a sequence that somebody else moves on, such as {@link Journal#durable()}.
     *
     * @param view the last sequence that may be read; read with acquire at each {@link #next()}
     * @return this reader
     */
    public JournalReader upTo(SequenceView view) {
        limit = Objects.requireNonNull(view, "view");
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
            throw new JournalException(Kind.CLOSED, "the reader of " + storage.describe("") + " is closed");
        }
        SequenceView bound = limit;
        if (bound != null && cursor.expected() > bound.get()) {
            return false;
        }
        try {
            if (step()) {
                current = cursor.sequence();
                return true;
            }
            if (!following) {
                return checkEnd() && next();
            }
            return false;
        } catch (JournalException e) {
            throw e;
        } catch (IOException e) {
            throw new JournalException(Kind.CANNOT_OPEN, "cannot read " + cursor.description() + ": " + e, e);
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
     * What the journal's clock said when the batch of the current record began, or the 64 KiB of it that hold the record.
     *
     * @return the timestamp, in milliseconds since 1970 unless the journal was given another clock
     */
    public long timestamp() {
        return cursor.timestamp();
    }

    /**
     * The buffer that holds the current record, little endian; valid until the next move. To be read with absolute indices.
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
        return cursor.expected();
    }

    /** Closes the file. Closing again does nothing. */
    @Override
    public void close() {
        closed = true;
        Journal.closeQuietly(cursor);
    }

    JournalReport report(long first) throws JournalException {
        try {
            long written = cursor.lastWritten(cursor.offset());
            long torn = written - cursor.offset();
            return new JournalReport(
                    first,
                    cursor.expected(),
                    Layout.segments(storage, false).size(),
                    torn,
                    torn == 0 ? "" : cursor.description() + ", offset " + cursor.offset());
        } catch (JournalException e) {
            throw e;
        } catch (IOException e) {
            throw new JournalException(Kind.CANNOT_OPEN, "cannot read " + cursor.description() + ": " + e, e);
        }
    }

    /** Moves to the next DATA frame, over segments; false if there is none now. */
    private boolean step() throws IOException {
        while (true) {
            // Before a look at the frames, so that a move that failed is tried again, and not taken for the end.
            if (cursor.isFinished()) {
                if (!moveOn()) {
                    return false;
                }
            } else if (!cursor.next()) {
                if (!cursor.isStillThere()) {
                    throw retired();
                }
                return false;
            } else if (cursor.type() == Frame.DATA) {
                return true;
            }
        }
    }

    /** Moves from a finished segment to the next; false if it is not there, and need not be. */
    private boolean moveOn() throws IOException {
        long index = cursor.index() + 1;
        if (!storage.exists(Frame.segmentName(index))) {
            if (Layout.isRetired(storage, index)) {
                throw retired();
            }
            if (cursor.type() == Frame.ROLL) {
                throw Layout.missing(storage, index, "segment " + cursor.index() + " is full and names a next one");
            }
            return false; // closed when it was full: a later writer makes the next one
        }
        SegmentCursor following;
        try {
            following = new SegmentCursor(storage, index);
        } catch (JournalException e) {
            throw Layout.isRetired(storage, index) ? retired() : e;
        }
        if (following.firstSequence() != cursor.expected() || following.journalId() != cursor.journalId()) {
            Journal.closeQuietly(following);
            throw Journal.damaged(
                    following,
                    "the segment before ends before sequence " + cursor.expected() + ", or belongs to another journal");
        }
        Journal.closeQuietly(cursor);
        cursor = following;
        return true;
    }

    /**
     * Called where nothing can be read. Throws if this is not the end; returns true if a live writer has completed the frame
     * meanwhile, so that reading can go on.
     */
    private boolean checkEnd() throws IOException {
        String reason = null;
        if (cursor.size() != cursor.fullSize()) {
            reason = "the file has " + cursor.size() + " bytes, its header says " + cursor.fullSize();
        } else if (!cursor.isFinished()) {
            long evidence = cursor.evidenceOfDamage();
            if (evidence >= 0) {
                reason = Journal.laterFrame(evidence);
            } else if (storage.exists(Frame.segmentName(cursor.index() + 1))) {
                try (SegmentCursor following = new SegmentCursor(storage, cursor.index() + 1)) {
                    if (following.next()) {
                        reason = "records follow in " + following.description();
                    }
                }
            }
        }
        if (reason == null) {
            return false;
        }
        // The evidence may be younger than the look at the frame: look again, and only then believe it.
        if (cursor.peek()) {
            return true;
        }
        if (!cursor.isStillThere()) {
            throw retired();
        }
        throw Journal.damaged(cursor, reason);
    }

    private JournalException retired() {
        return new JournalException(
                Kind.NOT_HELD,
                "sequence " + cursor.expected() + " was retired from the journal in " + storage.describe("")
                        + " before this reader came to it");
    }

    private JournalException notHeld(String reason) {
        return new JournalException(
                Kind.NOT_HELD,
                "sequence " + from + " is not in the journal in " + storage.describe("") + ": " + reason);
    }

    private static void checkFrom(long fromSequence) {
        if (fromSequence < 0) {
            throw new IllegalArgumentException("fromSequence is " + fromSequence + ", allowed is 0 or more");
        }
    }
}
