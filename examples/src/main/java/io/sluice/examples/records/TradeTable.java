package io.sluice.examples.records;

import io.sluice.core.records.MaxLength;
import io.sluice.core.records.RecordCodec;
import io.sluice.core.records.RecordField;
import io.sluice.core.records.RecordFlyweight;
import io.sluice.core.records.RecordTable;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Trades by the million without an object for each. Run it with the number of trades:
 * {@code java -cp ... io.sluice.examples.records.TradeTable 1000000}.
 */
@SuppressWarnings("EnumOrdinal") // a field holds the ordinal
public final class TradeTable {
    /** The direction of a trade. */
    public enum Side {
        /** Bought. */
        BUY,
        /** Sold. */
        SELL
    }

    /**
     * A trade, 46 bytes.
     *
     * @param id its number
     * @param client who traded
     * @param instrument what was traded
     * @param price in hundredths
     * @param quantity how many
     * @param venue where, a code of four letters
     * @param currency a code of three letters
     * @param fee in hundredths
     * @param flags of the exchange
     * @param side which way
     */
    public record Trade(
            long id,
            int client,
            int instrument,
            long price,
            long quantity,
            @MaxLength(4) String venue,
            @MaxLength(3) String currency,
            int fee,
            short flags,
            Side side) {}

    private static final RecordCodec<Trade> TRADES = RecordCodec.of(Trade.class);
    private static final RecordField PRICE = TRADES.field("price");
    private static final RecordField QUANTITY = TRADES.field("quantity");
    private static final RecordField VENUE = TRADES.field("venue");
    private static final RecordField SIDE = TRADES.field("side");

    private TradeTable() {}

    /**
     * Fills, scans, sorts, saves and loads.
     *
     * @param arguments the number of trades, 1 or more
     * @throws IOException if the file can not be written or read
     */
    public static void main(String[] arguments) throws IOException {
        Path file = Files.createTempFile("trades", ".table");
        try {
            run(Long.parseLong(arguments[0]), file, System.out);
        } finally {
            Files.delete(file);
        }
    }

    static void run(long count, Path file, PrintStream out) throws IOException {
        try (RecordTable<Trade> table = RecordTable.offHeap(TRADES, count)) {
            fill(table);
            out.println(count + " trades of " + TRADES.size() + " bytes");
            out.println("bought at XLON for " + bought(table, "XLON"));
            table.sort(PRICE);
            table.save(file);
        }
        try (RecordTable<Trade> table = RecordTable.loadOffHeap(TRADES, file)) {
            out.println("cheapest " + table.get(0));
            out.println("dearest " + table.get(count - 1));
            out.println("bought at XLON for " + bought(table, "XLON"));
        }
    }

    /** Whole records: the compiler leaves the objects out where it can. */
    private static void fill(RecordTable<Trade> table) {
        for (long row = 0; row < table.rows(); row++) {
            long price = 10_000 + row * 7_919 % 1_000;
            table.set(
                    row,
                    new Trade(
                            row,
                            (int) (row % 100),
                            (int) (row % 10),
                            price,
                            1 + row % 5,
                            row % 2 == 0 ? "XLON" : "XETR",
                            "EUR",
                            3,
                            (short) 0,
                            row % 3 == 0 ? Side.BUY : Side.SELL));
        }
    }

    /** Single fields: only those that are asked for are read. */
    private static long bought(RecordTable<Trade> table, String venue) {
        RecordFlyweight trade = TRADES.flyweight();
        long sum = 0;
        for (long row = 0; row < table.rows(); row++) {
            table.at(row, trade);
            if (trade.getOrdinal(SIDE) == Side.BUY.ordinal() && trade.hasAscii(VENUE, venue)) {
                sum += trade.getLong(PRICE) * trade.getLong(QUANTITY);
            }
        }
        return sum;
    }
}
