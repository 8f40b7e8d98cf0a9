package io.sluice.batching.journal;

import io.sluice.batching.journal.JournalException.Kind;
import io.sluice.core.Sequence;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Appends records, ends epochs with a mark and a force, and rolls from one segment to the next. It gives out the sequences, and says
 * which are written and durable. One thread uses it, but any thread may ask the latter. {@link Journal} begins with an overview.
 */
final class RecordAppender {
    private static final int OPEN = 0;
    private static final int FAILED = 1;
    private static final int CLOSED = 2;

    /** After so many bytes of one batch the clock is read again. */
    private static final int TIME_BYTES = 64 << 10;

    private final Storage storage;
    private final SegmentFiles files;

    // set by the appending thread, read by any
    private final Sequence writtenSequence = new Sequence();
    private final Sequence durableSequence = new Sequence();

    private final EpochClock epochClock;
    private final NanoClock nanoClock;
    private final long forceIntervalNanos;

    /** Null for mappings. */
    private final @Nullable ByteBuffer writeBuffer;

    private SegmentWriter writer;

    // The timestamp of the records that start before timedTo; 0 where the next record reads the clock.
    private long time;
    private int timedTo;

    private long nextSequence;
    private long durable;
    private long lastForceNanos;
    private long forceCount;

    // OPEN -> FAILED (a write, a force or a move to the next segment failed) -> CLOSED; OPEN -> CLOSED.
    private int state = OPEN;
    private @Nullable Throwable failure;

    /**
     * Opens the last segment for appending. Nothing is reported as written or durable yet: see {@link #reportFound()}.
     *
     * @param offset where the first frame goes
     * @param nextSequence the sequence of the next record
     */
    RecordAppender(Storage storage, JournalConfig config, SegmentFiles files, int offset, long nextSequence)
            throws IOException {
        this.storage = storage;
        this.files = files;
        this.nextSequence = nextSequence;
        epochClock = config.epochClock;
        nanoClock = config.nanoClock;
        forceIntervalNanos = config.durability.intervalNanos();
        writeBuffer = config.method == JournalConfig.Method.MAPPED
                ? null
                : ByteBuffer.allocateDirect(config.bufferSize).order(ByteOrder.LITTLE_ENDIAN);
        lastForceNanos = nanoClock.nanoTime();
        writer = new SegmentWriter(storage, files.journalId(), files.last().index(), offset, writeBuffer);
        durable = nextSequence - 1;
    }

    /** Begins an epoch of its own behind what opening has found and forced, and then reports that as durable. */
    void reportFound() throws JournalException {
        if (writer.position() != Frame.blockEnd(writer.position())) {
            sealEpoch(Frame.PAD);
        }
        writtenSequence.setRelease(nextSequence - 1); // release: the file holds it
        durableSequence.setRelease(nextSequence - 1); // release: the device holds it
    }

    void requireOpen() throws JournalException {
        if (state != OPEN) {
            throw notOpen();
        }
    }

    long append(ByteBuffer source, int offset, int length) throws JournalException {
        if (!writer.hasRoomFor(Frame.HEADER + length)) {
            roll();
        }
        SegmentWriter into = writer;
        int position = into.position();
        if (position >= timedTo) {
            time = epochClock.time();
            timedTo = position + TIME_BYTES;
        }
        long sequence = nextSequence;
        try {
            into.putRecord(source, offset, length, sequence, time, durable);
        } catch (IOException e) {
            throw fail("write", e);
        }
        nextSequence = sequence + 1;
        return sequence;
    }

    /** Writes everything, and forces it where the durability asks for that. */
    void endOfBatch() throws JournalException {
        timedTo = 0;
        if (forceIntervalNanos == 0) {
            force();
        } else {
            writeAll();
            if (isIntervalOpen() && nanoClock.nanoTime() - lastForceNanos >= forceIntervalNanos) {
                force(); // it says so where there is no room, though it does not try
            }
        }
    }

    /**
     * Nanoseconds until {@link Durability#every} wants a force, and may try to make the segment that it needs; the largest
     * number if there is nothing to force.
     */
    long nanosToForce() {
        if (!isIntervalOpen()) {
            return Long.MAX_VALUE;
        }
        long now = nanoClock.nanoTime();
        long left = forceIntervalNanos - (now - lastForceNanos);
        return markEnd(Frame.PAD) < writer.size() ? left : Math.max(left, files.nanosToTry(now));
    }

    /** Whether {@link Durability#every} owes a force, now or later. */
    private boolean isIntervalOpen() {
        return forceIntervalNanos > 0 && durable != nextSequence - 1 && state == OPEN;
    }

    /** Forces everything appended, if there is something. */
    void force() throws JournalException {
        if (durable != nextSequence - 1) {
            sealEpoch(Frame.PAD);
        }
    }

