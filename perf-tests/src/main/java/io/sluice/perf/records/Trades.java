package io.sluice.perf.records;

import io.sluice.core.records.RecordCodec;
import io.sluice.core.records.RecordField;
import io.sluice.core.records.RecordFlyweight;
import io.sluice.core.records.RecordTable;
import java.util.function.Supplier;

/** The child that fills trades and scans them, round by round, as objects or as rows of a table. Prints nanoseconds of both. */
final class Trades {
    /**
     * A trade with the fields of the article.
     *
     * @param tradeId its number
     * @param clientId whose
     * @param venueCode where
     * @param instrumentCode what
     * @param price at which price
     * @param quantity how many
     * @param side B or S
     */
    public record Trade(
            long tradeId, long clientId, int venueCode, int instrumentCode, long price, long quantity, char side) {}

    /** The same as an object that can change. */
    static final class TradeObject {
        private long tradeId;
        private long clientId;
        private int venueCode;
        private int instrumentCode;
        private long price;
        private long quantity;
        private char side;
    }

    static final RecordCodec<Trade> CODEC = RecordCodec.of(java.lang.invoke.MethodHandles.lookup(), Trade.class);
    private static final RecordField ID = CODEC.field("tradeId");
    private static final RecordField CLIENT = CODEC.field("clientId");
    private static final RecordField VENUE = CODEC.field("venueCode");
    private static final RecordField INSTRUMENT = CODEC.field("instrumentCode");
    private static final RecordField PRICE = CODEC.field("price");
    private static final RecordField QUANTITY = CODEC.field("quantity");
    private static final RecordField SIDE = CODEC.field("side");

    private Trades() {}

    public static void main(String[] arguments) {
        int count = Integer.parseInt(arguments[1]);
        int rounds = Integer.parseInt(arguments[2]);
        switch (arguments[0]) {
            case "objects" -> objects(count, rounds);
            case "kept" -> kept(count, rounds);
            case "anew" -> anew(() -> RecordTable.offHeap(CODEC, count), rounds);
            case "anew-on-heap" -> anew(() -> RecordTable.onHeap(CODEC, count), rounds);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static void objects(int count, int rounds) {
        for (int round = 0; round < rounds; round++) {
            long start = System.nanoTime();
            TradeObject[] trades = filled(count);
            long filled = System.nanoTime();
            long sum = scan(trades);
            print(round, start, filled, sum, count);
        }
    }

    private static void kept(int count, int rounds) {
        try (RecordTable<Trade> table = RecordTable.offHeap(CODEC, count)) {
            for (int round = 0; round < rounds; round++) {
                long start = System.nanoTime();
                fill(table);
                long filled = System.nanoTime();
                long sum = scan(table);
                print(round, start, filled, sum, count);
            }
        }
    }

    private static void anew(Supplier<RecordTable<Trade>> made, int rounds) {
        for (int round = 0; round < rounds; round++) {
            long start = System.nanoTime();
            try (RecordTable<Trade> table = made.get()) {
                fill(table);
                long filled = System.nanoTime();
                long sum = scan(table);
                print(round, start, filled, sum, table.rows());
            }
            System.gc(); // lets the memory go; not part of what is timed
        }
    }

    private static void print(int round, long start, long filled, long sum, long count) {
        long end = System.nanoTime();
        long expected = sum(count);
        if (sum != expected) {
            throw new IllegalStateException("the sum is " + sum + ", not " + expected);
        }
        System.out.println((round == 0 ? "first " : "round ") + (filled - start) + " " + (end - filled));
    }

    /** The sum that a scan of so many trades must give. */
    static long sum(long count) {
        long expected = 0;
        for (long i = 0; i < count; i++) {
            expected += (i & 1) == 0 ? i * i : -i * i;
        }
        return expected;
    }

    static TradeObject[] filled(int count) {
        TradeObject[] trades = new TradeObject[count];
        for (int i = 0; i < count; i++) {
            TradeObject trade = new TradeObject();
            trades[i] = trade;
            trade.tradeId = i;
            trade.clientId = 1;
            trade.venueCode = 123;
            trade.instrumentCode = 321;
            trade.price = i;
            trade.quantity = i;
            trade.side = (i & 1) == 0 ? 'B' : 'S';
        }
        return trades;
    }

    static long scan(TradeObject[] trades) {
        long bought = 0;
        long sold = 0;
        for (TradeObject trade : trades) {
            if (trade.side == 'B') {
                bought += trade.price * trade.quantity;
            } else {
                sold += trade.price * trade.quantity;
            }
        }
        return bought - sold;
    }

    static void fill(RecordTable<Trade> table) {
        RecordFlyweight trade = CODEC.flyweight();
        for (long row = 0; row < table.rows(); row++) {
            table.at(row, trade);
            trade.setLong(ID, row);
            trade.setLong(CLIENT, 1);
            trade.setInt(VENUE, 123);
            trade.setInt(INSTRUMENT, 321);
            trade.setLong(PRICE, row);
            trade.setLong(QUANTITY, row);
            trade.setChar(SIDE, (row & 1) == 0 ? 'B' : 'S');
        }
    }

    static long scan(RecordTable<Trade> table) {
        RecordFlyweight trade = CODEC.flyweight();
        long bought = 0;
        long sold = 0;
        for (long row = 0; row < table.rows(); row++) {
            table.at(row, trade);
            if (trade.getChar(SIDE) == 'B') {
                bought += trade.getLong(PRICE) * trade.getLong(QUANTITY);
            } else {
                sold += trade.getLong(PRICE) * trade.getLong(QUANTITY);
            }
        }
        return bought - sold;
    }
}
