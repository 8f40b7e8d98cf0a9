package io.sluice.core.check;

import jdk.jfr.FlightRecorder;

/*
 * The first use of an event class registers it with JFR, which takes a tenth of a second in a JVM that has not used JFR yet. So no
 * event class is touched before somebody has used JFR: the thread that would touch it is about to park, or has an event or a request
 * in hand.
 */

/** Whether Sluice's modules may touch their event classes of JFR. */
public final class FlightRecording {
    /** A JVM may come without JFR; then no event class is loaded. */
    private static final boolean PRESENT =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private FlightRecording() {}

    /**
     * Whether somebody has used JFR yet. Any thread. A look at a flag; nothing allocates.
     *
     * @return whether an event class may be touched
     */
    public static boolean isUsed() {
        return PRESENT && FlightRecorder.isInitialized();
    }
}
