package io.sluice.core;

import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/*
 * The first use of an event class registers it with JFR, which takes a tenth of a second in a JVM that has not used JFR yet. So no
 * event class is touched before somebody has: the thread that is about to park has events to come.
 */

/** The JFR events of this package. While nobody records, or in a JVM without JFR, a call costs a look at a flag. */
final class CoreJfr {
    /** A JVM may come without JFR; then no event class is loaded. */
    private static final boolean PRESENT =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private CoreJfr() {}

    /** A park that has begun, null if nobody records it. */
    static @Nullable ParkEvent parkBegun() {
        return PRESENT && FlightRecorder.isInitialized() ? ParkEvent.begun() : null;
    }
}
