package io.sluice.examples.demo;

import io.sluice.cli.Interruption;
import io.sluice.examples.book.BookTable;
import io.sluice.examples.book.OrderBooks;
import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.MarketEvent;
import org.jspecify.annotations.Nullable;

/**
 * The plain way: one thread reads and applies one message after the other, without a ring.
 *
 * @param digest the digest of the books
 * @param risk the fingerprint of the risk checks
 */
record Replay(String digest, String risk) {
    /**
     * Replays an input to its end, or to its fault.
     *
     * @param reader the messages
     * @param interruption ends the replay early
     * @return what came of it, or null if the replay was ended early
     */
    static @Nullable Replay of(FeedReader reader, Interruption interruption) {
        OrderBooks books = new OrderBooks(reader::instrumentName);
        RiskLedger risk = new RiskLedger();
        MarketEvent event = new MarketEvent();
        try {
            while (reader.next()) {
                if (interruption.requested()) {
                    return null;
                }
                reader.copyTo(event);
                risk.accept(event, RiskCheck.check(event));
                books.on(event);
            }
        } catch (FeedFault e) {
            // The run through the ring has met the same fault and reports it; here it is the end.
        }
        return new Replay(BookTable.digest(books), risk.fingerprint());
    }
}
