package io.sluice.batching.journal;

import io.sluice.core.check.Check;
import java.time.Duration;

/**
 * When a journal calls {@code force}. Only what was forced survives a loss of power. With each choice a segment is forced
 * when it is full, so only the last segment of a journal can have a torn tail.
 */
public final class Durability {
    /** Never, but for full segments, {@link Journal#force()} and {@link Journal#close()}: the system writes when it likes. */
    public static final Durability NONE = new Durability(-1);

    /** At the end of each batch: one {@code force} makes all events of the batch durable (group commit). */
    public static final Durability EACH_BATCH = new Durability(0);

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofHours(1);

    private final long intervalNanos;

    private Durability(long intervalNanos) {
        this.intervalNanos = intervalNanos;
    }

    /**
     * At the end of a batch, if the last {@code force} is at least this long ago, and from {@link Journal#maintain()} when
     * nothing arrives. A loss of power costs what was appended in about one interval.
     *
     * @param interval the interval, from 1 ms to 1 h
     * @return the durability
     * @throws IllegalArgumentException if the interval is out of range
     */
    public static Durability every(Duration interval) {
        Check.notNull(interval, "interval");
        if (interval.compareTo(SHORTEST) < 0 || interval.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "interval must be from " + SHORTEST + " to " + LONGEST + ", but was " + interval);
        }
        return new Durability(interval.toNanos());
    }

    /** Negative for never, 0 for each batch. */
    long intervalNanos() {
        return intervalNanos;
    }

    @Override
    public String toString() {
        return intervalNanos < 0
                ? "none"
                : intervalNanos == 0 ? "each batch" : "every " + Duration.ofNanos(intervalNanos);
    }
}
