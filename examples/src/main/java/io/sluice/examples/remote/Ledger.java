package io.sluice.examples.remote;

import io.sluice.examples.book.BookTable;
import io.sluice.examples.book.OrderBooks;
import io.sluice.examples.feed.EventKind;
import io.sluice.examples.feed.MarketEvent;
import java.util.zip.CRC32C;
import org.agrona.collections.Long2ObjectHashMap;

/** The results of one side: the books, and a checksum over all records in their order. For one thread. */
final class Ledger {
    private final Long2ObjectHashMap<String> names = new Long2ObjectHashMap<>();
    private final OrderBooks books = new OrderBooks(key -> names.getOrDefault(key, "instrument " + key));
    private final CRC32C records = new CRC32C();
    private long messages;

    /** Whether an event names an instrument that was not named before. */
    boolean isNew(MarketEvent event) {
        return (event.kind() == EventKind.ADD || event.kind() == EventKind.DIRECTORY)
                && !names.containsKey(event.instrument());
    }

    void on(Update update) {
        MarketEvent market = update.market;
        if (!update.name.isEmpty()) {
            names.put(market.instrument(), update.name);
        }
        books.on(market);
        records.update(market.raw(), 0, market.rawLength());
        messages++;
    }

    Result result() {
        return new Result(messages, BookTable.digest(books), Long.toHexString(records.getValue()));
    }

    /**
     * The result.
     *
     * @param messages how many there were
     * @param digest of the books
     * @param records the checksum of all records
     */
    record Result(long messages, String digest, String records) {}
}
