package io.sluice.perf.report;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The results of one contestant of a row.
 *
 * @param id as {@code --peers} names it
 * @param label for people
 * @param role what it is in its row
 * @param ratio its figure to the reference's, paired within rounds
 * @param nearMedian the median of its own figures while the cores were near, in the row's unit; 0 if they never were
 * @param hopNanos the median of the probes beside its samples: how long a cache line took one way, in nanoseconds
 * @param modes how many of its samples fell into which mode of the machine, such as {@code near} and {@code far}
 * @param own how its own figures spread while the cores were near
 * @param further figures beyond the row's own
 */
public record ContestantResult(
        String id,
        String label,
        Role role,
        Spread ratio,
        double nearMedian,
        double hopNanos,
        Map<String, Integer> modes,
        Own own,
        List<Further> further) {
    /** Copies the modes, in their order, and the further figures. */
    public ContestantResult {
        modes = Collections.unmodifiableMap(new LinkedHashMap<>(modes));
        further = List.copyOf(further);
    }

    /**
     * One without a spread and without further figures.
     *
     * @param id as {@code --peers} names it
     * @param label for people
     * @param role what it is in its row
     * @param ratio its figure to the reference's
     * @param nearMedian the median of its own figures
     * @param hopNanos the median of the probes beside its samples
     * @param modes how many of its samples fell into which mode of the machine
     */
    public ContestantResult(
            String id,
            String label,
            Role role,
            Spread ratio,
            double nearMedian,
            double hopNanos,
            Map<String, Integer> modes) {
        this(id, label, role, ratio, nearMedian, hopNanos, modes, Own.NONE, List.of());
    }

    /**
     * Whether it has a figure that counts.
     *
     * @return false if no sample had near cores
     */
    public boolean hasFigure() {
        return ratio.rounds() > 0 || nearMedian > 0;
    }
}
