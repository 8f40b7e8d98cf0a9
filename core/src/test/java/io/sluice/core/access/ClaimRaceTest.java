package io.sluice.core.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimRaceTest {
    private static final long SHORT = 500;
    private static final long LONG = 2_100;

    /** A clock may begin anywhere, and may pass its largest value. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1_000_000, -5_000_000, Long.MAX_VALUE - 1_000, Long.MIN_VALUE})
    void onlyFrequentLossesWaitAndEachLongerThanTheOneBefore(long start) {
        long now = start;
        long loss = ClaimRace.loss(start - 1_000_000, now);
        assertThat(ClaimRace.hints(loss)).isZero();
        for (int hints : new int[] {4, 8, 16, 32, 32, 32}) {
            now += SHORT;
            loss = ClaimRace.loss(loss, now);
            assertThat(ClaimRace.hints(loss)).isEqualTo(hints);
        }
        now += LONG;
        loss = ClaimRace.loss(loss, now);
        assertThat(ClaimRace.hints(loss)).as("a pause ends the race").isZero();
        loss = ClaimRace.loss(loss, now + SHORT);
        assertThat(ClaimRace.hints(loss)).as("the next race begins anew").isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(longs = {LONG, 10_000, 1_000_000_000})
    void aProducerThatLosesNowAndThenNeverWaits(long pause) {
        long now = 17;
        long loss = ClaimRace.loss(now - 1_000_000, now);
        for (int i = 0; i < 100; i++) {
            now += pause;
            loss = ClaimRace.loss(loss, now);
            assertThat(ClaimRace.hints(loss)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 100})
    void whatIsReturnedCarriesTheTime(int losses) {
        long before = System.nanoTime();
        long loss = 0;
        for (int i = 0; i < losses; i++) {
            loss = ClaimRace.lost(loss);
        }
        assertThat(loss - before).isBetween(-64L, System.nanoTime() - before + 64);
    }
}
