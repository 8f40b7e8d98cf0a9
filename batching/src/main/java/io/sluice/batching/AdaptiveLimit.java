package io.sluice.batching;

import io.sluice.core.check.Check;
import java.time.Duration;

/**
 * Bounds batches so that the sink's service time stays under a target. It models the service time of a
 * batch as a cost per call plus a cost per byte. It estimates both from the recent sends by least squares; each send counts 1/32
 * less than the one after it. The limit is the number of bytes that meets the target by this estimate.
 *
 * <p>A message is never held back: one that alone is over the limit goes alone. A target below the cost of a call cannot be
 * met; batches are then as short as the lower bound says.
 *
 * <p>It serves one handler or batcher, on its thread, and allocates nothing.
 */
public final class AdaptiveLimit {
    private static final double DECAY = 31.0 / 32;

    private final double targetNanos;
    private final int minBytes;
    private final int maxBytes;
    private int limit;

    // Decayed sums for the regression of nanoseconds on bytes.
    private double weight;
    private double sumX;
    private double sumY;
    private double sumXx;
    private double sumXy;

    /**
     * Makes a limit; it starts at its lower bound, and grows with what it learns.
     *
     * @param targetNanos the longest service time wanted, in ns, 1 or more
     * @param minBytes the shortest limit, 1 or more
     * @param maxBytes the longest limit, at least {@code minBytes}
     * @throws IllegalArgumentException if a value is out of range
     */
    public AdaptiveLimit(long targetNanos, int minBytes, int maxBytes) {
        Check.inRange(targetNanos, 1, Long.MAX_VALUE, "targetNanos");
        Check.inRange(minBytes, 1, Integer.MAX_VALUE, "minBytes");
        Check.inRange(maxBytes, minBytes, Integer.MAX_VALUE, "maxBytes");
        this.targetNanos = targetNanos;
        this.minBytes = minBytes;
        this.maxBytes = maxBytes;
        limit = minBytes;
    }

    /**
     * As {@link #AdaptiveLimit(long, int, int)}.
     *
     * @param target the longest service time wanted, 1 ns or more
     * @param minBytes the shortest limit, 1 or more
     * @param maxBytes the longest limit, at least {@code minBytes}
     * @throws IllegalArgumentException as there
     */
    public AdaptiveLimit(Duration target, int minBytes, int maxBytes) {
        this(Check.nanos(target, "target"), minBytes, maxBytes);
    }

    /**
     * How long the next batch may be.
     *
     * @return the length in bytes
     */
    public int limit() {
        return limit;
    }

    /**
     * The estimated cost of a call.
     *
     * @return ns, 0 or more
     */
    public double nanosPerCall() {
        double perByte = nanosPerByte();
        return weight == 0 ? 0 : Math.max(0, (sumY - perByte * sumX) / weight);
    }

    /**
     * The estimated cost of a byte.
     *
     * @return ns, 0 or more
     */
    public double nanosPerByte() {
        double spread = sumXx * weight - sumX * sumX;
        // Batches of one size show no slope. The bound is relative, since such sums carry rounding errors.
        if (spread <= 1e-6 * sumXx * weight) {
            return 0;
        }
        return Math.max(0, (sumXy * weight - sumX * sumY) / spread);
    }

    void onService(int bytes, long nanos) {
        weight = weight * DECAY + 1;
        sumX = sumX * DECAY + bytes;
        sumY = sumY * DECAY + nanos;
        sumXx = sumXx * DECAY + (double) bytes * bytes;
        sumXy = sumXy * DECAY + (double) bytes * nanos;
        double perByte = nanosPerByte();
        double perCall = nanosPerCall();
        double wanted;
        if (perByte > 0) {
            wanted = (targetNanos - perCall) / perByte;
        } else if (nanos <= targetNanos) {
            wanted = Math.max(limit, bytes) * 2.0; // no slope seen so far: try larger ones
        } else {
            wanted = limit / 2.0;
        }
        // At most twice what has been tried: one odd measurement must not cause a very long batch.
        wanted = Math.min(wanted, Math.max(limit, bytes) * 2.0);
        limit = (int) Math.max(minBytes, Math.min(maxBytes, wanted));
    }
}
