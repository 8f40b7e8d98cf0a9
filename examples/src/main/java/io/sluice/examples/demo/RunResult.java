package io.sluice.examples.demo;

import io.sluice.examples.book.OrderBooks;
import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.MessageTally;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The result of a run through the ring.
 *
 * @param tally the messages that the books handled, by type
 * @param elapsedNanos from the first message to the end of the last stage
 * @param latencyNanos of each message, from the feed to the books
 * @param stages of each message, from stage to stage
 * @param fill how full the ring was
 * @param books the books, complete
 * @param digest the digest that the last stage computed
 * @param journalBytes what the journal took
 * @param link what went to the subscriber
 * @param risk how the parallel risk check went, or null if there was none
 * @param fault what ended the feed, or null if nothing did
 * @param interrupted whether the user ended it
 */
record RunResult(
        MessageTally tally,
        long elapsedNanos,
        Histogram latencyNanos,
        Stages stages,
        RingFill fill,
        OrderBooks books,
        String digest,
        long journalBytes,
        LinkResult link,
        @Nullable RiskResult risk,
        @Nullable FeedFault fault,
        boolean interrupted) {

    /** Messages handled a second. */
    double messagesASecond() {
        return elapsedNanos == 0 ? 0 : tally.total() * 1e9 / elapsedNanos;
    }
}
