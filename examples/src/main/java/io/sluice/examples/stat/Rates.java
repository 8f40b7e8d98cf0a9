package io.sluice.examples.stat;

import io.sluice.ringbuffer.counters.RingCounter;
import org.jspecify.annotations.Nullable;

/** Events a second between two looks at one file, by the times at which the writer wrote the figures. */
final class Rates {
    /** A rate that is not known, since there was one look only, or the part was not there at both. */
    static final double UNKNOWN = Double.NaN;

    /** No rate is known. */
    static final Rates NONE = new Rates(null, null);

    private final @Nullable Figures before;
    private final @Nullable Figures after;

    private Rates(@Nullable Figures before, @Nullable Figures after) {
        this.before = before;
        this.after = after;
    }

    /** The rates between two looks, the second at newer figures than the first. */
    static Rates between(Figures before, Figures after) {
        return new Rates(before, after);
    }

    /** Events published in a ring, a second. */
    double published(int ring) {
        return rate(ring, Figures.NO_CONSUMER, RingCounter.PUBLISHED);
    }

    /** Events handled by a consumer, a second. */
    double handled(int ring, int consumer) {
        return rate(ring, consumer, RingCounter.CONSUMER_HANDLED);
    }

    private double rate(int ring, int consumer, RingCounter counter) {
        if (before == null || after == null) {
            return UNKNOWN;
        }
        long millis = after.updatedMillis() - before.updatedMillis();
        Long from = before.value(ring, consumer, counter);
        Long to = after.value(ring, consumer, counter);
        return from == null || to == null || millis <= 0 ? UNKNOWN : (to - from) * 1e3 / millis;
    }
}
