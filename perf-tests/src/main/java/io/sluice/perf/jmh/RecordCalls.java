package io.sluice.perf.jmh;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.core.records.MaxLength;
import io.sluice.core.records.RecordCodec;
import io.sluice.core.records.RecordField;
import io.sluice.core.records.RecordFlyweight;
import io.sluice.core.records.RecordTable;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Calls of the codec, the flyweight and the table of records by themselves, on one thread. None may allocate. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RecordCalls {
    /** Which way. */
    public enum Side {
        /** Bought. */
        BUY,
        /** Sold. */
        SELL
    }

    /**
     * A trade.
     *
     * @param id its number
     * @param price at which price
     * @param venue where
     * @param side which way
     */
    public record Trade(long id, double price, @MaxLength(4) String venue, Side side) {}

    /**
     * A book, with arrays.
     *
     * @param instrument whose
     * @param prices one for each level
     * @param quantities one for each level
     * @param source who sent it
     */
    @SuppressWarnings("ArrayRecordComponent") // arrays are what is written
    public record Book(
            int instrument,
            @MaxLength(10) double[] prices,
            @MaxLength(10) long[] quantities,
            @MaxLength(10) byte[] source) {}

    private static final RecordCodec<Book> BOOKS = RecordCodec.of(Book.class);
    private static final RecordCodec<Trade> TRADES = RecordCodec.of(Trade.class);
    private static final RecordField ID = TRADES.field("id");
    private static final RecordField PRICE = TRADES.field("price");
    private static final RecordField VENUE = TRADES.field("venue");
    private static final RecordField SIDE = TRADES.field("side");
    private static final int ROWS = 1024;

    private final Trade trade = new Trade(7, 1.5, "XLON", Side.SELL);
    private final Book book = new Book(3, new double[10], new long[10], new byte[7]);
    private final SafeBuffer buffer = SafeBuffer.allocateDirect(64);
    private final SafeBuffer books = SafeBuffer.allocateDirect(BOOKS.size());
    private final SafeBuffer onHeap = SafeBuffer.allocate(BOOKS.size());
    private final RecordTable<Trade> table = RecordTable.offHeap(TRADES, ROWS);
    private final RecordFlyweight flyweight = TRADES.flyweight();
    private long row;

    /** For the JMH runner. */
    public RecordCalls() {}

    /**
     * Writes a record.
     *
     * @return a byte of it
     */
    @Benchmark
    public byte encodeRecord() {
        TRADES.encode(trade, buffer, 8);
        return buffer.getByte(8);
    }

    /**
     * Writes a record with arrays.
     *
     * @return a byte of it
     */
    @Benchmark
    public byte encodeArrays() {
        BOOKS.encode(book, books, 0);
        return books.getByte(8);
    }

    /**
     * Writes records to an array.
     *
     * @return a byte of the last one
     */
    @Benchmark
    public byte encodeOnHeap() {
        BOOKS.encode(book, onHeap, 0);
        TRADES.encode(trade, onHeap, 8);
        return onHeap.getByte(8);
    }

    /**
     * Reads the fields of a record in place.
     *
     * @return what was made of them
     */
    @Benchmark
    public double readFields() {
        flyweight.wrap(buffer, 8);
        return flyweight.getLong(ID)
                + flyweight.getDouble(PRICE)
                + flyweight.getOrdinal(SIDE)
                + (flyweight.hasAscii(VENUE, "XLON") ? 1 : 0);
    }

    /**
     * Writes a row of a table and changes a field of it.
     *
     * @return the field
     */
    @Benchmark
    public long writeRow() {
        row = (row + 1) % ROWS;
        table.set(row, trade);
        table.at(row, flyweight).setLong(ID, row);
        return flyweight.getLong(ID);
    }
}
