package io.sluice.ringbuffer;

import java.util.ServiceLoader;

/**
 * Told of each ring that is built, in a JVM with the system property {@value #WATCHDOG}. So the watchdog sees rings that know nothing
 * of it. Found by {@link ServiceLoader}; programs need none of this.
 */
public interface RingListener {
    /** The system property that switches on a watchdog for each ring. */
    String WATCHDOG = "io.sluice.watchdog";

    /**
     * A ring has been built. Called by the thread that builds it; must not throw.
     *
     * @param ring the new ring
     */
    void built(Ring ring);
}
