package io.sluice.examples.demo;

import io.sluice.examples.feed.EventKind;
import io.sluice.examples.feed.MarketEvent;
import java.util.Locale;

/**
 * The outcome of the risk checks in the order of the messages: an alarm whenever so many orders in a row exceed the limits, and
 * a fingerprint that depends on every outcome and on their order. For one thread at a time.
 */
final class RiskLedger {
    /** So many orders in a row beyond the limits are an alarm. */
    static final int ALARM = 3;

    private static final long FACTOR = 0x9E3779B97F4A7C15L;
    private static final RiskOutcome[] OUTCOMES = RiskOutcome.values();

    private final long[] counts = new long[OUTCOMES.length];
    private int inRow;
    private long alarms;
    private long fingerprint;

    /** Takes the outcome of the next message; the mark at the end of the feed is none. */
    void accept(MarketEvent event, RiskOutcome outcome) {
        if (event.kind() == EventKind.END) {
            return;
        }
        counts[outcome.number]++;
        fingerprint = fingerprint * FACTOR + outcome.number + 1;
        if (outcome == RiskOutcome.NO_ORDER) {
            return;
        }
        inRow = outcome == RiskOutcome.WITHIN ? 0 : inRow + 1;
        if (inRow == ALARM) {
            alarms++;
            inRow = 0;
        }
    }

    /** How many messages had this outcome. */
    long of(RiskOutcome outcome) {
        return counts[outcome.number];
    }

    /** How many orders were checked. */
    long orders() {
        long all = 0;
        for (RiskOutcome outcome : OUTCOMES) {
            all += outcome == RiskOutcome.NO_ORDER ? 0 : of(outcome);
        }
        return all;
    }

    long alarms() {
        return alarms;
    }

    /** 16 hexadecimal digits. */
    String fingerprint() {
        return String.format(Locale.ROOT, "%016x", fingerprint);
    }
}
