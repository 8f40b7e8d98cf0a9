package io.sluice.core;

import org.jspecify.annotations.Nullable;

/** The JFR events of this package. While nobody records, or in a JVM without JFR, a call costs a look at a flag. */
final class CoreJfr {
    /** A JVM may come without JFR; then no event class is loaded. */
    private static final boolean PRESENT =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private CoreJfr() {}

    /** A park that has begun, null if nobody records it. */
    static @Nullable ParkEvent parkBegun() {
        return PRESENT ? ParkEvent.begun() : null;
    }
}
