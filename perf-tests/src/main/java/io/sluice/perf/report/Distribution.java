package io.sluice.perf.report;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * The spread of times: a curve of percentiles.
 *
 * @param name whose times, for people
 * @param unit such as {@code ns}
 * @param count of how many values
 * @param max the greatest value
 * @param points the curve, in the order of the percentiles
 */
public record Distribution(String name, String unit, long count, double max, List<Percentile> points) {
    private static final int TICKS_PER_HALF_DISTANCE = 4;

    /** Copies the points. */
    public Distribution {
        points = List.copyOf(points);
    }

    /**
     * The curve of a histogram, denser towards its end.
     *
     * @param name whose times, for people
     * @param unit of the histogram's values, such as {@code ns}
     * @param histogram the values
     * @return its curve; without points if the histogram is empty
     */
    public static Distribution of(String name, String unit, Histogram histogram) {
        List<Percentile> points = new ArrayList<>();
        if (histogram.getTotalCount() > 0) {
            for (HistogramIterationValue value : histogram.percentiles(TICKS_PER_HALF_DISTANCE)) {
                points.add(new Percentile(value.getPercentileLevelIteratedTo(), value.getValueIteratedTo()));
            }
        }
        return new Distribution(name, unit, histogram.getTotalCount(), histogram.getMaxValue(), points);
    }

    /**
     * The value at a percentile.
     *
     * @param percentile 0 to 100
     * @return the value of the first point at or behind it, 0 if there is no point
     */
    public double at(double percentile) {
        for (Percentile point : points) {
            if (point.percentile() >= percentile) {
                return point.value();
            }
        }
        return points.isEmpty() ? 0 : points.get(points.size() - 1).value();
    }
}
