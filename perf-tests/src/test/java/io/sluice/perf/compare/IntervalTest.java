package io.sluice.perf.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** The median of the medians of JVMs, and the interval that comes from drawing JVMs again. */
class IntervalTest {
    @Test
    void theFigureIsTheMedianOfTheMediansOfTheJvms() {
        Interval interval =
                Interval.of(List.of(List.of(1.0, 2.0, 3.0), List.of(10.0), List.of(4.0, 4.0, 4.0, 4.0, 90.0)));
        assertThat(interval.median()).isEqualTo(4);
        assertThat(interval.rounds()).isEqualTo(9);
        assertThat(interval.jvms()).isEqualTo(3);
        assertThat(interval.lower()).isEqualTo(2);
        assertThat(interval.upper()).isEqualTo(10);
    }

    @Test
    void oneJvmHasNoIntervalHoweverManyRounds() {
        assertThat(Interval.of(List.of(List.of(1.0, 2.0, 3.0)))).isEqualTo(new Interval(3, 1, 2, 2, 2));
        assertThat(Interval.of(List.<List<Double>>of())).isEqualTo(Interval.NONE);
    }

    @Test
    void theDrawsAreTheSameEachTime() {
        List<List<Double>> values = jvms(10, 3, 5);
        assertThat(Interval.of(values)).isEqualTo(Interval.of(values));
    }

    /** A JVM that compiled well for all its rounds widens the interval; more rounds of the same JVMs do not narrow it. */
    @Test
    void roundsOfTheSameJvmSayNothingNew() {
        Interval few = Interval.of(jvms(10, 3, 5));
        Interval many = Interval.of(jvms(10, 300, 5));
        Interval moreJvms = Interval.of(jvms(160, 3, 5));
        double width = few.upper() - few.lower();
        assertThat(width).isPositive();
        assertThat(many.upper() - many.lower()).isCloseTo(width, within(width * 0.2));
        assertThat(moreJvms.upper() - moreJvms.lower()).isLessThan(width / 2);
    }

    /** Where JVMs differ by chance, the true median lies in about 95 of 100 intervals. */
    @Test
    void theTrueMedianIsInMostIntervals() {
        int in = 0;
        for (int seed = 0; seed < 200; seed++) {
            Interval interval = Interval.of(jvms(12, 1, seed));
            in += interval.lower() <= 1.5 && interval.upper() >= 1.5 ? 1 : 0;
        }
        assertThat(in).isBetween(175, 200);
    }

    /** JVMs of medians from 1 to 2, whose rounds all have the figure of their JVM. */
    private static List<List<Double>> jvms(int count, int rounds, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<List<Double>> all = new ArrayList<>();
        for (int jvm = 0; jvm < count; jvm++) {
            double figure = 1 + random.nextDouble();
            List<Double> values = new ArrayList<>();
            for (int round = 0; round < rounds; round++) {
                values.add(figure);
            }
            all.add(values);
        }
        return all;
    }

    @Test
    void ratiosAreGroupedByTheirJvms() {
        Measurement measurement = new Measurement(new Band(40, 60));
        double[] ratios = {2, 2, 2, 2, 8, 3};
        int[] jvms = {0, 0, 0, 0, 1, 2};
        for (int round = 0; round < ratios.length; round++) {
            measurement.add(new Measurement.Sample(round, jvms[round], "a", ratios[round] * 10, 50, 50, ""));
            measurement.add(new Measurement.Sample(round, jvms[round], "b", 10, 50, 50, ""));
        }
        assertThat(measurement.ratio("a", "b").median()).isEqualTo(3);
        assertThat(measurement.ratio("a", "b").jvms()).isEqualTo(3);
        assertThat(measurement.values("a").median()).isEqualTo(30);
    }

    private static String times(long p50, long p90, long p99) {
        var histogram = Times.histogram();
        histogram.recordValueWithCount(p50, 80);
        histogram.recordValueWithCount(p90, 15);
        histogram.recordValueWithCount(p99, 5);
        return Times.write(histogram);
    }

