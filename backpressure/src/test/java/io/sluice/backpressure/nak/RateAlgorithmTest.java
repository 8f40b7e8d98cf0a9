package io.sluice.backpressure.nak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The rate algorithms by themselves: what each answers to a NAK and to silence. And the record of what was sent. */
class RateAlgorithmTest {
    private static RateAlgorithm.Overload overload(int level, double before, boolean first) {
        RateAlgorithm.Overload overload = new RateAlgorithm.Overload();
        overload.level = level;
        overload.rateBefore = before;
        overload.firstOfEpoch = first;
        return overload;
    }

    @Test
    void aimdHalvesOnceAnEpochAndClimbsByEqualSteps() {
        RateAlgorithm algorithm = new AimdAlgorithm();
        algorithm.start(6_400);
        assertThat(algorithm.onSilence(1, 1_000, 0)).isEqualTo(1_100);
        assertThat(algorithm.onOverload(overload(80, 6_400, true), 6_400)).isEqualTo(3_200);
        assertThat(algorithm.onOverload(overload(80, 6_400, false), 3_200)).isEqualTo(3_200);
        assertThat(algorithm.onSilence(1, 3_200, 0)).isEqualTo(3_300);
        assertThat(algorithm.onOverload(overload(99, 12_800, true), 12_800)).isEqualTo(6_400);
        assertThat(algorithm.onSilence(1, 6_400, 0)).isEqualTo(6_600);
        algorithm.start(64);
        assertThat(algorithm.onSilence(1, 6_400, 0)).as("steps do not shrink").isEqualTo(6_600);
        assertThat(algorithm.plateauEpochs()).isZero();
    }

    @Test
    void aimdPausesAtTheTopAndBeginsAgainLow() {
        RateAlgorithm algorithm = new AimdAlgorithm();
        assertThat(algorithm.onOverload(overload(100, 6_400, true), 6_400)).isZero();
        assertThat(algorithm.onSilence(1, 0, 0)).isEqualTo(400 + 100);
        assertThat(algorithm.onSilence(2, 5_000, 0)).isEqualTo(5_100);
    }

    @Test
    void cubicFallsToSeventyPercentAndIsBackAfterEightEpochs() {
        RateAlgorithm algorithm = new CubicAlgorithm();
        assertThat(algorithm.onOverload(overload(80, 1_000, true), 1_000)).isEqualTo(700);
        assertThat(algorithm.onOverload(overload(80, 500, false), 700)).isEqualTo(700);
        assertThat(algorithm.onOverload(overload(100, 500, false), 700)).isZero();
        assertThat(algorithm.onSilence(1, 700, 0)).isCloseTo(1_000 * (1 - 0.3 * 343 / 512.0), within(1e-9));
        assertThat(algorithm.onSilence(8, 900, 0)).isEqualTo(1_000);
        assertThat(algorithm.onSilence(12, 900, 0)).isCloseTo(1_000 * (1 + 0.3 / 8), within(1e-9));
        assertThat(algorithm.plateauEpochs()).isEqualTo(8);
        algorithm.start(2_000);
        assertThat(algorithm.onSilence(8, 0, 0)).isEqualTo(2_000);
        assertThat(algorithm.onSilence(0, 0, 0)).isEqualTo(1_400);
        assertThat(algorithm.onOverload(overload(99, 500, false), 0)).isEqualTo(1_400);
    }

    @ParameterizedTest
    @CsvSource({"50, 875", "74, 875", "75, 750", "86, 750", "87, 500", "99, 500", "100, 125"})
    void theLadderHasFourRungs(int level, double rate) {
        assertThat(new LadderAlgorithm().onOverload(overload(level, 1_000, true), 900))
                .isEqualTo(rate);
    }

    @Test
    void theLadderOnlyLowersWithinAnEpochAndClimbsFasterTheLongerItIsSilent() {
        RateAlgorithm algorithm = new LadderAlgorithm();
        assertThat(algorithm.onOverload(overload(50, 1_000, false), 700)).isEqualTo(700);
        assertThat(algorithm.onOverload(overload(87, 1_000, false), 700)).isEqualTo(500);
        assertThat(algorithm.onSilence(1, 500, 0)).isCloseTo(505, within(1e-9));
        assertThat(algorithm.onSilence(10, 500, 0)).isCloseTo(550, within(1e-9));
        assertThat(algorithm.onSilence(30, 500, 0)).isCloseTo(550, within(1e-9));
        assertThat(algorithm.onSilence(10, 0, 0)).as("never stuck at nothing").isCloseTo(500 / 8.0 * 1.1, within(1e-9));
        algorithm.start(800);
        assertThat(algorithm.onSilence(10, 0, 0)).isCloseTo(110, within(1e-9));
    }

    @Test
    void theHistoryTellsWhenAPositionWasReached() {
        SendHistory history = new SendHistory();
        assertThat(history.timeOf(0)).isEqualTo(-1);
        history.add(100, 10, 50);
        assertThat(history.timeOf(10)).as("one sample is none").isEqualTo(-1);
        history.add(200, 20, 50);
        assertThat(history.timeOf(10)).isEqualTo(100);
        assertThat(history.timeOf(15)).isEqualTo(150);
        assertThat(history.timeOf(20)).isEqualTo(200);
        assertThat(history.timeOf(21)).isEqualTo(-1);
        assertThat(history.timeOf(9)).isEqualTo(-1);
        history.add(300, 40, 50);
        assertThat(history.timeOf(30)).isEqualTo(250);
        history.add(240, 44, 50);
        assertThat(history.timeOf(44))
                .as("too close to the one before: moves the newest")
                .isEqualTo(240);
        assertThat(history.timeOf(32)).isEqualTo(220);
        history.add(250, 50, 50);
        assertThat(history.timeOf(50)).as("at the spacing: a sample of its own").isEqualTo(250);
        for (int i = 0; i < 64; i++) {
            history.add(1_000 + i * 100L, 1_000 + i * 10L, 50);
        }
        assertThat(history.timeOf(999)).as("forgotten").isEqualTo(-1);
        assertThat(history.timeOf(1_000)).isEqualTo(1_000);
        assertThat(history.timeOf(1_625)).isEqualTo(7_250);
        assertThat(history.timeOf(1_630)).isEqualTo(7_300);
    }
}
