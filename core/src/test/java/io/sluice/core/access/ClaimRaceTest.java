package io.sluice.core.access;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimRaceTest {
    private static final long SHORT = 500;
    private static final long LONG = 2_100;

    private long now;
    private long word;

    /** A clock may begin anywhere, and may pass its largest value. */
    @ParameterizedTest
    @ValueSource(longs = {1_000_000, -5_000_000, Long.MAX_VALUE - 1_000, Long.MIN_VALUE})
    void onlyFrequentLossesWaitAndEachLongerThanTheOneBefore(long start) {
        now = start;
        word = ClaimRace.word(start - 1_000_000, 0);
        assertThat(loseAfter(0, 0)).isZero();
        for (int hints : new int[] {4, 8, 16, 32, 32, 32}) {
            assertThat(loseAfter(SHORT, 0)).isEqualTo(hints);
        }
        assertThat(loseAfter(LONG, 0)).as("a pause ends the race").isZero();
        assertThat(loseAfter(SHORT, 0)).as("the next race begins anew").isEqualTo(4);
    }

    /** Else 32 hints of a processor on which each takes long would end the race that they belong to. */
    @ParameterizedTest
    @ValueSource(longs = {1, 25, 100, 1_000})
    void theWaitItselfIsNoPause(long hintNanos) {
        now = 1_000_000;
        word = 0;
        assertThat(loseAfter(0, hintNanos)).isZero();
        for (int hints : new int[] {4, 8, 16, 32, 32, 32}) {
            assertThat(loseAfter(SHORT, hintNanos)).isEqualTo(hints);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {LONG, 10_000, 1_000_000_000})
    void aProducerThatLosesNowAndThenNeverWaits(long pause) {
        now = 1_000_000;
        word = 0;
        for (int i = 0; i < 100; i++) {
            assertThat(loseAfter(pause, 25)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 100})
    void whatIsReturnedCarriesTheTime(int losses) {
        long before = System.nanoTime();
        long last = 0;
        for (int i = 0; i < losses; i++) {
            last = ClaimRace.lost(last);
        }
        assertThat(last - before).isBetween(-64L, System.nanoTime() - before + 64);
    }

    private int loseAfter(long nanos, long hintNanos) {
        now += nanos;
        int hints = ClaimRace.hints(word, now);
        now += hints * hintNanos;
        word = ClaimRace.word(now, hints);
        return hints;
    }
}
