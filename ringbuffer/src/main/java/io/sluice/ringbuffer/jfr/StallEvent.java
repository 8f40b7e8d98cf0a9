package io.sluice.ringbuffer.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/* The JFR event. Made only while somebody records it; see RingEvents. */
@Name("io.sluice.Stall")
@Label("Stall")
@Category({"Sluice", "Producers"})
@Description("A producer waited for room")
@StackTrace(false)
final class StallEvent extends Event {
    private static final StallEvent ANY = new StallEvent();

    @Label("Ring")
    @Nullable
    String ring;

    @Label("Slowest consumer")
    @Nullable
    String slowest;

    @Label("Waited")
    @Timespan(Timespan.NANOSECONDS)
    long waited;

    static boolean isRecorded() {
        return FlightRecorder.isInitialized() && ANY.isEnabled();
    }

    static void record(String ring, String slowest, long waitedNanos) {
        StallEvent event = new StallEvent();
        event.ring = ring;
        event.slowest = slowest;
        event.waited = waitedNanos;
        event.commit();
    }
}
