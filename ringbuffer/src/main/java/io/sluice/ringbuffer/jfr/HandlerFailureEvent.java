package io.sluice.ringbuffer.jfr;

import io.sluice.core.FailurePolicy.Action;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/* The JFR event. Made only while somebody records it; see RingEvents. */
@Name("io.sluice.HandlerFailure")
@Label("Handler failure")
@Category({"Sluice", "Consumers"})
@Description("A handler threw")
@StackTrace(false)
final class HandlerFailureEvent extends Event {
    private static final HandlerFailureEvent ANY = new HandlerFailureEvent();

    @Label("Ring")
    @Nullable
    String ring;

    @Label("Consumer")
    @Nullable
    String consumer;

    @Label("Sequence")
    @Description("The event's; where there is no event, the last one finished")
    long sequence;

    @Label("Attempt")
    int attempt;

    @Label("Action")
    @Nullable
    String action;

    @Label("Cause")
    @Description("The exception's class")
    @Nullable
    String cause;

    @Label("Message")
    @Nullable
    String message;

    @Label("Stack")
    @Description("The exception's stack trace, and those of its causes")
    @Nullable
    String stack;

    static boolean isRecorded() {
        return FlightRecorder.isInitialized() && ANY.isEnabled();
    }

    static void record(String ring, String consumer, Throwable cause, long sequence, int attempt, Action action) {
        HandlerFailureEvent event = new HandlerFailureEvent();
        event.ring = ring;
        event.consumer = consumer;
        event.sequence = sequence;
        event.attempt = attempt;
        event.action = action.name();
        event.cause = cause.getClass().getName();
        event.message = cause.getMessage();
        event.stack = Stacks.text(cause, "");
        event.commit();
    }
}
