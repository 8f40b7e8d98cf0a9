package io.sluice.examples.demo;

import io.sluice.examples.feed.EventKind;
import io.sluice.examples.feed.MarketEvent;

/** Looks at one order by itself, so that any thread may look at any order. The limits are low, so that sessions exceed them. */
final class RiskCheck {
    /** The most shares of an order. */
    static final long MOST_SHARES = 500;

    /** The most that an order may be worth, in 1/10,000 dollar. */
    static final long MOST_MONEY = 50_000L * 10_000;

    private RiskCheck() {}

    static RiskOutcome check(MarketEvent event) {
        if (event.kind() != EventKind.ADD && event.kind() != EventKind.REPLACE) {
            return RiskOutcome.NO_ORDER;
        }
        if (event.price() <= 0) {
            return RiskOutcome.NO_PRICE;
        }
        if (event.shares() > MOST_SHARES) {
            return RiskOutcome.TOO_MANY_SHARES;
        }
        return event.shares() > MOST_MONEY / event.price() ? RiskOutcome.TOO_MUCH_MONEY : RiskOutcome.WITHIN;
    }
}
