package io.sluice.perf.report;

/**
 * What a row had to reach, and what it did.
 *
 * @param contestant the id of whose figure is above the line
 * @param peer the id of whose is below it
 * @param must the bound of the median
 * @param stretch where it should be
 * @param atMost whether the bounds are upper ones
 * @param ratio what was measured
 * @param holds whether the bound was held
 */
public record TargetResult(
        String contestant, String peer, double must, double stretch, boolean atMost, Spread ratio, boolean holds) {}
