package io.sluice.core.records;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.core.check.Check;
import io.sluice.core.check.Failures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.IntFunction;
import org.agrona.LangUtil;

/**
 * Records of one type by the million, side by side in memory: a fixed number of rows, which are zero at first. Each row takes
 * {@link RecordCodec#size} bytes and nothing else, no object and no reference, so the garbage collector has nothing to look at.
 *
 * <pre>
 *   page 0                              page 1
 *   | row 0 | row 1 | ... | row 2^k-1 | | row 2^k | ...          2^k rows a page, at most 1 GiB
 * </pre>
 *
 * <p>Off the heap ({@link #offHeap}) the JVM's option {@code -XX:MaxDirectMemorySize} limits the memory on JDKs before 22, and with a jar
 * that was built on one; by default the limit is as large as the heap. On JDK 22 and newer no option limits it, and {@link #close} gives
 * it back at once. On the heap ({@link #onHeap}) a page is one array.
 *
 * <p>Threads: accesses are plain. Several threads may read at once, or write to different rows, each with a flyweight of its own. A
 * thread that reads rows of another thread needs an order between them, such as a ring or a join. {@link #sort} and {@link #close} need
 * the table for themselves; while it is saved, others may read. Nothing blocks but {@link #save}, {@link #loadOffHeap} and
 * {@link #loadOnHeap}.
 *
 * @param <T> the records
 */
public final class RecordTable<T extends Record> implements AutoCloseable {
    /** The most bytes that a table may have: 1,024 pages of 1 GiB. */
    public static final long MAX_BYTES = 1L << 40;

    static final int MOST_OF_A_PAGE = 1 << 30;

    private final RecordCodec<T> codec;
    private final Class<T> type;
    private final long rows;
    private final int size;
    private final int shift;
    private final long mask;
    private final IntFunction<SafeBuffer> memory;
    private SafeBuffer[] pages;
    private long limit;

    RecordTable(RecordCodec<T> codec, long rows, IntFunction<SafeBuffer> memory, int mostOfAPage) {
        this.codec = Check.notNull(codec, "codec");
        type = codec.type();
        size = codec.size();
        Check.inRange(rows, 0, MAX_BYTES / size, "rows");
        this.rows = rows;
        this.memory = memory;
        shift = Integer.SIZE - 1 - Integer.numberOfLeadingZeros(Math.max(1, mostOfAPage / size));
        mask = (1L << shift) - 1;
        pages = allocate();
        limit = rows;
    }

    /**
     * A table off the heap. Costs the time to zero its memory.
     *
     * @param codec of its records
     * @param rows how many, from 0 to {@link #MAX_BYTES} divided by the size of a record
     * @param <T> the records
     * @return a table of zeros
     * @throws NullPointerException if the codec is null
     * @throws IllegalArgumentException if the rows are out of their range
     * @throws OutOfMemoryError if there is not so much memory
     */
    public static <T extends Record> RecordTable<T> offHeap(RecordCodec<T> codec, long rows) {
        return new RecordTable<>(codec, rows, SafeBuffer::allocateScoped, MOST_OF_A_PAGE);
    }

    /**
     * A table on the heap, in arrays. Costs the time to zero its memory.
     *
     * @param codec of its records
     * @param rows how many, from 0 to {@link #MAX_BYTES} divided by the size of a record
     * @param <T> the records
     * @return a table of zeros
     * @throws NullPointerException if the codec is null
     * @throws IllegalArgumentException if the rows are out of their range
     * @throws OutOfMemoryError if there is not so much memory
     */
    public static <T extends Record> RecordTable<T> onHeap(RecordCodec<T> codec, long rows) {
        return new RecordTable<>(codec, rows, SafeBuffer::allocate, MOST_OF_A_PAGE);
    }

    /**
     * Reads a table that {@link #save} wrote, off the heap. Blocks; costs one read of the file and a checksum.
     *
     * @param codec of its records; the file says which components it has, and these must be the same in name, type and order
     * @param file the file
     * @param <T> the records
     * @return the table
     * @throws NullPointerException if one of them is null
     * @throws IOException if the file can not be read, or is not a whole table of such records; the message says what was found
     * @throws OutOfMemoryError if there is not so much memory
     */
    public static <T extends Record> RecordTable<T> loadOffHeap(RecordCodec<T> codec, Path file) throws IOException {
        return load(codec, file, SafeBuffer::allocateScoped, MOST_OF_A_PAGE);
    }

