package io.sluice.perf.batching;

/**
 * A device that takes the same time for each send, however much goes with it. It spins, so that its time is exact; a real device would
 * leave that time to other threads. Used by one thread at a time.
 */
final class Device {
    private final long nanosEach;
    private long sends;

    Device(long nanosEach) {
        this.nanosEach = nanosEach;
    }

    /** Is busy for its time; returns the time at which it was done, a value of {@link System#nanoTime()}. */
    long send() {
        long end = System.nanoTime() + nanosEach;
        sends++;
        while (true) {
            long now = System.nanoTime();
            if (now - end >= 0) {
                return now;
            }
            Thread.onSpinWait();
        }
    }

    long sends() {
        return sends;
    }
}
