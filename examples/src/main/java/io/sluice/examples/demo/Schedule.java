package io.sluice.examples.demo;

import io.sluice.cli.Interruption;
import java.util.concurrent.locks.LockSupport;

/**
 * When each message is to be sent. Waits by spinning for the last 100 microseconds and by parking before, and never skips:
 * a late message is sent at once, and its latency counts from when it was due. Used by the feed's thread.
 */
final class Schedule {
    private static final long NANOS_A_SECOND = 1_000_000_000;
    private static final long SPIN_NANOS = 100_000;
    private static final long MAX_PARK_NANOS = 10_000_000;

    private final long rate;
    private final long startNanos;

    /**
     * Creates a schedule.
     *
     * @param rate messages a second, from 1 to {@link DemoOptions#MAX_RATE}; 0 for no schedule
     * @param startNanos when message 0 is due, a value of {@link System#nanoTime()}
     */
    Schedule(long rate, long startNanos) {
        this.rate = rate;
        this.startNanos = startNanos;
    }

    /** When a message is due, counted from 0; without a schedule, now. */
    long dueNanos(long message) {
        return rate == 0
                ? System.nanoTime()
                : startNanos + message / rate * NANOS_A_SECOND + message % rate * NANOS_A_SECOND / rate;
    }

    /**
     * Waits until the time has come, or somebody wants to stop.
     *
     * @return true if the time has come
     */
    boolean await(long dueNanos, Interruption interruption) {
        if (rate == 0) {
            return true;
        }
        long left;
        while ((left = dueNanos - System.nanoTime()) > 0) {
            if (interruption.requested()) {
                return false;
            }
            if (left > 2 * SPIN_NANOS) {
                LockSupport.parkNanos(Math.min(left - SPIN_NANOS, MAX_PARK_NANOS));
            } else {
                Thread.onSpinWait();
            }
        }
        return true;
    }
}
