package io.sluice.perf.latency;

import io.sluice.core.check.Check;

/**
 * The times at which events are due: groups of some events each, all of a group at the same time, the groups evenly.
 *
 * @param perSecond events a second in the mean
 * @param group how many events are due together
 * @param timesAll whether the time of every event is taken, not only that of each group's first
 */
record Pace(long perSecond, int group, boolean timesAll) {
    Pace {
        Check.inRange(perSecond, 1, 1_000_000_000, "perSecond");
        Check.inRange(group, 1, 65_536, "group");
    }

    /** One event at a time, and the time of each is taken. */
    static Pace even(long perSecond) {
        return new Pace(perSecond, 1, true);
    }

    /** Faster than a clock can be read for each event: eight at a time, and the time of the first of them is taken. */
    static Pace eights(long perSecond) {
        return new Pace(perSecond, 8, false);
    }

    /** Events back to back, and the time of each is taken. */
    static Pace bursts(long perSecond, int size) {
        return new Pace(perSecond, size, true);
    }

    /** The time from one group to the next. */
    double nanos() {
        return 1e9 * group / perSecond;
    }

    boolean isBursts() {
        return timesAll && group > 1;
    }
}
