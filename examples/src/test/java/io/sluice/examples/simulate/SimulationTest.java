package io.sluice.examples.simulate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.backpressure.nak.RateControl;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The simulator itself: what it does with time, links, loss and seeds. */
class SimulationTest {
    private static SimulationSettings settings(long seed) {
        SimulationSettings settings = new SimulationSettings();
        settings.seed = seed;
        settings.jitterNanos = 100_000;
        settings.nakLoss = 0.05;
        settings.nakReorder = 0.05;
        settings.durationNanos = 100_000_000;
        settings.sender(nanos -> 2_000_000, 0);
        settings.receiver(8_000, nanos -> 1_000_000);
        return settings;
    }

    @ParameterizedTest
    @EnumSource(RateControl.class)
    void theSameSeedGivesTheSameTrace(RateControl control) {
        SimulationSettings first = settings(42);
        first.rateControl = control;
        SimulationSettings again = settings(42);
        again.rateControl = control;
        assertThat(Simulation.run(first).hash()).isEqualTo(Simulation.run(again).hash());
    }

    @Test
    void otherSeedsGiveOtherTraces() {
        Set<Long> hashes = new HashSet<>();
        for (long seed = 1; seed <= 20; seed++) {
            hashes.add(Simulation.run(settings(seed)).hash());
        }
        assertThat(hashes).hasSize(20);
    }

    /** Every message is handled, dropped, waiting or under way: nothing is made and nothing vanishes. */
    @Test
    void messagesAreConserved() {
        SimulationSettings settings = new SimulationSettings();
        settings.naks = false;
        settings.serviceNoise = 0;
        settings.durationNanos = 100_000_000;
        settings.sender(nanos -> nanos < 50_000_000 ? 2_000_000 : 0, 0);
        settings.receiver(8_000, nanos -> 1_000_000);
        Trace trace = Simulation.run(settings);
        long handled = Math.round(trace.busy(0, 0, trace.ticks()) * 100_000);
        assertThat(trace.fill(0, trace.ticks() - 1)).isZero();
        // 100,000 sent in 50 ms; 50,000 handled meanwhile, 8,000 after it
        assertThat(trace.dropped()).isCloseTo(42_000, within(600L));
        assertThat(handled + trace.dropped()).isCloseTo(100_000, within(50L));
    }

    @Test
    void theLinkDelaysByHalfTheLoop() {
        SimulationSettings settings = new SimulationSettings();
        settings.loopNanos = 10_000_000;
        settings.refreshNanos = 10_000_000;
        settings.durationNanos = 20_000_000;
        settings.sender(nanos -> 1_000_000, 0);
        settings.receiver(1_000_000, nanos -> 0);
        Trace trace = Simulation.run(settings);
        assertThat(trace.fill(0, trace.tick(4_900_000))).isZero();
        assertThat(trace.fill(0, trace.tick(5_400_000))).isPositive();
    }

    @Test
    void lostDataNeverArrives() {
        SimulationSettings settings = settings(7);
        settings.dataLoss = 1;
        Trace trace = Simulation.run(settings);
        assertThat(trace.naks()).isEmpty();
        assertThat(trace.fillPercentile(0, 0, trace.ticks(), 100)).isZero();
    }
}
