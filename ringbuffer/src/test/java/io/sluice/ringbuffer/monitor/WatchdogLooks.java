package io.sluice.ringbuffer.monitor;

import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.RingBuffer;
import org.jspecify.annotations.Nullable;

/** Lets tests of other packages make a watchdog look, at a time of their own. */
public final class WatchdogLooks {
    private WatchdogLooks() {}

    /**
     * One look.
     *
     * @param watchdog a watchdog of the ring
     * @param ring the ring
     * @param now the time, in nanoseconds
     * @return what it tells, null for nothing
     */
    public static @Nullable String look(Watchdog watchdog, RingBuffer<?> ring, long now) {
        return watchdog.look(FollowedRing.of(ring), now);
    }
}
