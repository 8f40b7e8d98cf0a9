package io.sluice.backpressure.nak;

/*
 * When this sender had reached which position: the last 64 samples, at least a spacing apart, with straight lines between them.
 * Owned by the controller's thread. The loop delay and the sending rate come from it.
 */
final class SendHistory {
    private static final int SIZE = 64;
    private static final int MASK = SIZE - 1;

    private final long[] times = new long[SIZE];
    private final long[] positions = new long[SIZE];
    private int count;
    private int head = -1;

    /** Adds a sample, or moves the newest one while it is closer than the spacing to the one before. */
    void add(long time, long position, long spacing) {
        if (count >= 2 && time - times[(head - 1) & MASK] < spacing) {
            times[head] = time;
            positions[head] = position;
            return;
        }
        head = (head + 1) & MASK;
        times[head] = time;
        positions[head] = position;
        count = Math.min(SIZE, count + 1);
    }

    /** When a position was reached, or -1 if that is too long ago, in the future, or before the first sample. */
    long timeOf(long position) {
        if (count < 2 || position - positions[head] > 0) {
            return -1;
        }
        for (int i = 1; i < count; i++) {
            int older = (head - i) & MASK;
            int newer = (older + 1) & MASK;
            if (position - positions[older] >= 0 && positions[newer] - positions[older] > 0) {
                double part = (double) (position - positions[older]) / (positions[newer] - positions[older]);
                return times[older] + (long) (part * (times[newer] - times[older]));
            }
        }
        return -1;
    }

    /** Messages a second over about the last {@code nanos}, negative if there are not two samples. */
    double rate(long nanos) {
        if (count < 2) {
            return -1;
        }
        long since = times[head] - nanos;
        int i = 1;
        while (i < count - 1 && times[(head - i) & MASK] > since) {
            i++;
        }
        int older = (head - i) & MASK;
        long elapsed = times[head] - times[older];
        return elapsed <= 0 ? -1 : (positions[head] - positions[older]) * 1e9 / elapsed;
    }
}