    @Test
    void tailsHaveTargetsOfTheirOwn() {
        Measurement measurement = new Measurement(new Band(40, 60));
        for (int round = 0; round < 10; round++) {
            long pause = round < 8 ? 1_000 : 0; // the host's, in eight of ten rounds
            measurement.add(new Measurement.Sample(round, round, "a", 30, 50, 50, times(30, 60, 80 + pause)));
            measurement.add(new Measurement.Sample(round, round, "b", 10, 50, 50, times(10, 30, 100 + 2 * pause)));
        }
        assertThat(measurement.ratio(Figure.MEDIAN, "a", "b").median()).isEqualTo(3);
        assertThat(measurement.ratio(Figure.P90, "a", "b").median()).isEqualTo(2);
        Interval quiet = measurement.ratio(Figure.QUIET_P99, "a", "b");
        assertThat(quiet.median()).as("of the two quiet rounds").isEqualTo(0.8);
        assertThat(quiet.rounds()).isEqualTo(10);
        assertThat(quiet.jvms()).isEqualTo(10);
        assertThat(measurement.ratio(Figure.P90, "a", "c")).isEqualTo(Interval.NONE);
        assertThat(measurement.rounds("a", "b")).isEqualTo(10);
        assertThat(measurement.rounds("a", "c")).isZero();
    }

    @Test
    void aFullRunHasTenJvmsAndAQuickOneSaysThatItHasFewer() {
        Row row = Row.of(Row.COMPARE, "r", "events/s", "a row").build();
        assertThat(Driver.roundsAJvm(row, 30, 10)).isEqualTo(3);
        assertThat(Driver.roundsAJvm(row, 12, 3)).isEqualTo(4);
        assertThat(Driver.roundsAJvm(row, 5, 10)).isEqualTo(1);
        assertThat(Driver.roundsAJvm(row, 1_000, 10)).as("as the row asks").isEqualTo(10);
        assertThat(Comparison.jvms(30, 10)).isEqualTo("10 JVMs a contestant at least, one after the other");
        assertThat(Comparison.jvms(12, 3))
                .startsWith("3 JVMs")
                .endsWith("too few to know how far the figures are sure");
    }

    @Test
    void theTableOfSamplesNamesTheJvmOfEach() {
        Measurement measurement = new Measurement(new Band(40, 60));
        measurement.add(new Measurement.Sample(7, 2, "a", 1.25, 50, 51, ""));
        SampleTable table = new SampleTable();
        table.add("OpenJDK 17, x", Row.of(Row.COMPARE, "r", "events/s", "a row").build(), measurement);
        assertThat(table).hasToString("""
                        jdk,row,jvm,round,contestant,value,p90,p99,hop_before,hop_after,last_of_burst,fast_phases
                        OpenJDK 17  x,r,2,7,a,1.3,,,50.0,51.0,,
                        """);
        var histogram = Times.histogram();
        for (int i = 1; i <= 100; i++) {
            Times.record(histogram, i);
        }
        measurement.add(
                new Measurement.Sample(8, 2, "a", 50, 50, 51, Figure.LAST_OF_BURST.beside(Times.write(histogram), 75)));
        SampleTable times = new SampleTable();
        times.add("17", Row.of(Row.COMPARE, "t", "ns", "a row").build(), measurement);
        assertThat(times.toString()).endsWith("17,t,2,8,a,50.0,90,99,50.0,51.0,75.0,\n");
    }

    /** Of ten samples of the peer the upper decile lies between the ninth and the tenth. */
    @Test
    void aFigureToThePeersUpperDecileIsOfAllItsSamples() {
        Measurement measurement = new Measurement(new Band(40, 60));
        for (int round = 0; round < 11; round++) {
            measurement.add(new Measurement.Sample(round, round / 6, "a", 200, 50, 50, ""));
            measurement.add(new Measurement.Sample(round, round / 6, "b", 10 * round, 50, 50, ""));
        }
        measurement.add(new Measurement.Sample(11, 1, "a", 9_000, 50, 50, ""));
        measurement.add(new Measurement.Sample(11, 1, "b", 9_000, 50, 200, ""));
        Interval ratio = measurement.ratio(Figure.UPPER_DECILE, "a", "b");
        assertThat(ratio.median()).isCloseTo(200.0 / 90, org.assertj.core.api.Assertions.within(1e-9));
        assertThat(ratio.rounds()).isEqualTo(11);
        assertThat(ratio.jvms()).isEqualTo(2);
    }
}
