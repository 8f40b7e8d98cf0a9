package io.sluice.batching;

/**
 * Bounds batches so that the sink's service time stays under a target. The service time of a batch is taken to be a cost a
 * call plus a cost a byte; both are estimated from the sends by least squares over recent ones (each older send counts 1/32
 * less), and the limit is the number of bytes that the estimate allows.
 *
 * <p>A message is never held back: one that alone is over the limit goes alone. A target below the cost of a call cannot be
 * met; batches are then as short as the lower bound says.
 *
 * <p>Serves one handler or batcher, on its thread. No allocation.
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
        if (targetNanos < 1) {
            throw new IllegalArgumentException("targetNanos is " + targetNanos + ", allowed is 1 or more");
        }
        if (minBytes < 1) {
            throw new IllegalArgumentException("minBytes is " + minBytes + ", allowed is 1 or more");
        }
        if (maxBytes < minBytes) {
            throw new IllegalArgumentException("maxBytes is " + maxBytes + ", allowed is " + minBytes + " or more");
        }
        this.targetNanos = targetNanos;
        this.minBytes = minBytes;
        this.maxBytes = maxBytes;
        limit = minBytes;
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
        // Batches of one size say nothing of a slope; relative to what rounding makes of such sums.
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
        double allowed;
        if (perByte > 0) {
            allowed = (targetNanos - perCall) / perByte;
        } else if (nanos <= targetNanos) {
            allowed = Math.max(limit, bytes) * 2.0; // no slope seen so far: try larger ones
        } else {
            allowed = limit / 2.0;
        }
        // At most doubled from what has been tried, so that one odd measurement does not let a long batch go.
        allowed = Math.min(allowed, Math.max(limit, bytes) * 2.0);
        limit = (int) Math.max(minBytes, Math.min(maxBytes, allowed));
    }
}
