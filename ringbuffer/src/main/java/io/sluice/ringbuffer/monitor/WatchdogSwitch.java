package io.sluice.ringbuffer.monitor;

import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingListener;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Sets a {@link Watchdog} on each ring of a JVM that has the system property {@code io.sluice.watchdog}. Programs need none of this. */
public final class WatchdogSwitch implements RingListener {
    private final @Nullable Duration after;

    /** Reads the property: a number of seconds, from 0.001 to 86400. One that is wrong is logged, and no ring is watched. */
    public WatchdogSwitch() {
        String seconds = System.getProperty(WATCHDOG, "");
        Duration parsed = null;
        try {
            parsed = Watchdog.checked(Duration.ofMillis(Math.round(Double.parseDouble(seconds) * 1_000)));
        } catch (IllegalArgumentException e) {
            Watchdog.LOG.log(
                    System.Logger.Level.WARNING,
                    "no ring is watched: " + WATCHDOG + " must be from 0.001 to 86400 seconds, but was '" + seconds
                            + "'");
        }
        after = parsed;
    }

    @Override
    public void built(Ring ring) {
        if (after != null && ring instanceof RingBuffer<?> watched) {
            try {
                Watchdog.on(watched).after(after).start();
            } catch (Throwable t) { // no thread is to be had: that is no reason to have no ring
                Watchdog.LOG.log(
                        System.Logger.Level.WARNING,
                        "ring " + ring.name() + " is not watched until the watchdog of another ring has begun",
                        t);
            }
        }
    }
}
