package io.sluice.core;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/* The JFR event of SignalledIdle. Made only while somebody records it; FlightRecording says when this class may be touched. */
@Name("io.sluice.Park")
@Label("Park")
@Category({"Sluice", "Consumers"})
@Description("A runner's thread had nothing to do and was parked")
@StackTrace(false)
final class ParkEvent extends Event {
    private static final ParkEvent ANY = new ParkEvent();

    @Label("Exact")
    @Description("Whether wake-ups are never missed")
    boolean exact;

    @Label("Signalled")
    @Description("Whether it was woken, not ended by its limit")
    boolean signalled;

    /** An event that has begun, null if nobody records it. */
    static @Nullable ParkEvent begun() {
        if (!ANY.isEnabled()) {
            return null;
        }
        ParkEvent event = new ParkEvent();
        event.begin();
        return event;
    }

    void ended(boolean isExact, boolean wasSignalled) {
        exact = isExact;
        signalled = wasSignalled;
        commit();
    }
}
