package io.sluice.batching.journal;

import static io.sluice.batching.journal.Frame.BLOCK;
import static io.sluice.batching.journal.Frame.HEADER;
import static io.sluice.batching.journal.Frame.align;

import io.sluice.batching.journal.JournalException.Kind;
import io.sluice.core.SequenceView;
import java.io.Closeable;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.zip.CRC32C;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Appends records to a folder of pre-allocated segment files.
 *
 * <p>One thread appends; it alone calls every method but {@link #writtenSequence()}, {@link #durableSequence()}, the views
 * of both, and {@link #reader(long)}, which any thread may call. A batch is any number of {@link #append} followed by one
 * {@link #endOfBatch()}. A second journal on the same folder, in this process or another, is refused.
 *
 * <p>Cost of an append: one copy, one CRC-32C, no allocation, no system call until the buffer is full. Cost of
 * {@code endOfBatch}: one write for {@link JournalConfig.Method#BLOCKS}, and one {@code force} where the durability asks
 * for it; both block. From the middle of a segment on, {@code endOfBatch}, {@link #force()} and {@link #maintain()} also
 * prepare the next segment, a little at a time ({@link JournalConfig#prepareAhead}); when the segment is full, the next one is
 * only renamed. A segment that is full before the next one is ready (by one batch of half a segment, say) costs the rest of
 * the zeros and one {@code force} on the spot.
 *
 * <p>After a failed write or {@code force} the journal is failed for good: what the system has dropped then cannot be known
 * ({@code force} may report an error only once, and what it did not write then counts as written). Opening again writes what
 * was found behind the last {@code force} that is known to have succeeded once more, before it reports any of it as durable.
 * A segment that cannot be allocated is no such failure: nothing was written, and the call can be repeated.
 *
 * <p>An interrupt of the appending thread during a write closes the file, as with every {@link
 * java.nio.channels.FileChannel}, and so fails the journal.
 *
 * <p>The sequences are the journal's own: consecutive over all its life.
 */
public final class Journal implements AutoCloseable {
    // States: OPEN -> FAILED (a write or force threw) -> CLOSED; OPEN -> CLOSED.
    //
    //   segment k   |header| frames ... PAD | frames ... PAD | ...           ROLL|
    //                       one force epoch   next epoch       never touched yet
    //
    // An epoch is what lies between two forces. It ends with a PAD up to a 4 KiB boundary, so the next epoch starts in
    // a
    // block of its own: whatever a torn write does to the blocks of this epoch, no block of an earlier one is written.
    //
    // Rolling: (1) make segment k+1 under a temporary name: zeros, header, force; rename; force the folder. (2) Write
    // ROLL
    // behind the last frame of k, force k. (3) Append to k+1. Whoever finds a ROLL may so demand k+1, and whoever finds
    // records in k+1 may demand that k is whole up to its ROLL. A cut between (1) and (2) leaves an empty k+1, which
    // opening drops.
    //
    // Who writes what: the appending thread writes everything. written and durable are released after the write, or
    // force,
    // that they speak of, and pair with the acquire in writtenSequence() and durableSequence(): a reader that goes up
    // to
    // them finds the records in the file. retiring and rolling change the list of segments, which is the appender's
    // alone.
    //
    // Proven: an epoch is on the device if a frame follows its mark, since the mark's force came first. Whether the
    // last
    // epoch of a file was forced, nothing tells: the page cache may hold bytes that a failed force has marked clean. So
    // opening writes the last epoch again, and forces it. Zeros written over a torn tail leave no trace in the file; a
    // file journal.torn stands from before they are written until they are forced, and as long as it is there the whole
    // rest of the segment is blanked again.
    //
    // Not promised: that a record above durableSequence() is absent after a crash. It may be there, and then stays.

    private static final int OPEN = 0;
    private static final int FAILED = 1;
    private static final int CLOSED = 2;

    /** What a PAD may take behind the last record: the rest of a block, and one more if that rest is too short. */
    private static final int RESERVE = 2 * BLOCK;

    /** After so many bytes of one batch the clock is read again. */
    private static final int TIME_BYTES = 64 << 10;

    private final Storage storage;
    private final Closeable lock;
    private final long journalId;
    private final boolean mapped;
    private final int newSegmentSize;
    private final int bufferSize;
    private final long forceIntervalNanos;
    private final EpochClock epochClock;
    private final NanoClock nanoClock;
    private final int maxRecordLength;
    private final boolean preparesAhead;
    private final Spare spare;
    private final CRC32C crc = new CRC32C();

    // The segments, oldest first: [0] the index of each, [1] its first sequence.
    private final List<long[]> segments = new ArrayList<>();

    // The current segment. bufferStart + x is the file's offset of the buffer's byte x; a mapping starts at 0.
    private Storage.SegmentFile file;
    private ByteBuffer buffer;
    private int bufferStart;
    private int position;
    private int unwrittenFrom;
    private int segmentSize;
    private int salt;
    private int epochStart;

    // The timestamp of the records up to timedTo; 0 where the next record reads the clock.
    private long time;
    private int timedTo;

    private long nextSequence;
    private long lastForceNanos;
    private int state = OPEN;
    private @Nullable IOException failure;
    private long forces;

    private long lastDurable = -1;

    // Released by the appending thread, acquired by everybody.
    @SuppressWarnings("UnusedVariable") // by VarHandle
    private long written = -1;

    @SuppressWarnings("UnusedVariable") // by VarHandle
    private long durable = -1;

    /**
     * Opens the journal in a folder, or makes a new one if the folder is empty or missing. A torn tail is truncated, and
     * what is readable is made durable before this returns. Reads the last segment; blocks.
     *
     * @param folder the folder; the journal's alone
     * @param config how to write
     * @return the journal
     * @throws JournalException if another writer holds it, a segment is missing or damaged, the folder cannot be used, or
     *     there is no room; nothing was changed then that a later opening would miss
     */
    public static Journal open(Path folder, JournalConfig config) throws JournalException {
        Objects.requireNonNull(folder, "folder");
        return open(new DiskStorage(folder), config);
    }

    /**
     * Truncates a torn tail, as opening does, and says what was found.
     *
     * @param folder the journal's folder
     * @return what was found
     * @throws JournalException as {@link #open}; damage before the tail is not repaired
     */
    public static JournalReport repair(Path folder) throws JournalException {
        Objects.requireNonNull(folder, "folder");
        return repair(new DiskStorage(folder));
    }

    /**
     * Reads every record of a journal that nobody writes, and changes nothing. A torn tail is reported, not thrown.
     *
     * @param folder the journal's folder
     * @return what was found
     * @throws JournalException if a segment is missing, damaged or cannot be read
     */
    public static JournalReport verify(Path folder) throws JournalException {
        Objects.requireNonNull(folder, "folder");
        return verify(new DiskStorage(folder));
    }

    static Journal open(Storage storage, JournalConfig config) throws JournalException {
        Objects.requireNonNull(config, "config");
        return new Journal(storage, config);
    }

    static JournalReport repair(Storage storage) throws JournalException {
        JournalReport report = verify(storage);
        open(storage, JournalConfig.defaults().bufferSize(JournalConfig.MIN_BUFFER))
                .close();
        return report;
    }

    static JournalReport verify(Storage storage) throws JournalException {
        try (JournalReader reader = JournalReader.replay(storage, JournalReader.FROM_FIRST)) {
            long first = reader.nextSequence();
            while (reader.next()) {
                // Reading is the check.
            }
            return reader.report(first);
        }
    }

    private Journal(Storage storage, JournalConfig config) throws JournalException {
        this.storage = storage;
        mapped = config.method() == JournalConfig.Method.MAPPED;
        newSegmentSize = config.segmentSize();
        bufferSize = config.bufferSize();
        forceIntervalNanos = config.durability().intervalNanos();
        epochClock = config.epochClock();
        nanoClock = config.nanoClock();
        maxRecordLength = longestRecord(config);
        preparesAhead = config.prepareAhead();
        spare = new Spare(storage, newSegmentSize);
        buffer = ByteBuffer.allocateDirect(mapped ? 0 : bufferSize).order(ByteOrder.LITTLE_ENDIAN);
        try {
            storage.createFolder();
        } catch (IOException e) {
            throw new JournalException(
                    Kind.CANNOT_OPEN, "cannot create the journal's folder " + storage.describe("") + ": " + e, e);
        }
        lock = acquireLock(storage);
        Storage.SegmentFile opened = null;
        boolean done = false;
        try {
            List<long[]> found = Layout.segments(storage, true);
            spare.open();
            long offset;
            if (found.isEmpty()) {
                journalId = ThreadLocalRandom.current().nextLong();
                nextSequence = config.firstSequence();
                createSegment(0, nextSequence);
                Layout.writeFirst(storage, journalId, 0);
                segments.add(new long[] {0, nextSequence});
                offset = BLOCK;
            } else {
                segments.addAll(found);
                Tail tail = recoverTail(config.repairOnOpen());
                journalId = tail.journalId;
                nextSequence = tail.nextSequence;
                offset = tail.offset;
                if (tail.finished) { // closed when no block was left
                    long index = segments.get(segments.size() - 1)[0] + 1;
                    createSegment(index, nextSequence);
                    segments.add(new long[] {index, nextSequence});
                    offset = BLOCK;
                }
                if (!storage.exists(Frame.FIRST_NAME)) {
                    Layout.writeFirst(storage, journalId, segments.get(0)[0]); // cut just after its creation
                }
            }
            opened = openSegment((int) offset);
            file = opened;
            lastForceNanos = nanoClock.nanoTime();
            lastDurable = segments.get(0)[1] - 1;
            storage.forceFolder();
            lastDurable = nextSequence - 1;
            if (position != Frame.blockEnd(position)) {
                sealEpoch(Frame.PAD);
            }
            setWrittenRelease(nextSequence - 1); // release: pairs with the acquire in writtenSequence()
            setDurableRelease(nextSequence - 1); // release: pairs with the acquire in durableSequence()
            done = true;
        } catch (JournalException e) {
            throw e;
        } catch (IOException e) {
            throw new JournalException(
                    Kind.CANNOT_OPEN, "cannot open the journal in " + storage.describe("") + ": " + e, e);
        } finally {
            if (!done) {
                closeQuietly(opened);
                closeQuietly(lock);
            }
        }
    }

    // Appending.

    /**
     * Appends one record. It is in the journal's buffer, or mapping, when this returns; {@link #endOfBatch()} writes it. Its
     * timestamp is that of its batch: the clock is read for a batch's first record, and again after every 64 KiB.
     *
     * @param source holds the record before its limit; its position is neither used nor changed
     * @param offset where the record starts, 0 or more
     * @param length the record's length, from 0 to {@link #maxRecordLength()}
     * @return the record's sequence
     * @throws IndexOutOfBoundsException if the source has no such bytes
     * @throws IllegalArgumentException if the record is longer than allowed
     * @throws JournalException if the journal is closed or failed, or fails now; or if a further segment is needed and
     *     cannot be allocated, in which case the record was not appended and the call can be repeated
     */
    public long append(ByteBuffer source, int offset, int length) throws JournalException {
        if (state != OPEN) {
            throw notOpen();
        }
        Objects.checkFromIndexSize(offset, length, source.limit());
        if (length > maxRecordLength) {
            throw tooLong(length);
        }
        int frame = HEADER + length;
        int needed = align(frame);
        if (needed > segmentSize - HEADER - position) {
            roll();
        }
        if (!mapped && needed > buffer.capacity() - (position - bufferStart) - RESERVE) {
            writeFullBlocks();
        }
        if (position >= timedTo) {
            time = epochClock.time();
            timedTo = position + TIME_BYTES;
        }
        int at = position - bufferStart;
        buffer.put(at + HEADER, source, offset, length);
        long sequence = nextSequence;
        Frame.put(buffer, at, frame, Frame.DATA, sequence, time, lastDurable, Frame.place(salt, position), crc);
        position += needed;
        nextSequence = sequence + 1;
        return sequence;
    }

    /**
     * Ends a batch: writes it, and forces it where the durability asks for that. Then prepares a part of the next segment,
     * where one is due.
     *
     * @throws JournalException if the journal is closed or failed, or fails now; with {@link Kind#CANNOT_ALLOCATE} the call
     *     can be repeated
     */
    public void endOfBatch() throws JournalException {
        if (state != OPEN) {
            throw notOpen();
        }
        timedTo = 0;
        if (forceIntervalNanos == 0) {
            seal();
        } else {
            writeAll();
            if (nanosToForce() <= 0) {
                seal();
            }
        }
        prepareNext(0);
    }

    /**
     * Forces if the durability is {@link Durability#every} and the interval is over; otherwise prepares a part of the next
     * segment, where one is due. To be called in the appending thread's duty cycle, so that the last batch before a lull
     * becomes durable too; {@link #nanosToForce()} says when.
     *
     * @return 1 if it forced or prepared something, otherwise 0
     * @throws JournalException as {@link #endOfBatch()}
     */
    public int maintain() throws JournalException {
        if (state != OPEN) {
            throw notOpen();
        }
        if (nanosToForce() <= 0) {
            seal();
            return 1;
        }
        return prepareNext(Spare.CHUNK) ? 1 : 0;
    }

    /**
     * How long until {@link #maintain()} has something to force. For a duty cycle that may park. The appending thread calls it.
     *
     * @return nanoseconds, 0 or less if it has now; {@link Long#MAX_VALUE} if the durability is not {@link Durability#every},
     *     all is durable, or the journal is not open
     */
    public long nanosToForce() {
        if (forceIntervalNanos <= 0 || lastDurable == nextSequence - 1 || state != OPEN) {
            return Long.MAX_VALUE;
        }
        return forceIntervalNanos - (nanoClock.nanoTime() - lastForceNanos);
    }

    /**
     * Writes and forces everything appended so far, whatever the durability. Does nothing if all is durable. Then prepares a
     * part of the next segment, where one is due.
     *
     * @throws JournalException as {@link #endOfBatch()}
     */
    public void force() throws JournalException {
        if (state != OPEN) {
            throw notOpen();
        }
        seal();
        prepareNext(0);
    }

    private void seal() throws JournalException {
        if (lastDurable != nextSequence - 1) {
            sealEpoch(Frame.PAD);
        }
    }

    /** Forces what {@link Durability#every} owes, when no further batch will come. */
    void endOfAll() throws JournalException {
        if (state == OPEN && forceIntervalNanos > 0) {
            seal();
        }
    }

    /**
     * Does the part of the next segment that is due: none before the middle of this one, all at seven eighths. So the work of
     * a step is in proportion to what was appended since the last one. Whether it did something.
     *
     * @param more bytes beyond that, from the middle on
     */
    private boolean prepareNext(int more) {
        int late = position - segmentSize / 2;
        if (!preparesAhead || late <= 0 || !spare.isWanted()) {
            return false;
        }
        long due = Math.max((long) newSegmentSize * late * 8 / (3L * segmentSize), spare.blanked() + more);
        int upTo = Frame.blockEnd((int) Math.min(newSegmentSize, due));
        boolean any = false;
        try {
            while (spare.isWanted() && spare.blanked() < upTo) {
                spare.step(upTo);
                any = true;
            }
        } catch (IOException e) {
            spare.refuse(e); // nothing is lost; the roll tries again, and reports
        }
        return any;
    }

    /**
     * Makes the file of the next segment now, so that the append that needs it only has to rename it. Blocks for as long as
     * zero-filling and forcing a segment takes. For a lull, where {@link JournalConfig#prepareAhead} is off or too slow.
     *
     * @return 1 if it made one, 0 if there was one
     * @throws JournalException if the file cannot be made, or the journal is not open
     */
    public int preallocate() throws JournalException {
        if (state != OPEN) {
            throw notOpen();
        }
        try {
            spare.renew();
            if (spare.isReady()) {
                return 0;
            }
            spare.finish();
            return 1;
        } catch (IOException e) {
            spare.refuse(e);
            throw cannotAllocate(Frame.SPARE_NAME, e);
        }
    }

    /**
     * Gives up the segments whose records all come before a sequence; never the current one. One of them becomes the next
     * segment, if {@link JournalConfig#prepareAhead} is on and none is prepared yet; the others are deleted. A reader that is in
     * a deleted one may finish it; one that is in the other gets {@link Kind#NOT_HELD}.
     *
     * @param sequence the first sequence that is still needed, 0 or more
     * @return how many segments were given up
     * @throws IllegalArgumentException if the sequence is negative
     * @throws JournalException if the journal is closed or failed, or a file cannot be changed
     */
    public int retireBefore(long sequence) throws JournalException {
        if (sequence < 0) {
            throw new IllegalArgumentException("sequence is " + sequence + ", allowed is 0 or more");
        }
        if (state != OPEN) {
            throw notOpen();
        }
        int count = 0;
        while (count + 1 < segments.size() && segments.get(count + 1)[1] <= sequence) {
            count++;
        }
        if (count == 0) {
            return 0;
        }
        try {
            Layout.writeFirst(storage, journalId, segments.get(count)[0]);
            for (int i = 0; i < count; i++) {
                String name = Frame.segmentName(segments.get(0)[0]);
                if (!preparesAhead || !recycled(name)) {
                    storage.delete(name);
                }
                segments.remove(0);
            }
            storage.forceFolder();
            return count;
        } catch (IOException e) {
            throw new JournalException(
                    Kind.CANNOT_OPEN, "cannot retire segments in " + storage.describe("") + ": " + e, e);
        }
    }

    private boolean recycled(String name) {
        try {
            return spare.recycle(name);
        } catch (IOException e) {
            return false; // a file that cannot be written can perhaps be deleted
        }
    }

    /**
     * Makes everything appended durable, marks the end as orderly, and gives the lock back. Needs no room on the device but
     * what the journal has already. Closing again does nothing. A failed journal is closed without a further write.
     *
     * @throws JournalException if the last write or {@code force} fails; the journal is closed all the same
     */
    @Override
    public void close() throws JournalException {
        if (state == CLOSED) {
            return;
        }
        try {
            if (state == OPEN) {
                sealOrGoOn();
                sealEpoch(Frame.CLOSE);
            }
        } finally {
            state = CLOSED;
            spare.close();
            closeQuietly(file);
            closeQuietly(lock);
        }
    }

    /** Without room for a further segment the closing mark ends the epoch: it always fits. */
    private void sealOrGoOn() throws JournalException {
        try {
            seal();
        } catch (JournalException e) {
            if (e.kind() != Kind.CANNOT_ALLOCATE) {
                throw e;
            }
        }
    }

    // What any thread may ask.

    /**
     * The last sequence that was given to the operating system, -1 if none was; it survives the death of this process. With
     * {@link JournalConfig.Method#MAPPED} a record is there sooner than this says. Reads with acquire.
     *
     * @return the sequence
     */
    public long writtenSequence() {
        return (long) WRITTEN.getAcquire(this); // acquire: the file holds what the releasing write put there
    }

    /**
     * The last sequence that was forced, -1 if none was; it survives a loss of power. Reads with acquire.
     *
     * @return the sequence
     */
    public long durableSequence() {
        return (long) DURABLE.getAcquire(this); // acquire: pairs with the release after the force
    }

    /**
     * {@link #durableSequence()} as a view, for a barrier or a reader that must not run ahead of the device.
     *
     * @return the view
     */
    public SequenceView durable() {
        return this::durableSequence;
    }

    /**
     * {@link #writtenSequence()} as a view.
     *
     * @return the view
     */
    public SequenceView written() {
        return this::writtenSequence;
    }

    /**
     * A reader that follows this journal. It may be used by another thread than the one that appends.
     *
     * @param fromSequence the first sequence to read, from the first one held to the next one to be appended
     * @return the reader
     * @throws JournalException if the sequence is not held, or a file cannot be read
     */
    public JournalReader reader(long fromSequence) throws JournalException {
        return JournalReader.follow(storage, fromSequence);
    }

    // What the appending thread may ask.

    /**
     * The sequence that the next record will have.
     *
     * @return the sequence
     */
    public long nextSequence() {
        return nextSequence;
    }

    /**
     * The first sequence that the journal still holds, or would hold.
     *
     * @return the sequence
     */
    public long firstSequence() {
        return segments.get(0)[1];
    }

    /**
     * The longest record that can be appended, wherever in a segment: what fits into a new segment and into the buffer.
     *
     * @return the length in bytes
     */
    public int maxRecordLength() {
        return maxRecordLength;
    }

    private static int longestRecord(JournalConfig config) {
        int inSegment = config.segmentSize() - BLOCK - 2 * HEADER;
        int inBuffer = config.method() == JournalConfig.Method.MAPPED
                ? Integer.MAX_VALUE
                : config.bufferSize() - RESERVE - BLOCK - HEADER;
        return Math.min(inSegment, inBuffer) & -Frame.ALIGNMENT;
    }

    /**
     * How often this journal called {@code force} for records since it was opened.
     *
     * @return the number
     */
    public long forces() {
        return forces;
    }

    // Writing.

    /**
     * Ends the epoch: a frame up to the end of the block, everything written, one force. At the end of the segment a PAD
     * becomes a ROLL, and the next segment is made first; a CLOSE fills the segment, and none is made.
     */
    private void sealEpoch(int type) throws JournalException {
        int end = Frame.blockEnd(position + (type == Frame.PAD ? 0 : HEADER));
        if (end != position && end - position < HEADER) {
            end += BLOCK;
        }
        if (end >= segmentSize) {
            if (type == Frame.PAD) {
                roll();
                return;
            }
            end = segmentSize; // a frame's header always fits
        }
        if (end != position) {
            putMark(type, end - position);
            position = end;
        }
        forceEpoch();
    }

    private void roll() throws JournalException {
        long index = segments.get(segments.size() - 1)[0] + 1;
        try {
            createSegment(index, nextSequence);
        } catch (JournalException e) {
            throw e;
        } catch (IOException e) {
            throw cannotAllocate(Frame.segmentName(index), e);
        }
        putMark(Frame.ROLL, segmentSize - position);
        position += HEADER;
        forceEpoch();
        try {
            file.close();
            segments.add(new long[] {index, nextSequence});
            file = openSegment(BLOCK);
        } catch (IOException e) {
            throw fail("opening the next segment", e);
        }
    }

    private void putMark(int type, int length) throws JournalException {
        if (!mapped && position - bufferStart + HEADER > buffer.capacity()) {
            writeFullBlocks();
        }
        Frame.put(
                buffer,
                position - bufferStart,
                length,
                type,
                nextSequence,
                epochClock.time(),
                lastDurable,
                Frame.place(salt, position),
                crc);
    }

    private void forceEpoch() throws JournalException {
        writeAll();
        try {
            if (mapped) {
                // The mapping is forced in whole blocks from the epoch's first one on.
                file.force(buffer, epochStart, Frame.blockEnd(position) - epochStart);
            } else {
                file.force();
            }
        } catch (IOException | RuntimeException e) {
            throw fail("force", e);
        }
        forces++;
        epochStart = position;
        lastForceNanos = nanoClock.nanoTime();
        lastDurable = nextSequence - 1;
        setDurableRelease(lastDurable); // release: only now may anybody hear of it
    }

    /** Writes up to the position, the rest of the last block as zeros; a block that is not full stays in the buffer. */
    private void writeAll() throws JournalException {
        if (!mapped && unwrittenFrom != position) {
            int used = position - bufferStart;
            int end = Frame.blockEnd(used);
            for (int i = used; i < end; i++) {
                buffer.put(i, (byte) 0);
            }
            writeBlocks(end);
            keepPartialBlock();
        }
        setWrittenRelease(nextSequence - 1); // release: the file holds it
    }

    /** Makes room in the buffer. */
    private void writeFullBlocks() throws JournalException {
        int full = (position - bufferStart) & -BLOCK;
        if (full > 0) {
            writeBlocks(full);
            keepPartialBlock();
        }
    }

    private void writeBlocks(int end) throws JournalException {
        try {
            buffer.position(0).limit(end);
            file.write(buffer, bufferStart);
        } catch (IOException e) {
            throw fail("write", e);
        } finally {
            buffer.clear();
        }
        unwrittenFrom = Math.min(position, bufferStart + end);
    }

    private void keepPartialBlock() {
        int from = (position - bufferStart) & -BLOCK;
        int length = position - bufferStart - from;
        if (from > 0) {
            buffer.put(0, buffer, from, length);
            bufferStart += from;
        }
    }

    /** Makes a segment that is wholly there, or not at all. */
    private void createSegment(long index, long firstSequence) throws IOException {
        String name = Frame.segmentName(index);
        try {
            storage.delete(Frame.NEW_NAME);
            spare.renew();
            spare.finish();
            spare.takeAs(Frame.NEW_NAME);
            try (Storage.SegmentFile made = storage.open(Frame.NEW_NAME, true)) {
                made.write(Frame.segmentHeader(journalId, index, firstSequence, newSegmentSize), 0);
                made.force();
            }
            storage.rename(Frame.NEW_NAME, name);
            storage.forceFolder();
        } catch (IOException e) {
            spare.refuse(e);
            deleteUnfinished(e);
            throw cannotAllocate(name, e);
        }
    }

    private void deleteUnfinished(IOException cause) {
        try {
            storage.delete(Frame.NEW_NAME);
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }

    /** Opens the last segment for appending at an offset. */
    private Storage.SegmentFile openSegment(int offset) throws IOException {
        long index = segments.get(segments.size() - 1)[0];
        Storage.SegmentFile opened = storage.open(Frame.segmentName(index), true);
        boolean done = false;
        try {
            segmentSize = (int) opened.size();
            salt = Frame.salt(journalId, index);
            position = offset;
            unwrittenFrom = offset;
            timedTo = 0;
            epochStart = offset & -BLOCK;
            if (mapped) {
                buffer = opened.map().order(ByteOrder.LITTLE_ENDIAN);
                bufferStart = 0;
            } else {
                bufferStart = epochStart;
                buffer.clear().limit(offset - epochStart);
                while (buffer.hasRemaining()) {
                    if (opened.read(buffer, bufferStart + buffer.position()) < 0) {
                        throw new IOException("unexpected end of " + storage.describe(Frame.segmentName(index)));
                    }
                }
                buffer.clear();
            }
            done = true;
            return opened;
        } finally {
            if (!done) {
                closeQuietly(opened);
            }
        }
    }

    // Recovery.

    private record Tail(long journalId, long nextSequence, long offset, boolean finished) {}

    private Tail recoverTail(boolean mayRepair) throws IOException {
        int last = segments.size() - 1;
        long lastIndex = segments.get(last)[0];
        try (SegmentCursor cursor = new SegmentCursor(storage, lastIndex)) {
            if (!toEnd(cursor) && cursor.expected() == cursor.firstSequence() && last > 0) {
                // Empty: was the one before finished?
                long before = segments.get(last - 1)[0];
                boolean finished;
                try (SegmentCursor previous = new SegmentCursor(storage, before)) {
                    finished = toEnd(previous);
                    if (finished && cursor.offset() == BLOCK) {
                        writeAgain(before, previous.epochStart(), previous.offset()); // nothing proves its last force
                    }
                }
                if (!finished) {
                    if (cursor.lastWritten(cursor.offset()) != cursor.offset()) {
                        throw damaged(cursor, "records follow, but segment " + before + " has no end");
                    }
                    if (!mayRepair) {
                        throw torn(cursor, 0);
                    }
                    storage.delete(Frame.segmentName(lastIndex));
                    storage.forceFolder();
                    segments.remove(last);
                    return recoverTail(true);
                }
            }
            if (cursor.type() == Frame.ROLL) {
                throw Layout.missing(storage, lastIndex + 1, "segment " + lastIndex + " is full and names a next one");
            }
            if (cursor.size() != cursor.fullSize()) {
                throw damaged(cursor, "the file has " + cursor.size() + " bytes, its header says " + cursor.fullSize());
            }
            long end = cursor.offset();
            long written = cursor.lastWritten(end);
            boolean unproven = storage.exists(Frame.TORN_NAME); // an earlier opening may have failed to blank the rest
            if (written != end) {
                long evidence = cursor.evidenceOfDamage();
                if (evidence >= 0) {
                    throw damaged(cursor, laterFrame(evidence));
                }
                if (!mayRepair) {
                    throw torn(cursor, written - end);
                }
            }
            writeAgain(lastIndex, cursor.epochStart(), end);
            if (written != end || unproven) {
                if (!unproven) {
                    storage.create(Frame.TORN_NAME, 0).close();
                }
                blank(lastIndex, end, unproven ? cursor.size() : written);
                storage.delete(Frame.TORN_NAME);
            }
            return new Tail(cursor.journalId(), cursor.expected(), end, cursor.isFinished());
        }
    }

    /**
     * Writes what was found once more, and forces it: it may so far be in the page cache only, where a process was killed, or
     * even count as written there, where a force failed.
     */
    private void writeAgain(long index, long from, long to) throws IOException {
        try (Storage.SegmentFile segment = storage.open(Frame.segmentName(index), true)) {
            ByteBuffer chunk = ByteBuffer.allocateDirect((int) Math.min(64 << 10, Math.max(0, to - from)));
            for (long at = from; at < to; ) {
                chunk.clear().limit((int) Math.min(chunk.capacity(), to - at));
                while (chunk.hasRemaining()) {
                    if (segment.read(chunk, at + chunk.position()) <= 0) {
                        throw new IOException("unexpected end of " + storage.describe(Frame.segmentName(index)));
                    }
                }
                int length = chunk.flip().remaining();
                segment.write(chunk, at);
                at += length;
            }
            segment.force();
        }
    }

    private void blank(long index, long from, long to) throws IOException {
        try (Storage.SegmentFile torn = storage.open(Frame.segmentName(index), true)) {
            ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(64 << 10, to - from));
            for (long at = from; at < to; ) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), to - at));
                int length = zeros.remaining();
                torn.write(zeros, at);
                at += length;
            }
            torn.force();
        }
    }

    /** Reads to the last readable frame; whether that ends the segment. */
    private static boolean toEnd(SegmentCursor cursor) throws IOException {
        while (!cursor.isFinished() && cursor.next()) {
            // Reading is all.
        }
        return cursor.isFinished();
    }

    private static Closeable acquireLock(Storage storage) throws JournalException {
        Closeable taken;
        try {
            taken = storage.tryLock(Frame.LOCK_NAME);
        } catch (IOException e) {
            throw new JournalException(
                    Kind.CANNOT_OPEN, "cannot lock " + storage.describe(Frame.LOCK_NAME) + ": " + e, e);
        }
        if (taken == null) {
            throw new JournalException(
                    Kind.LOCKED,
                    "another writer holds " + storage.describe(Frame.LOCK_NAME) + "; a journal has one writer");
        }
        return taken;
    }

    // Trouble.

    private IllegalArgumentException tooLong(int length) {
        return new IllegalArgumentException(
                "length is " + length + ", allowed are 0 to " + maxRecordLength + " with segments of " + newSegmentSize
                        + (mapped ? " bytes" : " bytes and a buffer of " + bufferSize + " bytes"));
    }

    private JournalException notOpen() {
        String name = storage.describe("");
        return state == CLOSED
                ? new JournalException(Kind.CLOSED, "the journal in " + name + " is closed")
                : new JournalException(
                        Kind.FAILED, "the journal in " + name + " has failed before: " + failure, failure);
    }

    private JournalException fail(String action, Exception cause) {
        JournalException thrown = new JournalException(
                Kind.FAILED,
                "the " + action + " failed in "
                        + storage.describe(Frame.segmentName(segments.get(segments.size() - 1)[0])) + " near offset "
                        + position + "; durable up to sequence " + lastDurable + ": " + cause,
                cause);
        failure = thrown;
        state = FAILED;
        return thrown;
    }

    private JournalException cannotAllocate(String name, IOException cause) {
        return new JournalException(
                Kind.CANNOT_ALLOCATE,
                "cannot allocate " + newSegmentSize + " bytes for " + storage.describe(name) + ": " + cause,
                cause);
    }

    static String laterFrame(long evidence) {
        return "the frame at offset " + evidence + " was written after this one was durable";
    }

    static JournalException damaged(SegmentCursor cursor, String reason) {
        return new JournalException(
                Kind.DAMAGED,
                cursor.description() + " is damaged at offset " + cursor.offset() + ", where sequence "
                        + cursor.expected() + " was expected: " + reason);
    }

    private static JournalException torn(SegmentCursor cursor, long bytes) {
        return new JournalException(
                Kind.TORN,
                cursor.description() + " has a torn tail of " + bytes + " bytes at offset " + cursor.offset()
                        + ", after sequence " + (cursor.expected() - 1) + "; repair it or allow repairOnOpen");
    }

    static void closeQuietly(@Nullable Closeable closeable) {
        if (closeable != null) {
            try {
                closeable.close();
            } catch (IOException ignored) {
                // Nothing that was promised hangs on it: what is durable has been forced.
            }
        }
    }

    // Mechanics.

    private void setWrittenRelease(long sequence) {
        WRITTEN.setRelease(this, sequence);
    }

    private void setDurableRelease(long sequence) {
        DURABLE.setRelease(this, sequence);
    }

    private static final VarHandle WRITTEN;
    private static final VarHandle DURABLE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            WRITTEN = lookup.findVarHandle(Journal.class, "written", long.class);
            DURABLE = lookup.findVarHandle(Journal.class, "durable", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
