package io.sluice.backpressure;

import org.agrona.concurrent.NanoClock;

/** A clock that the test turns. */
public final class VirtualClock implements NanoClock {
    /** What it shows. */
    public long now;

    /** How often it was read. */
    public long reads;

    /**
     * Creates a clock.
     *
     * @param now what it shows at first
     */
    public VirtualClock(long now) {
        this.now = now;
    }

    @Override
    public long nanoTime() {
        reads++;
        return now;
    }
}
