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
@Name("io.sluice.Join")
@Label("Join")
@Category({"Sluice", "Consumers"})
@Description("A consumer began")
@StackTrace(false)
final class JoinEvent extends Event {
    private static final JoinEvent ANY = new JoinEvent();

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
        JoinEvent event = new JoinEvent();
        event.ring = ring;
        event.consumer = consumer;
        event.sequence = sequence;
        event.commit();
    }
}
