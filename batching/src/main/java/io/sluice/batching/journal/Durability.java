package io.sluice.batching.journal;

import java.time.Duration;
import java.util.Objects;

/**
 * When a journal calls {@code force}, the only thing that survives a loss of power. Whatever is chosen, a segment is forced
 * when it is full, so that only the last segment of a journal can have a torn tail.
 */
public final class Durability {
    /** Never, but for full segments, {@link Journal#force()} and {@link Journal#close()}: the system writes when it likes. */
    public static final Durability NONE = new Durability(-1);

    /** At the end of each batch: one {@code force} makes all events of the batch durable (group commit). */
    public static final Durability EACH_BATCH = new Durability(0);

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
        Objects.requireNonNull(interval, "interval");
        if (interval.compareTo(Duration.ofMillis(1)) < 0 || interval.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("interval is " + interval + ", allowed are PT0.001S to PT1H");
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
