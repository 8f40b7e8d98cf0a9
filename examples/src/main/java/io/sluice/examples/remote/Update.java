package io.sluice.examples.remote;

import io.sluice.examples.feed.MarketEvent;

/** The event that travels: a message, with its instrument's name where that comes for the first time. Made once for each slot of a ring. */
final class Update {
    final MarketEvent market = new MarketEvent();

    /** Empty unless the instrument is new. */
    String name = "";

    void copyFrom(Update other) {
        market.copyFrom(other.market);
        name = other.name;
    }

    void end() {
        market.end();
        name = "";
    }
}
