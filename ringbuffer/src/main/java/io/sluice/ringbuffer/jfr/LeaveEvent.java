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
@Name("io.sluice.Leave")
@Label("Leave")
@Category({"Sluice", "Consumers"})
@Description("A consumer has ended")
@StackTrace(false)
final class LeaveEvent extends Event {
    private static final LeaveEvent ANY = new LeaveEvent();

    @Label("Ring")
    @Nullable
    String ring;

    @Label("Consumer")
    @Nullable
    String consumer;

    @Label("Sequence")
    @Description("The last one finished")
    long sequence;

    static boolean isRecorded() {
        return FlightRecorder.isInitialized() && ANY.isEnabled();
    }

    static void record(String ring, String consumer, long sequence) {
        LeaveEvent event = new LeaveEvent();
        event.ring = ring;
        event.consumer = consumer;
        event.sequence = sequence;
        event.commit();
    }
}
