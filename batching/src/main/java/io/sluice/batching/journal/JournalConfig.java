package io.sluice.batching.journal;

import io.sluice.core.check.Check;
import java.util.function.Consumer;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;

/**
 * How a journal is written. Immutable; each method returns a changed copy.
 *
 * <p>The defaults: segments of 64 MiB, blocks through a 256 KiB buffer, {@link Durability#EACH_BATCH}, first sequence 0,
 * a torn tail is repaired on opening, the next segment is prepared ahead.
 */
public final class JournalConfig {
    /** How bytes get into the files. */
    public enum Method {
        /** Whole 4 KiB blocks through one direct buffer. Each write is a system call. */
        BLOCKS,
        /**
         * Through a mapped file. No system call but for {@code force}; a first touch of a page costs a page fault. The
         * mapping of a full segment is released when the garbage collector finds it. Until then a segment that {@link
         * Journal#retireBefore} has deleted keeps its room on the device, and no folder shows it. A process that allocates next to
         * nothing may have to call for a collection now and then.
         */
        MAPPED
    }

    static final int MIN_BUFFER = 4 * Frame.BLOCK;

    int segmentSize = 64 << 20;
    int bufferSize = 256 << 10;
    Method method = Method.BLOCKS;
    Durability durability = Durability.EACH_BATCH;
    long firstSequence;
    boolean repairOnOpen = true;
    boolean prepareAhead = true;
    EpochClock epochClock = System::currentTimeMillis;
    NanoClock nanoClock = System::nanoTime;

    private JournalConfig() {}

    private JournalConfig(JournalConfig from) {
        segmentSize = from.segmentSize;
        bufferSize = from.bufferSize;
        method = from.method;
        durability = from.durability;
        firstSequence = from.firstSequence;
        repairOnOpen = from.repairOnOpen;
        prepareAhead = from.prepareAhead;
        epochClock = from.epochClock;
        nanoClock = from.nanoClock;
    }

    /**
     * The defaults.
     *
     * @return a configuration
     */
    public static JournalConfig defaults() {
        return new JournalConfig();
    }

    /**
     * The size of the segments made from now on, in bytes. It bounds the length of a record.
     *
     * @param bytes a multiple of 4096, from 12,288 to 1 GiB
     * @return the changed configuration
     * @throws IllegalArgumentException if the size is not allowed
     */
    public JournalConfig segmentSize(int bytes) {
        checkBlocks("segmentSize", bytes, 3 * Frame.BLOCK, Frame.MAX_SEGMENT);
        return with(copy -> copy.segmentSize = bytes);
    }

    /**
     * The size of the write buffer of {@link Method#BLOCKS}, in bytes. It bounds the length of a record, too.
     *
     * @param bytes a multiple of 4096, from 16,384 to 1 GiB
     * @return the changed configuration
     * @throws IllegalArgumentException if the size is not allowed
     */
    public JournalConfig bufferSize(int bytes) {
        checkBlocks("bufferSize", bytes, MIN_BUFFER, Frame.MAX_SEGMENT);
        return with(copy -> copy.bufferSize = bytes);
    }

    /**
     * How bytes get into the files.
     *
     * @param choice the method
     * @return the changed configuration
     */
    public JournalConfig method(Method choice) {
        return with(copy -> copy.method = Check.notNull(choice, "choice"));
    }

    /**
     * When the journal forces.
     *
     * @param choice the durability
     * @return the changed configuration
     */
    public JournalConfig durability(Durability choice) {
        return with(copy -> copy.durability = Check.notNull(choice, "choice"));
    }

    /**
     * The sequence of the first record of a journal that is made anew; one that exists goes on where it ended.
     *
     * @param sequence from 0 to half of {@link Long#MAX_VALUE}, so that no later one ever overflows
     * @return the changed configuration
     * @throws IllegalArgumentException if the sequence is out of range
     */
    public JournalConfig firstSequence(long sequence) {
        Check.inRange(sequence, 0, Long.MAX_VALUE / 2, "firstSequence");
        return with(copy -> copy.firstSequence = sequence);
    }

    /**
     * Whether opening truncates a torn tail (the default), or refuses with {@link JournalException.Kind#TORN}.
     *
     * @param repair whether to repair
     * @return the changed configuration
     */
    public JournalConfig repairOnOpen(boolean repair) {
        return with(copy -> copy.repairOnOpen = repair);
    }

    /**
     * Whether the next segment is prepared while this one is filled (the default), and a retired segment is used again. From
     * the middle of a segment on, each end of a batch, {@link Journal#force()} and {@link Journal#maintain()} then zero-fills
     * a part of the next file, some 8 bytes for 3 appended, with one {@code force} a MiB: no batch waits for a whole segment
     * to be filled and forced. It takes the room of one more segment, and no thread. Without it, the append that needs a segment
     * makes it, unless {@link Journal#preallocate()} did.
     *
     * @param ahead whether to prepare
     * @return the changed configuration
     */
    public JournalConfig prepareAhead(boolean ahead) {
        return with(copy -> copy.prepareAhead = ahead);
    }

    /**
     * The clock of the records' timestamps, by default {@link System#currentTimeMillis()}. A clock may have another unit:
     * the journal only stores its values. It is read once a batch, and again after every 64 KiB of a longer one.
     *
     * @param clock the clock
     * @return the changed configuration
     */
    public JournalConfig epochClock(EpochClock clock) {
        return with(copy -> copy.epochClock = Check.notNull(clock, "clock"));
    }

    /**
     * The clock of {@link Durability#every}, and of the 100 ms between two tries to allocate a segment; by default
     * {@link System#nanoTime()}.
     *
     * @param clock the clock
     * @return the changed configuration
     */
    public JournalConfig nanoClock(NanoClock clock) {
        return with(copy -> copy.nanoClock = Check.notNull(clock, "clock"));
    }

    private JournalConfig with(Consumer<JournalConfig> change) {
        JournalConfig copy = new JournalConfig(this);
        change.accept(copy);
        return copy;
    }

    private static void checkBlocks(String name, int bytes, int min, int max) {
        if (bytes < min || bytes > max || bytes % Frame.BLOCK != 0) {
            throw new IllegalArgumentException(name + " must be a multiple of " + Frame.BLOCK + " from " + min + " to "
                    + max + ", but was " + bytes);
        }
    }
}