    /**
     * Reads a table that {@link #save} wrote, on the heap, as {@link #loadOffHeap} does off it.
     *
     * @param codec of its records
     * @param file the file
     * @param <T> the records
     * @return the table
     * @throws NullPointerException if one of them is null
     * @throws IOException as for {@link #loadOffHeap}
     * @throws OutOfMemoryError if there is not so much memory
     */
    public static <T extends Record> RecordTable<T> loadOnHeap(RecordCodec<T> codec, Path file) throws IOException {
        return load(codec, file, SafeBuffer::allocate, MOST_OF_A_PAGE);
    }

    static <T extends Record> RecordTable<T> load(
            RecordCodec<T> codec, Path file, IntFunction<SafeBuffer> memory, int mostOfAPage) throws IOException {
        return new TableFile(
                        Check.notNull(file, "file"),
                        Check.notNull(codec, "codec").layout())
                .load(rows -> new RecordTable<>(codec, rows, memory, mostOfAPage));
    }

    private SafeBuffer[] allocate() {
        SafeBuffer[] made = new SafeBuffer[(int) ((rows + mask) >>> shift)];
        try {
            for (int i = 0; i < made.length; i++) {
                long rowsHere = Math.min(mask + 1, rows - ((long) i << shift));
                made[i] = memory.apply((int) (rowsHere * size));
            }
        } catch (Throwable t) { // no memory, or a stack overflow
            close(made); // what was reserved goes before the caller hears of it
            throw t;
        }
        return made;
    }

    /**
     * How many records the table has.
     *
     * @return the rows
     */
    public long rows() {
        return rows;
    }

    /**
     * The codec of the records.
     *
     * @return the codec
     */
    public RecordCodec<T> codec() {
        return codec;
    }

    /**
     * Puts a flyweight on a row. Allocates nothing; costs a check of the row, and a multiplication. The flyweight stays there until it is
     * put elsewhere. After {@link #close} an access throws {@link IllegalStateException}. After a {@link #sort} it may throw that, or
     * reach any row: put the flyweight in place again.
     *
     * @param row the row, 0 or more, below {@link #rows}
     * @param flyweight of the same codec or of another one for the same class
     * @return the flyweight
     * @throws NullPointerException if the flyweight is null
     * @throws IllegalArgumentException if the flyweight is for other records
     * @throws IndexOutOfBoundsException if there is no such row
     * @throws IllegalStateException if the table was closed
     */
    public RecordFlyweight at(long row, RecordFlyweight flyweight) {
        if (Check.notNull(flyweight, "flyweight").type() != type) {
            throw new IllegalArgumentException("flyweight must be for " + type.getSimpleName() + ", but was for "
                    + flyweight.type().getSimpleName());
        }
        check(row);
        flyweight.place(pages[page(row)], offset(row));
        return flyweight;
    }

    /**
     * Reads a row. Allocates as {@link RecordCodec#decode}.
     *
     * @param row the row, 0 or more, below {@link #rows}
     * @return the record
     * @throws IllegalArgumentException if the row is no such record, as a row of zeros is for an enum without constants
     * @throws IndexOutOfBoundsException if there is no such row
     * @throws IllegalStateException if the table was closed
     */
    public T get(long row) {
        check(row);
        return codec.decode(pages[page(row)], offset(row));
    }

    /**
     * Writes a row. Allocates nothing.
     *
     * @param row the row, 0 or more, below {@link #rows}
     * @param record its new content
     * @throws NullPointerException if the record or one of its components is null
     * @throws IllegalArgumentException as for {@link RecordCodec#encode}
     * @throws IndexOutOfBoundsException if there is no such row
     * @throws IllegalStateException if the table was closed
     */
    public void set(long row, T record) {
        check(row);
        codec.encode(record, pages[page(row)], offset(row));
    }

