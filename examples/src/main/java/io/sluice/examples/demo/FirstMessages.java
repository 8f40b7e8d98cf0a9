package io.sluice.examples.demo;

import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.FeedFormat;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.MarketEvent;

/** The first messages of a feed: ends when so many have been read. Used by one thread. */
final class FirstMessages implements FeedReader {
    private final FeedReader all;
    private long left;

    FirstMessages(FeedReader all, long messages) {
        this.all = all;
        this.left = messages;
    }

    @Override
    public boolean next() throws FeedFault {
        if (left == 0 || !all.next()) {
            return false;
        }
        left--;
        return true;
    }

    @Override
    public void copyTo(MarketEvent event) {
        all.copyTo(event);
    }

    @Override
    public FeedFormat format() {
        return all.format();
    }

    @Override
    public String instrumentName(long instrument) {
        return all.instrumentName(instrument);
    }

    @Override
    public void close() {
        all.close();
    }
}
