package io.sluice.backpressure.rate;

import io.sluice.core.check.Check;

/*
 * The arithmetic that both limiters share. Permits are counted in units of 1/64, so a rate is a whole number of units a second
 * and the count allowed at a time is a whole-number division: nothing is rounded twice and no error builds up.
 *
 *   allowed(now) = base + floor((elapsed * rate + remainder) / 1e9)        elapsed = now - origin, in nanoseconds
 *
 * elapsed is split into whole seconds and the rest, so that no product passes 2^63: at most 1e9 * 100,000,000 * 64 = 6.4e18.
 * Counts wrap after 45 years at the highest rate and are compared by difference only.
 */
final class Permits {
    static final long SECOND = 1_000_000_000L;
    static final int UNIT_BITS = 6;
    static final long UNITS = 1L << UNIT_BITS;
    static final long UNLIMITED = Long.MAX_VALUE;
    static final long PAUSED = 0L;
    static final int MAX_BURST = 1 << 24;

    /** How far a clock may step back, in nanoseconds, before the limiter starts counting anew. */
    static final long BACKWARD_TOLERANCE = SECOND;

    private Permits() {}

    static long rateUnits(double permitsPerSecond) {
        if (!(permitsPerSecond >= RateLimiter.MIN_RATE && permitsPerSecond <= RateLimiter.MAX_RATE)) {
            throw new IllegalArgumentException(
                    "permitsPerSecond must be from 0.015625 to 100000000, but was " + permitsPerSecond);
        }
        return Math.round(permitsPerSecond * UNITS);
    }

    static double rateOf(long rateUnits) {
        return rateUnits == UNLIMITED ? Double.POSITIVE_INFINITY : (double) rateUnits / UNITS;
    }

    static int checkBurst(int burst) {
        Check.inRange(burst, 1, MAX_BURST, "burst");
        return burst;
    }

    static void checkPermits(int n, int max) {
        if (n != 1 && (n < 1 || n > max)) { // 1 is always allowed, and a caller's constant 1 then costs no look at max
            throw new IllegalArgumentException("n must be from 1 to " + max + ", but was " + n);
        }
    }

    /** Units earned in {@code elapsed >= 0} nanoseconds on top of a remainder below 1e9. */
    static long earned(long elapsed, long rateUnits, long remainder) {
        long seconds = elapsed / SECOND;
        long rest = elapsed - seconds * SECOND;
        return seconds * rateUnits + (rest * rateUnits + remainder) / SECOND;
    }

    /** What {@link #earned} left over, below 1e9: carried over a change of rate. */
    static long remainder(long elapsed, long rateUnits, long remainder) {
        return (elapsed % SECOND * rateUnits + remainder) % SECOND;
    }

    /** Nanoseconds, rounded up, until {@code units > 0} more are earned, {@code remainder} of the next being there. */
    static long nanosFor(long units, long rateUnits, long remainder) {
        long seconds = units / rateUnits;
        long rest = units - seconds * rateUnits; // below rateUnits, at most 6.4e9, so the product fits
        return seconds * SECOND + Math.floorDiv(rest * SECOND - remainder + rateUnits - 1, rateUnits);
    }
}
