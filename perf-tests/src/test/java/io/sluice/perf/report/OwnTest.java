package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

/** How a contestant's own figures spread, and whether they are of two speeds. */
class OwnTest {
    @Test
    void decilesAndQuartilesLieBetweenTheNearestRanks() {
        Own own = Own.of(new double[] {10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
        assertThat(own.lowerDecile()).isCloseTo(1, within(1e-9));
        assertThat(own.lowerQuartile()).isCloseTo(2.5, within(1e-9));
        assertThat(own.middle()).isCloseTo(5, within(1e-9));
        assertThat(own.upperQuartile()).isCloseTo(7.5, within(1e-9));
        assertThat(own.upperDecile()).isCloseTo(9, within(1e-9));
        assertThat(own.samples()).isSorted().hasSize(11);
        assertThat(Own.of(new double[0])).isEqualTo(Own.NONE);
    }

    @Test
    void twoGroupsWithAGapAreTwoSpeeds() {
        Own own = Own.of(around(18, 82e6, 12, 270e6));
        Own.TwoSpeeds both = own.twoSpeeds().orElseThrow();
        assertThat(both.slower()).isEqualTo(18);
        assertThat(both.faster()).isEqualTo(12);
        assertThat(both.slow()).isCloseTo(82e6, within(4e6));
        assertThat(both.fast()).isCloseTo(270e6, within(13e6));
        assertThat(new Own.TwoSpeeds(82e6, 18, 270e6, 12).words("events/s"))
                .isEqualTo("82M events/s in 18 samples, 270M events/s in 12");
    }

    @Test
    void oneGroupOrAnEvenSpreadOrAFewStraysAreNone() {
        assertThat(Own.of(around(30, 100e6, 0, 1)).twoSpeeds()).as("one group").isEmpty();
        assertThat(Own.of(around(15, 100e6, 15, 125e6)).twoSpeeds())
                .as("close to each other")
                .isEmpty();
        assertThat(Own.of(around(28, 100e6, 2, 300e6)).twoSpeeds())
                .as("two strays of thirty")
                .isEmpty();
        double[] even = DoubleStream.iterate(1, value -> value * 1.1).limit(30).toArray();
        assertThat(Own.of(even).twoSpeeds()).as("evenly spread").isEmpty();
        assertThat(Own.of(new double[] {1, 1, 9, 9}).twoSpeeds()).as("too few").isEmpty();
        assertThat(Own.of(new double[] {0, 0, 0, 9, 9, 9}).twoSpeeds())
                .as("figures of 0")
                .isEmpty();
        assertThat(Own.of(new double[] {5, 5, 5, 5, 5, 5}).twoSpeeds())
                .as("all the same")
                .isEmpty();
    }

    /** Figures that differ from their groups' by up to 4 %. */
    private static double[] around(int slower, double slow, int faster, double fast) {
        SplittableRandom random = new SplittableRandom(7);
        return DoubleStream.concat(
                        random.doubles(slower, 0.96, 1.04).map(share -> share * slow),
                        random.doubles(faster, 0.96, 1.04).map(share -> share * fast))
                .toArray();
    }
}
