package io.sluice.perf.report;

/**
 * A figure of a contestant beyond the row's own.
 *
 * @param name what it is
 * @param unit in what, such as {@code ns}
 * @param median the median of its samples with near cores
 */
public record Further(String name, String unit, double median) {}
