package io.sluice.perf.ordered;

/** What {@code ./sluice bench ordered} measures: the rows of this package. */
public final class OrderedSuite {
    /** The word after {@code bench}. */
    public static final String NAME = "ordered";

    private OrderedSuite() {}
}
