package io.sluice.core.records;

import io.sluice.core.bytes.SafeBuffer;

/**
 * The two passes of a radix sort over the rows of a table: one counts how often each byte of a key has each value, the other copies the
 * rows to where one byte of their key wants them, in their present order.
 */
final class RadixPass {
    private static final int VALUES = 256;

    private final RecordTable<?> table;
    private final SafeBuffer[] pages;

    RadixPass(RecordTable<?> table, SafeBuffer[] pages) {
        this.table = table;
        this.pages = pages;
    }

    /** Counts for each byte of the key, the least first; no counts if the rows are in the order of the key already. */
    long[][] count(SortKey key, int group) {
        long[][] counts = new long[key.digits(group)][VALUES];
        boolean inOrder = true;
        long before = Long.MIN_VALUE;
        for (long row = 0; row < table.rows(); row++) {
            long value = key.of(pages[table.page(row)], table.offset(row), group);
            long signed = value ^ Long.MIN_VALUE;
            inOrder &= before <= signed;
            before = signed;
            for (int digit = 0; digit < counts.length; digit++) {
                counts[digit][digit(value, digit)]++;
            }
        }
        return inOrder ? new long[0][] : counts;
    }

    static boolean isUniform(long[] counts, long rows) {
        for (long count : counts) {
            if (count != 0) {
                return count == rows;
            }
        }
        return true;
    }

    void move(SortKey key, int group, int digit, long[] counts, SafeBuffer[] to) {
        long[] next = new long[VALUES];
        for (int value = 1; value < VALUES; value++) {
            next[value] = next[value - 1] + counts[value - 1];
        }
        int size = table.size();
        for (long row = 0; row < table.rows(); row++) {
            SafeBuffer page = pages[table.page(row)];
            int offset = table.offset(row);
            long place = next[digit(key.of(page, offset, group), digit)]++;
            copy(page, offset, to[table.page(place)], table.offset(place), size);
        }
    }

    private static int digit(long key, int digit) {
        return (int) (key >>> (digit * Byte.SIZE)) & (VALUES - 1);
    }

    /** For some dozens of bytes, moves of eight are faster than a call to copy. */
    private static void copy(SafeBuffer from, int offset, SafeBuffer to, int place, int size) {
        int i = 0;
        for (; i <= size - Long.BYTES; i += Long.BYTES) {
            to.putLong(place + i, from.getLong(offset + i));
        }
        for (; i < size; i++) {
            to.putByte(place + i, from.getByte(offset + i));
        }
    }
}
