package io.sluice.backpressure;

import org.agrona.concurrent.NanoClock;

/** A clock that the test turns. */
final class VirtualClock implements NanoClock {
    long now;
    long reads;

    VirtualClock(long now) {
        this.now = now;
    }

    @Override
    public long nanoTime() {
        reads++;
        return now;
    }
}
