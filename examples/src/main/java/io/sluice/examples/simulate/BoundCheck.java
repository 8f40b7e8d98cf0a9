package io.sluice.examples.simulate;

import java.util.Locale;

/**
 * A figure of a run and what it must be.
 *
 * @param name what it is
 * @param value the figure
 * @param relation {@code <=}, {@code >=}, {@code <} or {@code >}
 * @param bound what it is compared with
 */
record BoundCheck(String name, double value, String relation, double bound) {
    /**
     * Whether it holds.
     *
     * @return whether the value is on the right side of the bound
     */
    public boolean holds() {
        return switch (relation) {
            case "<=" -> value <= bound;
            case ">=" -> value >= bound;
            case "<" -> value < bound;
            case ">" -> value > bound;
            default -> throw new IllegalStateException("relation is " + relation);
        };
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "%s %.4g %s %.4g%s", name, value, relation, bound, holds() ? "" : "  DOES NOT HOLD");
    }
}
