package io.sluice.backpressure.rate;

import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;

/**
 * Limits a rate. Permits are earned at the rate that is set, and a bounded number of them is kept for bursts. An acquire is granted
 * when enough of them are there.
 *
 * <p>Guarantees, of both implementations:
 *
 * <ul>
 *   <li>In any interval of length {@code t} at a constant rate {@code r} at most {@code r * t + burst + 1} permits are granted,
 *       however long the limiter was idle before.
 *   <li>The rate is exact: rates are rounded to 1/64 permit a second when set, and whole-number arithmetic does the rest.
 *   <li>A change of rate keeps debt and stock. Going from unlimited to limited starts with an empty stock.
 *   <li>Unlimited (the initial state) reads no clock. No acquire allocates.
 *   <li>A clock that steps back by less than a second grants nothing until it has caught up; one that steps back by more
 *       starts a new count with an empty stock. A clock that wraps from the greatest {@code long} to the smallest is fine.
 * </ul>
 *
 * <p>The algorithm is the generic cell rate algorithm (ITU-T I.371, virtual scheduling), with the theoretical arrival time
 * kept in permits instead of nanoseconds.
 */
public interface RateLimiter {
    /** The lowest rate that can be set, permits a second: {@value}. */
    double MIN_RATE = 1.0 / 64;

    /** The highest rate that can be set, permits a second: {@value}. */
    double MAX_RATE = 100_000_000.0;

    /**
     * Creates a limiter for one acquiring thread, unlimited at first. It keeps half the burst in stock, and
     * acquires served from the stock read no clock; after an idle time it grants between half the burst and all of it.
     *
     * @param clock where the time comes from
     * @param burst permits that may be granted at once after an idle time, 1 to 16,777,216
     * @return the limiter
     * @throws IllegalArgumentException if {@code burst} is out of range
     */
    static RateLimiter singleWriter(NanoClock clock, int burst) {
        return new SingleWriterLimiter(clock, burst);
    }

    /**
     * Creates a limiter for any number of acquiring threads, unlimited at first. It keeps half the burst in stock for all
     * of them: a permit of it costs one atomic addition (several at once: one CAS) and no clock read. Beyond the stock an acquire
     * costs an atomic addition, a clock read and one CAS, without the CAS if it is refused. After an idle time it grants between
     * half the burst and all of it.
     *
     * @param clock where the time comes from
     * @param burst permits that may be granted at once after an idle time, 1 to 16,777,216
     * @return the limiter
     * @throws IllegalArgumentException if {@code burst} is out of range
     */
    static RateLimiter multiWriter(NanoClock clock, int burst) {
        return new MultiWriterLimiter(clock, burst);
    }

    /**
     * Takes permits if they are there. Called by: the acquiring thread (any thread, for a multi-writer limiter). Never
     * blocks, never allocates.
     *
     * @param n how many, 1 to {@link #maxAcquire()}
     * @return whether they were taken: all or none
     * @throws IllegalArgumentException if {@code n} is out of range
     */
    boolean tryAcquire(int n);

    /**
     * Tells how long it would take until {@code n} permits are there, taking none. Called by: the acquiring thread (any
     * thread, for a multi-writer limiter). One clock read, none if unlimited or paused.
     *
     * @param n how many, 1 to {@link #maxAcquire()}
     * @return nanoseconds; 0 if {@link #tryAcquire} would succeed now; {@link Long#MAX_VALUE} while paused
     * @throws IllegalArgumentException if {@code n} is out of range
     */
    long nanosUntil(int n);

    /**
     * Takes permits, idling until they are there. Called by: the acquiring thread. A waiter owns nothing, so giving up
     * costs nobody a permit.
     *
     * @param n how many, 1 to {@link #maxAcquire()}
     * @param timeoutNanos how long to wait at most; 0 for one try; {@link Long#MAX_VALUE} for as long as it takes
     * @param idle what to do between two tries
     * @return whether they were taken; false after the time, or when the thread is interrupted (its flag stays set)
     * @throws IllegalArgumentException if {@code n} is out of range, {@code timeoutNanos} negative, or {@code idle}
     *     one that has to be signalled
     */
    boolean acquire(int n, long timeoutNanos, IdleStrategy idle);

    /**
     * Sets the rate. Called by: any thread. A single-writer limiter applies it at the acquiring thread's next call.
     *
     * @param permitsPerSecond 1/64 to 100,000,000, rounded to 1/64
     * @throws IllegalArgumentException if it is out of range, NaN or infinite
     */
    void setRate(double permitsPerSecond);

    /** Grants nothing until another rate is set. Called by: any thread. */
    void pause();

    /** Grants everything, without reading a clock. Called by: any thread. */
    void setUnlimited();

    /**
     * The rate that was set last. Called by: any thread.
     *
     * @return permits a second; 0 while paused; positive infinity if unlimited
     */
    double rate();

    /**
     * The largest number of permits one acquire may ask for.
     *
     * @return half the burst, at least 1, rounded down for a single-writer limiter and up for a multi-writer one (more,
     *     if the burst is greater than 524,288)
     */
    int maxAcquire();
}
