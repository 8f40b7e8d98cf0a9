package io.sluice.perf.report.svg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ChartsTest {
    @Test
    void eachNineTakesTheSameRoom() {
        Axis.Range range = Axis.percentiles().range(0, 99.99);
        assertThat(range.place(0)).isZero();
        assertThat(range.place(90)).isCloseTo(0.25, within(1e-9));
        assertThat(range.place(99)).isCloseTo(0.5, within(1e-9));
        assertThat(range.place(99.9)).isCloseTo(0.75, within(1e-9));
        assertThat(range.place(99.99)).isCloseTo(1, within(1e-9));
        assertThat(range.ticks())
                .extracting(Axis.Tick::label)
                .containsExactly("0 %", "50 %", "90 %", "99 %", "99.9 %", "99.99 %");
    }

    @Test
    void eachDecadeTakesTheSameRoom() {
        Axis.Range range = Axis.log("latency", "ns").inNanos().range(100, 1_000_000);
        assertThat(range.place(100)).isZero();
        assertThat(range.place(1000)).isCloseTo(0.25, within(1e-9));
        assertThat(range.place(1_000_000)).isCloseTo(1, within(1e-9));
        assertThat(range.ticks())
                .extracting(Axis.Tick::label)
                .containsExactly("100 ns", "1 \u00b5s", "10 \u00b5s", "100 \u00b5s", "1 ms");
        assertThatThrownBy(() -> Axis.log("latency", "ns").range(0, 1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("above 0");
    }

    @Test
    void aLinearAxisBeginsAtZeroAndEndsBehindTheGreatestValue() {
        SplittableRandom random = new SplittableRandom(7);
        for (int i = 0; i < 1000; i++) {
            double most = Math.pow(10, random.nextDouble(-6, 12));
            Axis.Range range = Axis.linear("x", "y").range(most / 3, most);
            assertThat(range.low()).isZero();
            assertThat(range.high()).as("for %s", most).isBetween(most * (1 - 1e-9), most * 1.6);
            assertThat(range.ticks()).as("for %s", most).hasSizeBetween(4, 8);
        }
        assertThat(Axis.linear("x", "y").range(-3, 5).low()).isLessThanOrEqualTo(-3);
        assertThat(Axis.linear("x", "y").range(0, 0).high()).isPositive();
    }

    @Test
    void numbersAreShort() {
        assertThat(Labels.number(150_000_000)).isEqualTo("150M");
        assertThat(Labels.number(999.6)).isEqualTo("1k");
        assertThat(Labels.number(0)).isEqualTo("0");
        assertThat(Labels.number(0.05)).isEqualTo("0.05");
        assertThat(Labels.number(1.5)).isEqualTo("1.5");
        assertThat(Labels.number(100)).isEqualTo("100");
        assertThat(Labels.nanos(130)).isEqualTo("130 ns");
        assertThat(Labels.nanos(74_000)).isEqualTo("74 \u00b5s");
        assertThat(Labels.nanos(1.5e9)).isEqualTo("1.5 s");
    }

    @Test
    void badInputIsRefused() {
        Axis axis = Axis.linear("time", "s");
        assertThatThrownBy(() -> new Axis("time", " ", Axis.Kind.LINEAR, Labels::number))
                .hasMessageContaining("unit");
        LineChart chart = new LineChart("empty", axis, axis);
        assertThatThrownBy(() -> chart.svg(300)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> chart.add("a", new double[1], new double[2])).hasMessageContaining("1 and 2");
        assertThatThrownBy(() -> chart.add("a", new double[0], new double[0])).hasMessageContaining("one at least");
        assertThatThrownBy(() -> chart.add("a", new double[1], new double[1]).svg(279))
                .hasMessageContaining("279");
        BarChart bars = new BarChart("empty", "rate", "ratio", "LMAX");
        assertThatThrownBy(() -> bars.svg(300)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> bars.add("a", 2, 1, 3, false, 0, 0)).hasMessageContaining("ascending");
        assertThatThrownBy(() -> bars.add("a", 0, 1, 3, false, 0, 0)).hasMessageContaining("above 0");
        assertThatThrownBy(() -> new GraphDrawing("empty").svg(300)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Svg.number(Double.NaN)).hasMessageContaining("finite");
    }

    @Test
    void moreCurvesThanColoursAreDashed() {
        LineChart chart = new LineChart("many", Axis.linear("time", "s"), Axis.linear("fill", "events"));
        for (int i = 0; i <= Style.COLOURS; i++) {
            chart.add("curve " + i, new double[] {0, 1}, new double[] {i, i + 1});
        }
        String svg = chart.svg(328);
        assertThat(svg).contains("\"curve mark s7\"", "\"curve mark s0 again\"");
        assertThat(Style.css()).contains(".plot .s7", ".again");
    }

    @Test
    void aBandLiesBehindTheCurvesAndInTheLegend() {
        LineChart chart = new LineChart("band", Axis.linear("load", "events/s"), Axis.log("time", "ns"));
        chart.add("curve", new double[] {0, 1}, new double[] {200, 400});
        double alone = beginOfCurve(chart);
        chart.behind("hiccups", new double[] {0, 1}, new double[] {20, 20}, new double[] {90, 200});
        String svg = chart.svg(328);
        assertThat(svg).contains("<title>hiccups</title>", ">hiccups</text>");
        assertThat(svg.indexOf("class=\"band\"")).isBetween(0, svg.indexOf("class=\"curve mark s0\""));
        assertThat(svg).containsPattern("class=\"band\" d=\"M[^M]*L[^M]*L[^M]*L[^M]*Z\"");
        assertThat(beginOfCurve(chart))
                .as("the axis reaches down to the band, so the curve is higher")
                .isLessThan(alone);
        assertThatThrownBy(() -> chart.behind("b", new double[2], new double[2], new double[1]))
                .hasMessageContaining("2, 2 and 1");
        assertThatThrownBy(() -> chart.behind("b", new double[1], new double[1], new double[1]))
                .hasMessageContaining("two at least");
    }

    private static double beginOfCurve(LineChart chart) {
        return Double.parseDouble(chart.svg(328).replaceFirst("(?s).*?mark s0\" d=\"M[-0-9.]+ ([-0-9.]+).*", "$1"));
    }

    @Test
    void aGraphThatIsTooWideGoesDownAndOneWithACircleHasABow() {
        GraphDrawing graph = new GraphDrawing("long");
        List<String> names = List.of("the first of all", "the second of all", "the third of all", "the fourth");
        for (int i = 1; i < names.size(); i++) {
            graph.add(names.get(i - 1), names.get(i));
        }
        assertThat(width(graph.svg(280))).isLessThanOrEqualTo(280);
        assertThat(width(graph.svg(840))).isBetween(281.0, 840.0);
        String circle = new GraphDrawing("circle").add("a", "b").add("b", "a").svg(280);
        assertThat(circle.split("arrow mark", -1)).hasSize(3);
    }

    private static double width(String svg) {
        return Double.parseDouble(svg.replaceFirst("(?s).*?width=\"([^\"]*)\".*", "$1"));
    }

    @Test
    void aStripHasADashForEachSample() {
        String svg = new StripChart("samples", "rate", "events/s")
                .add("ours", new double[] {1e8, 2e8, 3e8}, true)
                .add("theirs", new double[] {9e7}, false)
                .svg(600);
        assertThat(svg.split("v12", -1)).as("three dashes and one").hasSize(5);
        assertThat(svg).contains("ours", "theirs");
        assertThatThrownBy(() -> new StripChart("samples", "rate", "events/s").add("none", new double[0], false))
                .hasMessage("values of 'none' must be one at least, but there is none");
        assertThatThrownBy(() -> new StripChart("samples", "rate", "events/s").add("odd", new double[] {0}, false))
                .hasMessage("values of 'odd' must be finite numbers above 0, but one was 0.0");
    }
}
