package io.sluice.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.examples.feed.EventKind;
import io.sluice.examples.feed.MarketEvent;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RiskTest {
    private static MarketEvent event(EventKind kind, long shares, long price) {
        MarketEvent event = new MarketEvent();
        event.begin(kind, 'A', 0, new byte[1], 0, 1);
        event.order(1, 2, true, shares, price);
        return event;
    }

    @ParameterizedTest
    @CsvSource({
        "ADD,500,10000,WITHIN",
        "ADD,501,10000,TOO_MANY_SHARES",
        "REPLACE,501,10000,TOO_MANY_SHARES",
        "ADD,4294967295,4294967295,TOO_MANY_SHARES",
        "ADD,500,1000000,WITHIN",
        "ADD,500,1000001,TOO_MUCH_MONEY",
        "ADD,1,9223372036854775807,TOO_MUCH_MONEY",
        "ADD,0,1,WITHIN",
        "REPLACE,100,0,NO_PRICE",
        "ADD,100,-1,NO_PRICE",
        "EXECUTE,900,1,NO_ORDER",
        "CANCEL,900,1,NO_ORDER",
        "DELETE,0,0,NO_ORDER",
        "OTHER,900,0,NO_ORDER",
    })
    void checksOrdersOnly(EventKind kind, long shares, long price, RiskOutcome outcome) {
        assertThat(RiskCheck.check(event(kind, shares, price))).isEqualTo(outcome);
    }

    private static RiskLedger ledger(List<RiskOutcome> outcomes) {
        RiskLedger ledger = new RiskLedger();
        outcomes.forEach(outcome -> ledger.accept(event(EventKind.ADD, 1, 1), outcome));
        return ledger;
    }

    @Test
    void countsAndRaisesAnAlarmAfterThreeInARow() {
        RiskOutcome bad = RiskOutcome.TOO_MUCH_MONEY;
        RiskLedger ledger = ledger(List.of(
                bad,
                RiskOutcome.TOO_MANY_SHARES,
                RiskOutcome.WITHIN,
                bad,
                bad,
                RiskOutcome.NO_ORDER,
                RiskOutcome.NO_PRICE,
                bad,
                bad,
                bad,
                bad));
        assertThat(ledger.alarms()).isEqualTo(2);
        assertThat(ledger.of(bad)).isEqualTo(7);
        assertThat(ledger.of(RiskOutcome.NO_ORDER)).isEqualTo(1);
        assertThat(ledger.orders()).isEqualTo(10);
    }

    @Test
    void theFingerprintDependsOnEveryOutcomeAndTheirOrderButNotOnTheEnd() {
        RiskOutcome one = RiskOutcome.WITHIN;
        RiskOutcome other = RiskOutcome.NO_ORDER;
        assertThat(List.of(
                        ledger(List.of()).fingerprint(),
                        ledger(List.of(other)).fingerprint(),
                        ledger(List.of(other, other)).fingerprint(),
                        ledger(List.of(one, other)).fingerprint(),
                        ledger(List.of(other, one)).fingerprint()))
                .doesNotHaveDuplicates()
                .allMatch(fingerprint -> fingerprint.matches("[0-9a-f]{16}"));
        RiskLedger ended = ledger(List.of(one, other));
        MarketEvent end = new MarketEvent();
        end.end();
        ended.accept(end, RiskCheck.check(end));
        assertThat(ended.fingerprint()).isEqualTo(ledger(List.of(one, other)).fingerprint());
        assertThat(ended.of(other)).isEqualTo(1);
    }
}
