package io.sluice.examples.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.backpressure.nak.RateControl;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The default rate control holds its bounds, for many seeds; and the scenarios are hard enough for others to fail. */
@Tag("once")
@Tag("any-jdk")
class ScenarioTest {
    private static final int SEEDS = 12;
    private static final int SLOW_SEEDS = 1000;

    @ParameterizedTest
    @EnumSource(Scenario.class)
    void theDefaultHoldsItsBounds(Scenario scenario) {
        assertThat(broken(scenario, RateControl.ADAPTIVE, 1, scenario == Scenario.G8 ? 2 : SEEDS))
                .isEmpty();
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(Scenario.class)
    void theDefaultHoldsItsBoundsForMoreSeeds(Scenario scenario) {
        assertThat(broken(scenario, RateControl.ADAPTIVE, 1000, scenario == Scenario.G8 ? 20 : SLOW_SEEDS))
                .isEmpty();
    }

    /** Without NAKs the same runs lose, so it is the NAKs that keep them from losing. */
    @Test
    void withoutNaksItLoses() {
        for (Scenario.Case one : Scenario.G2.cases(RateControl.ADAPTIVE, 1)) {
            if (one.name().equals("D 100 ms, stop of 200 ms")) {
                continue; // the buffer holds 400 ms
            }
            one.settings().naks = false;
            assertThat(Simulation.run(one.settings()).dropped()).as(one.name()).isPositive();
        }
    }

    /** Half the buffer is too little for the least of all bounds, 2 r D: the scenarios are not too easy. */
    @Test
    void withHalfTheBufferItLoses() {
        SimulationSettings settings = stop(2 * 0.9);
        assertThat(Simulation.run(settings).dropped()).isPositive();
        assertThat(Simulation.run(stop(4)).dropped()).isZero();
    }

    @ParameterizedTest
    @EnumSource(
            value = RateControl.class,
            names = {"AIMD", "CUBIC", "LADDER"})
    void noOtherRateControlHoldsThemAll(RateControl control) {
        List<String> broken = new ArrayList<>();
        for (Scenario scenario : List.of(Scenario.G2, Scenario.G3, Scenario.G4, Scenario.G5, Scenario.G7)) {
            broken.addAll(broken(scenario, control, 1, 2));
        }
        assertThat(broken).isNotEmpty();
    }

    private static SimulationSettings stop(double factor) {
        SimulationSettings settings = new SimulationSettings();
        settings.loopNanos = 1_000_000;
        settings.refreshNanos = 1_000_000;
        settings.durationNanos = 200_000_000;
        settings.sender(nanos -> 980_000, 0);
        settings.receiver((long) (factor * 1000), nanos -> nanos < 20_000_000 ? 1_000_000 : 0);
        return settings;
    }

    private static List<String> broken(Scenario scenario, RateControl control, long firstSeed, int seeds) {
        List<String> broken = new ArrayList<>();
        for (long seed = firstSeed; seed < firstSeed + seeds; seed++) {
            for (Scenario.Case one : scenario.cases(control, seed)) {
                Trace trace = Simulation.run(one.settings());
                for (BoundCheck check : one.judge().apply(trace)) {
                    if (!check.holds()) {
                        broken.add(scenario + " " + one.name() + ", seed " + seed + ": " + check);
                    }
                }
            }
        }
        return broken;
    }
}
