package io.sluice.examples.demo;

import io.sluice.examples.book.BookTable;
import io.sluice.examples.book.OrderBooks;
import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.MarketEvent;
import org.jspecify.annotations.Nullable;

/** The plain way: one thread reads and applies one message after the other, without a ring. */
final class Replay {
    private Replay() {}

    /**
     * Replays an input to its end, or to its fault.
     *
     * @param reader the messages
     * @param interruption ends the replay early
     * @return the digest of the books, or null if the replay was ended early
     */
    static @Nullable String digest(FeedReader reader, Interruption interruption) {
        OrderBooks books = new OrderBooks(reader::instrumentName);
        MarketEvent event = new MarketEvent();
        try {
            while (reader.next()) {
                if (interruption.requested()) {
                    return null;
                }
                reader.copyTo(event);
                books.on(event);
            }
        } catch (FeedFault e) {
            // The run through the ring has met the same fault and reports it; here it is the end.
        }
        return BookTable.digest(books);
    }
}