    /**
     * Sorts the rows by one field, ascending; rows that are equal in it keep their order, so to sort by several fields, sort by the least
     * one first. Numbers are in the order of {@code compare} of their class, enums in that of their constants, {@code false} is before
     * {@code true}, strings are in the order of their characters.
     *
     * <p>Algorithm: a radix sort from the least byte of the field to the greatest (Knuth, <i>The Art of Computer Programming</i>, volume 3,
     * section 5.2.5). Costs one reading pass for each eight bytes of the field, and one pass that copies all rows for each byte that is
     * not the same in all rows; it does not depend on the order of the rows. Extra memory: a second table of the same kind, while it
     * lasts. A table whose rows are in order already is not copied where the field has at most eight bytes.
     *
     * @param field a field of the records, not an array
     * @throws NullPointerException if the field is null
     * @throws IllegalArgumentException if the field is an array, or of another record
     * @throws IllegalStateException if the table was closed
     * @throws OutOfMemoryError if there is no room for the second table; this one is as it was
     */
    public void sort(RecordField field) {
        SortKey key = new SortKey(Check.notNull(field, "field"), type);
        checkOpen();
        SafeBuffer[] spare = {};
        try {
            for (int group = key.groups() - 1; group >= 0; group--) {
                long[][] counts = new RadixPass(this, pages).count(key, group);
                if (counts.length == 0) {
                    continue; // in order by these bytes
                }
                for (int digit = 0; digit < counts.length; digit++) {
                    if (RadixPass.isUniform(counts[digit], rows)) {
                        continue;
                    }
                    if (spare.length == 0) {
                        spare = allocate();
                    }
                    new RadixPass(this, pages).move(key, group, digit, counts[digit], spare);
                    SafeBuffer[] sorted = spare;
                    spare = pages;
                    pages = sorted;
                }
            }
        } finally {
            close(spare); // also after a failure: the rows are whole, in the order of the last step
        }
    }

    /**
     * Writes the table to a file, forced to the device. It is written beside the file first, under a name of its own,
     * {@code NAME.RANDOM.tmp}, and then takes its place: a reader finds the old table or the new one, also after a crash, which may leave
     * that other file behind. If several saves write to one file, the last one to end stays, whole. Blocks; costs one write of all rows
     * and a checksum.
     *
     * <p>A symbolic link stays, and its target is replaced. The new file has the permissions of the old one, where the system has
     * those of POSIX; its owner and its group are those of a new file.
     *
     * @param file the file, which is replaced
     * @throws NullPointerException if it is null
     * @throws IllegalStateException if the table was closed
     * @throws IOException if it can not be written; the file is as it was, or the new one if no more than the force of its folder failed
     */
    public void save(Path file) throws IOException {
        Check.notNull(file, "file");
        checkOpen();
        new TableFile(file, codec.layout()).save(rows, pages);
    }

    /**
     * Gives the memory back: off the heap at once on JDK 22 and newer, see {@link SafeBuffer#allocateScoped}, else as soon as the garbage
     * collector finds it. From now on the table answers {@link #rows} and {@link #codec} only: each other call, and each access of a
     * flyweight on the table, throws {@link IllegalStateException}. Closing again does nothing.
     *
     * @throws IllegalStateException if a channel reads or writes a part of the memory right now; only that part stays, until the table is
     *     closed again. Of several parts the first refusal suppresses the others
     */
    @Override
    public void close() {
        limit = -1;
        close(pages);
        pages = new SafeBuffer[0];
    }

    private static void close(SafeBuffer[] pages) {
        Throwable refused = null;
        for (SafeBuffer page : pages) {
            try {
                if (page != null) {
                    page.close();
                }
            } catch (Throwable t) { // one that is refused keeps no other one
                refused = refused == null ? t : Failures.suppress(refused, t);
            }
        }
        if (refused != null) {
            LangUtil.rethrowUnchecked(refused);
        }
    }

    // ---- where a row is

    int size() {
        return size;
    }

    int page(long row) {
        return (int) (row >>> shift);
    }

    int offset(long row) {
        return (int) (row & mask) * size;
    }

    SafeBuffer[] pages() {
        return pages;
    }

    private void check(long row) {
        if (row < 0 || row >= limit) {
            throw refused(row);
        }
    }

    private RuntimeException refused(long row) {
        checkOpen();
        return new IndexOutOfBoundsException("row must be "
                + (rows == 0 ? "of a table that has rows" : "from 0 to " + (rows - 1)) + ", but was " + row);
    }

    private void checkOpen() {
        if (limit < 0) {
            throw new IllegalStateException("table must be open, but was closed");
        }
    }
}
