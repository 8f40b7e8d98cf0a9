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
@Name("io.sluice.ClaimAborted")
@Label("Claim Aborted")
@Category({"Sluice", "Ring"})
@Description("An abandoned claim was aborted in its owner's stead")
@StackTrace(false)
final class ClaimAbortedEvent extends Event {
    private static final ClaimAbortedEvent ANY = new ClaimAbortedEvent();

    @Label("Ring")
    @Nullable
    String ring;

    @Label("Owner")
    @Description("The thread that had claimed")
    @Nullable
    String owner;

    @Label("Lowest sequence")
    long lowest;

    @Label("Events")
    long events;

    static boolean isRecorded() {
        return FlightRecorder.isInitialized() && ANY.isEnabled();
    }

    static void record(String ring, String owner, long lowest, long events) {
        ClaimAbortedEvent event = new ClaimAbortedEvent();
        event.ring = ring;
        event.owner = owner;
        event.lowest = lowest;
        event.events = events;
        event.commit();
    }
}