    /** Forces what {@link Durability#every} has put off, since no further batch will come. */
    void forceOwed() throws JournalException {
        if (state == OPEN && forceIntervalNanos > 0) {
            force();
        }
    }

    /** Prepares a part of the next segment. */
    boolean prepareNext(int more) {
        return files.prepareNext(writer.position(), writer.size(), more);
    }

    long nextSequence() {
        return nextSequence;
    }

    long forceCount() {
        return forceCount;
    }

    /** The last sequence that the file holds. Any thread. */
    long writtenSequence() {
        return writtenSequence.getAcquire(); // acquire: the file holds what the releasing thread wrote
    }

    /** The last sequence that the device holds. Any thread. */
    long durableSequence() {
        return durableSequence.getAcquire(); // acquire: the device holds what the releasing thread forced
    }

    boolean isClosed() {
        return state == CLOSED;
    }

    /** Forces everything and marks the end as orderly, unless the journal has failed; closes the file in any case. */
    void close() throws JournalException {
        try {
            if (state == OPEN) {
                forceIfThereIsRoom();
                sealEpoch(Frame.CLOSE);
            }
        } finally {
            closeFile();
        }
    }

    /** Closes the file, and writes nothing. */
    void closeFile() {
        state = CLOSED;
        Storage.closeQuietly(writer);
    }

    /** Without room for a further segment the closing mark ends the epoch: it always fits. */
    private void forceIfThereIsRoom() throws JournalException {
        try {
            force();
        } catch (JournalException e) {
            if (e.kind() != Kind.CANNOT_ALLOCATE) {
                throw e;
            }
        }
    }

    /**
     * Ends the epoch: a mark up to the end of a block, everything written, one force. At the end of the segment a PAD becomes a
     * ROLL, and the next segment is made first; a CLOSE fills the segment, and none is made.
     */
    private void sealEpoch(int type) throws JournalException {
        int position = writer.position();
        int size = writer.size();
        int end = markEnd(type);
        if (end >= size) {
            if (type == Frame.PAD) {
                roll();
                return;
            }
            end = size; // a frame's header always fits
        }
        if (end != position) {
            putMark(type, end);
        }
        forceEpoch();
    }

    /** Where the epoch's mark would end: at the end of the segment, or behind it, there is no room for a PAD. */
    private int markEnd(int type) {
        int position = writer.position();
        int end = Frame.blockEnd(position + (type == Frame.PAD ? 0 : Frame.HEADER));
        return end != position && end - position < Frame.HEADER ? end + Frame.BLOCK : end;
    }

    private void roll() throws JournalException {
        try {
            storage.checkLock();
        } catch (IOException e) {
            throw fail("look at the lock", e); // this segment may be another writer's too by now
        }
        Segment next = files.next(nextSequence);
        files.create(next); // if this throws, nothing has changed, and the call can be repeated
        putMark(Frame.ROLL, writer.size());
        try {
            forceEpoch();
            writer.close();
            SegmentWriter opened =
                    new SegmentWriter(storage, files.journalId(), next.index(), Frame.BLOCK, writeBuffer);
            files.add(next);
            timedTo = 0;
            writer = opened;
        } catch (JournalException e) {
            throw e;
        } catch (IOException | RuntimeException | Error e) {
            throw fail("move to the next segment", e); // the old one has its ROLL: nothing may be appended to it
        }
    }

    private void putMark(int type, int end) throws JournalException {
        try {
            writer.putMark(type, end, nextSequence, epochClock.time(), durable);
        } catch (IOException e) {
            throw fail("write", e);
        }
    }

    private void forceEpoch() throws JournalException {
        writeAll();
        try {
            writer.force();
        } catch (IOException | RuntimeException | Error e) {
            throw fail("force", e);
        }
        forceCount++;
        durable = nextSequence - 1;
        durableSequence.setRelease(durable); // release: after the force; only now may anybody hear of it
        lastForceNanos = nanoClock.nanoTime();
    }

    private void writeAll() throws JournalException {
        try {
            writer.writeAll();
        } catch (IOException e) {
            throw fail("write", e);
        }
        writtenSequence.setRelease(nextSequence - 1); // release: after the write; the file holds it
    }

    // Failures.

    /** Lets nothing be appended any more. Throws an error as it is. */
    private JournalException fail(String action, Throwable cause) {
        state = FAILED;
        failure = cause;
        if (cause instanceof Error error) {
            throw error;
        }
        return new JournalException(
                Kind.FAILED,
                "the " + action + " failed in "
                        + storage.describe(FileNames.segment(files.last().index())) + " near offset "
                        + writer.position() + "; durable up to sequence " + durable + ": " + cause,
                cause);
    }

    private JournalException notOpen() {
        String name = storage.describe("");
        return state == CLOSED
                ? new JournalException(Kind.CLOSED, "the journal in " + name + " must be open, but was closed")
                : new JournalException(
                        Kind.FAILED, "the journal in " + name + " has failed before: " + failure, failure);
    }
}
