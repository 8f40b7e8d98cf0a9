package io.sluice.ringbuffer.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/* The JFR event. Made only while somebody records it; see RingEvents. */
@Name("io.sluice.Drop")
@Label("Drop")
@Category({"Sluice", "Ring"})
@Description("Events were dropped, since the ring was full: new ones by a publisher, or the oldest by a consumer")
@StackTrace(false)
final class DropEvent extends Event {
    private static final DropEvent ANY = new DropEvent();

    @Label("Ring")
    @Nullable
    String ring;

    @Label("Slowest consumer")
    @Description("Or the one that dropped them")
    @Nullable
    String slowest;

    @Label("Events")
    long events;

    static boolean isRecorded() {
        return FlightRecorder.isInitialized() && ANY.isEnabled();
    }

    static void record(String ring, String slowest, long events) {
        DropEvent event = new DropEvent();
        event.ring = ring;
        event.slowest = slowest;
        event.events = events;
        event.commit();
    }
}
