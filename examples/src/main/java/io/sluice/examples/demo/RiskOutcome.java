package io.sluice.examples.demo;

/** The result of the risk check of a message. */
enum RiskOutcome {
    /** No new order: nothing to check. */
    NO_ORDER(0),
    /** An order within the limits. */
    WITHIN(1),
    /** An order of more shares than allowed. */
    TOO_MANY_SHARES(2),
    /** An order worth more than allowed. */
    TOO_MUCH_MONEY(3),
    /** An order without a price. */
    NO_PRICE(4);

    /** The number of this outcome in a fingerprint: from 0 on without gaps. */
    final int number;

    RiskOutcome(int number) {
        this.number = number;
    }
}
