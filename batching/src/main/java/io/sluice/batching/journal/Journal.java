package io.sluice.batching.journal;

import io.sluice.batching.journal.JournalException.Kind;
import io.sluice.core.SequenceView;
import io.sluice.core.check.Check;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Appends records to a folder of pre-allocated segment files.
 *
 * <p>One thread appends. It alone calls every method but {@link #writtenSequence()}, {@link #durableSequence()}, the views
 * of both, and {@link #reader(long)}, which any thread may call. A batch is any number of {@link #append} followed by one
 * {@link #endOfBatch()}. A second journal on the same folder, in this process or another, is refused.
 *
 * <p>An append costs one copy and one CRC-32C. It allocates nothing, and makes no system call until the buffer is full.
 * {@code endOfBatch} costs one write for {@link JournalConfig.Method#BLOCKS}, and one {@code force} where the durability asks
 * for it; both block. From the middle of a segment on, {@code endOfBatch}, {@link #force()} and {@link #maintain()} also
 * prepare the next segment, a little at a time ({@link JournalConfig#prepareAhead}). When the segment is full, the next one is
 * then only renamed. A segment that is full before the next one is ready (after one batch of half a segment, say) costs the rest
 * of the zeros and one {@code force} on the spot.
 *
 * <p>After a failed write or {@code force} the journal is failed for good. The system may have dropped data then: it may
 * report an error of {@code force} only once, and count as written what it did not write. Opening the journal again therefore
 * rewrites everything behind the last {@code force} that is known to have succeeded, before it reports any of it as durable. A
 * segment that cannot be allocated is no such failure: nothing was written, and the call can be repeated. For 100 ms,
 * by {@link JournalConfig#nanoClock}, it is refused again without a try, unless {@link #retireBefore} gives a segment up
 * meanwhile: each try may fill the rest of the device, which others use too.
 *
 * <p>An interrupt of the appending thread before or during a write closes the file, as with every {@link
 * java.nio.channels.FileChannel}, and so fails the journal. {@link #close()} alone puts aside one that came before.
 *
 * <p>Nobody may delete, replace or copy {@code journal.lock} while the journal is open. A journal whose lock file has gone, or is
 * another one, makes, renames and deletes no file any more, and fails at its next segment.
 *
 * <p>The sequences are the journal's own: consecutive over all its life.
 */
public final class Journal implements AutoCloseable {
    /*
     * THE FILES. All numbers are little endian.
     *
     *   journal-000000000007.segment   a segment: the number is its index; indices are consecutive
     *   journal.first                  which journal this is, and the index of the first segment that it still holds
     *   journal.lock                   locked by the one writer
     *   journal.new                    a segment, or journal.first, that has not got its name yet
     *   journal.preparing              the spare while it is filled with zeros
     *   journal.spare                  the next segment's file, blank and forced
     *   journal.torn                   there while opening blanks a torn tail
     *
     * A SEGMENT
     *
     *   |header| frames ...  PAD | frames ...  PAD | ...                       ROLL|
     *   |4 KiB |    one epoch    |   next epoch    | zeros: never touched yet      |
     *
     *   header    0 magic (8)   8 journal id (8)   16 index (8)   24 first sequence (8)   32 segment size (8)
     *            40 CRC-32C of bytes 0 to 39 (4)
     *
     * A FRAME
     *
     *   0 CRC-32C (4)   4 length of header and payload (4)   8 sequence (8)   16 timestamp (8)
     *   24 sequence minus the last sequence known durable when the frame was made, 1 or more (4)
     *   28 type (1)   29 magic (3)   32 payload; the next frame starts at the next multiple of 8
     *
     *   DATA    a record
     *   PAD     ends an epoch, and reaches to the end of a 4 KiB block
     *   ROLL    ends a segment that has a next one
     *   CLOSE   ends a journal in good order; reaches to the end of a block, or of the segment if no block is left:
     *           then the next segment goes on, unless there is none, or an empty one that begins with an earlier record
     *
     *   The CRC of a DATA frame covers all bytes behind the CRC. The other types have no payload: theirs covers the rest of the
     *   header, and their sequence is that of the next record. The stored CRC is exclusive-ored with a number made of journal,
     *   segment and offset. So nothing takes a block that landed in a wrong place, or a payload that is a copy of a frame, for
     *   a frame.
     *
     * EPOCHS. An epoch is what lies between two forces. Its PAD ends at a block's end, so the next epoch starts in a block of its
     * own. Whatever a torn write does to the blocks of this epoch, no block of an earlier one is written.
     *
     * THE ORDER OF WRITES AND FORCES
     *
     *   a batch       frames, PAD, force; then durable is released. So a frame behind a mark proves that the force succeeded.
     *   a roll        1. the spare: zeros, force, rename to journal.spare
     *                 2. segment k+1: rename to journal.new, header, force; rename to its name; force the folder
     *                 3. ROLL in k, force
     *                 4. append to k+1
     *                 So a ROLL in k proves that k+1 exists, and records in k+1 prove that k is whole up to its ROLL. A crash
     *                 between 2 and 3 leaves an empty k+1: opening drops it, and a reader does not start in it. So does a
     *                 failure to force the folder in 2; the writer then goes on in k, makes k+1 anew at the next roll, or
     *                 closes k. A k that is closed full does not lead to a k+1 that begins with a record of k.
     *   a retirement  journal.first, force, rename, force the folder; then the segments are deleted or used again. One that is
     *                 used again loses its header first: a reader in it finds out before it meets zeros.
     *   an opening    1. the last epoch is written again, and forced: nothing proves that its force succeeded, and the page
     *                    cache may hold bytes that a failed force has marked clean
     *                 2. journal.torn; zeros over the torn tail, force; delete journal.torn. The zeros leave no trace of their
     *                    own: if journal.torn is found, the whole rest of the segment is blanked again.
     *                 3. force the folder; PAD to the end of the block, force; then written and durable are released
     *
     * DAMAGE OR TORN TAIL. A frame cannot be read. If a later frame says that this one was durable when it was made, promised
     * data is gone: that is damage, and nothing is changed. Otherwise the tail is torn.
     *
     * WHO WRITES WHAT. The appending thread writes everything. It stores `written` after the write and `durable` after the force,
     * both with release (RecordAppender). A thread that acquires them finds the records in the file.
     *
     * NOT PROMISED: that a record above durableSequence() is absent after a crash. It may be there, and then stays.
     *
     * THE CLASSES. RecordAppender: sequences, epochs, forces, rolls. SegmentWriter: the bytes of one segment. SegmentFiles: the
     * next segment, and retirement. SpareSegment: the blank file. TailRecovery: opening. SegmentCursor, JournalReader: reading.
     */

    private final Storage storage;
    private final Closeable lock;
    private final SegmentFiles files;
    private final RecordAppender appender;
    private final int maxRecordLength;
    private final String recordBounds;

    /**
     * Opens the journal in a folder, or makes a new one if the folder is empty or missing. A torn tail is truncated, and
     * all readable records are made durable before this returns. Reads the last segment; blocks.
     *
     * @param folder the folder; the journal's alone
     * @param config how to write
     * @return the journal
     * @throws JournalException if another writer holds it, a segment is missing or damaged, the folder cannot be used, or
     *     there is no room; nothing was changed then that a later opening would miss
     */
    public static Journal open(Path folder, JournalConfig config) throws JournalException {
        Check.notNull(folder, "folder");
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
        Check.notNull(folder, "folder");
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
        Check.notNull(folder, "folder");
        return verify(new DiskStorage(folder));
    }

    static Journal open(Storage storage, JournalConfig config) throws JournalException {
        Check.notNull(config, "config");
        return new Journal(storage, config);
    }

    static JournalReport repair(Storage storage) throws JournalException {
        JournalReport report = verify(storage);
        JournalConfig config =
                JournalConfig.defaults().bufferSize(JournalConfig.MIN_BUFFER).prepareAhead(false);
        open(storage, config.segmentSize(SegmentListing.lastSize(storage))).close();
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
        maxRecordLength = SegmentWriter.longestRecord(config);
        recordBounds = "from 0 to " + maxRecordLength + " with segments of " + config.segmentSize
                + (config.method == JournalConfig.Method.MAPPED
                        ? " bytes"
                        : " bytes and a buffer of " + config.bufferSize + " bytes");
        files = new SegmentFiles(storage, config);
        try {
            storage.createFolder();
        } catch (IOException e) {
            throw JournalException.cannotOpen("create the journal's folder " + storage.describe(""), e);
        }
        lock = acquireLock(storage);
        RecordAppender opened = null;
        boolean done = false;
        try {
            files.load();
            opened = files.isEmpty() ? startNew(config) : goOn(config);
            storage.forceFolder();
            opened.reportFound();
            appender = opened;
            done = true;
        } catch (IOException e) {
            throw JournalException.cannotOpen("open the journal in " + storage.describe(""), e);
        } finally {
            if (!done) {
                if (opened != null) {
                    opened.closeFile();
                }
                files.close();
                Storage.closeQuietly(lock);
            }
        }
    }

    private RecordAppender startNew(JournalConfig config) throws IOException {
        files.setJournalId(ThreadLocalRandom.current().nextLong());
        addSegment(config.firstSequence);
        files.writeFirst(files.first());
        return new RecordAppender(storage, config, files, Frame.BLOCK, config.firstSequence);
    }

    private RecordAppender goOn(JournalConfig config) throws IOException {
        TailRecovery.Tail tail = new TailRecovery(storage, files, config.repairOnOpen).recover();
        files.setJournalId(tail.journalId());
        int offset = (int) tail.offset();
        if (tail.isFull()) {
            addSegment(tail.nextSequence());
            offset = Frame.BLOCK;
        }
        if (!FirstSegmentFile.exists(storage)) {
            files.writeFirst(files.first()); // the writer was cut just after the creation
        }
        return new RecordAppender(storage, config, files, offset, tail.nextSequence());
    }

    private void addSegment(long firstSequence) throws JournalException {
        Segment segment = files.next(firstSequence);
        files.create(segment);
        files.add(segment);
    }

    private static Closeable acquireLock(Storage storage) throws JournalException {
        Closeable taken;
        try {
            taken = storage.tryLock(FileNames.LOCK);
        } catch (IOException e) {
            throw JournalException.cannotOpen("lock " + storage.describe(FileNames.LOCK), e);
        }
        if (taken == null) {
            throw new JournalException(
                    Kind.LOCKED,
                    "a journal must have one writer, but another one holds " + storage.describe(FileNames.LOCK)
                            + "; one of this process that was never closed holds it until the process ends");
        }
        return taken;
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
        appender.requireOpen();
        Objects.checkFromIndexSize(offset, length, source.limit());
        if (length > maxRecordLength) {
            throw tooLong(length);
        }
        return appender.append(source, offset, length);
    }

    private IllegalArgumentException tooLong(int length) {
        return new IllegalArgumentException("length must be " + recordBounds + ", but was " + length);
    }

    /**
     * Ends a batch: writes it, and forces it where the durability asks for that. Then prepares a part of the next segment,
     * where one is due.
     *
     * @throws JournalException if the journal is closed or failed, or fails now; with {@link Kind#CANNOT_ALLOCATE} the call
     *     can be repeated
     */
    public void endOfBatch() throws JournalException {
        appender.requireOpen();
        appender.endOfBatch();
        appender.prepareNext(0);
    }

    /**
     * Forces if the durability is {@link Durability#every} and the interval is over; otherwise prepares a part of the next
     * segment, where one is due. To be called in the appending thread's duty cycle, so that the last batch before a lull
     * becomes durable too; {@link #nanosToForce()} says when.
     *
     * @return 1 if it forced or prepared something, otherwise 0, also while it waits to try again for a segment
     * @throws JournalException as {@link #endOfBatch()}
     */
    public int maintain() throws JournalException {
        appender.requireOpen();
        if (appender.nanosToForce() <= 0) {
            appender.force();
            return 1;
        }
        return appender.prepareNext(SpareSegment.CHUNK) ? 1 : 0;
    }

    /**
     * How long until {@link #maintain()} has something to force, and tries to. For a duty cycle that may park. The
     * appending thread calls it.
     *
     * @return nanoseconds, 0 or less if it has now; {@link Long#MAX_VALUE} if the durability is not {@link Durability#every},
     *     all is durable, or the journal is not open
     */
    public long nanosToForce() {
        return appender.nanosToForce();
    }

    /**
     * Writes and forces everything appended so far, whatever the durability. Does nothing if all is durable. Then prepares a
     * part of the next segment, where one is due.
     *
     * @throws JournalException as {@link #endOfBatch()}
     */
    public void force() throws JournalException {
        appender.requireOpen();
        appender.force();
        appender.prepareNext(0);
    }

    /** Forces what {@link Durability#every} has put off, since no further batch will come. */
    void forceOwed() throws JournalException {
        appender.forceOwed();
    }

    /**
     * Makes the file of the next segment now, so that the append that needs it only has to rename it. Blocks for as long as
     * zero-filling and forcing a segment takes. For a lull, where {@link JournalConfig#prepareAhead} is off or too slow.
     *
     * @return 1 if it made one, 0 if there was one
     * @throws JournalException if the file cannot be made, or the journal is not open
     */
    public int preallocate() throws JournalException {
        appender.requireOpen();
        return files.preallocate() ? 1 : 0;
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
        Check.inRange(sequence, 0, Long.MAX_VALUE, "sequence");
        appender.requireOpen();
        return files.retireBefore(sequence);
    }

    /**
     * Makes everything appended durable, marks the end as orderly, and gives the lock back. Needs no room on the device but
     * what the journal has already. Closing again does nothing. A failed journal is closed without a further write. The interrupt
     * status of the thread is put aside meanwhile.
     *
     * @throws JournalException if the last write or {@code force} fails; the journal is closed all the same
     */
    @Override
    public void close() throws JournalException {
        if (appender.isClosed()) {
            return;
        }
        boolean interrupted = Thread.interrupted(); // a FileChannel would close itself instead of writing
        try {
            appender.close();
        } finally {
            files.close();
            Storage.closeQuietly(lock);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    // Questions that any thread may ask.

    /**
     * The last sequence that was given to the operating system; it survives the death of this process. If none was,
     * the one before {@link JournalConfig#firstSequence}, -1 by default. With {@link JournalConfig.Method#MAPPED} a record
     * is there sooner than this says. Reads with acquire.
     *
     * @return the sequence
     */
    public long writtenSequence() {
        return appender.writtenSequence();
    }

    /**
     * The last sequence that was forced; it survives a loss of power. If none was, the one before {@link
     * JournalConfig#firstSequence}, -1 by default. Reads with acquire.
     *
     * @return the sequence
     */
    public long durableSequence() {
        return appender.durableSequence();
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
     * @param fromSequence the first sequence to read, from the first one held to one after {@link #writtenSequence()}
     * @return the reader
     * @throws JournalException if the sequence is not held, or a file cannot be read
     */
    public JournalReader reader(long fromSequence) throws JournalException {
        return JournalReader.follow(storage, fromSequence);
    }

    // Questions that only the appending thread may ask.

    /**
     * The sequence that the next record will have.
     *
     * @return the sequence
     */
    public long nextSequence() {
        return appender.nextSequence();
    }

    /**
     * The first sequence that the journal still holds, or will hold first.
     *
     * @return the sequence
     */
    public long firstSequence() {
        return files.first().firstSequence();
    }

    /**
     * The longest record that can be appended, wherever in a segment: what fits into a new segment and into the buffer.
     *
     * @return the length in bytes
     */
    public int maxRecordLength() {
        return maxRecordLength;
    }

    /**
     * How often this journal called {@code force} for records since it was opened.
     *
     * @return the number
     */
    public long forceCount() {
        return appender.forceCount();
    }
}
