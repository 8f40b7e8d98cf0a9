package io.sluice.ringbuffer.jfr;

import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.check.FlightRecording;

/**
 * The ring's JFR events, all on slow paths. While nobody records, or in a JVM without JFR, a call costs a look at a flag and
 * allocates nothing. No call throws: where there is no memory for an event, the event is lost, and nothing else.
 */
public final class RingEvents {
    private RingEvents() {}

    /** Whether waits of producers are recorded. */
    public static boolean recordsStalls() {
        try {
            return FlightRecording.isUsed() && RingEvent.Stall.ANY.isEnabled();
        } catch (Throwable t) {
            return false; // no memory for the first call
        }
    }

    /** Whether drops are recorded. */
    public static boolean recordsDrops() {
        try {
            return FlightRecording.isUsed() && RingEvent.Drop.ANY.isEnabled();
        } catch (Throwable t) {
            return false; // as above
        }
    }

    /** A producer waited for room. Where {@link #recordsStalls}. */
    public static void stall(String ring, String slowest, long waitedNanos) {
        try {
            new RingEvent.Stall(ring, slowest, waitedNanos).commit();
        } catch (Throwable t) {
            // lost
        }
    }

    /** Events were dropped, by a consumer, or since they did not fit: then it is the slowest. Where {@link #recordsDrops}. */
    public static void dropped(String ring, String consumer, long events) {
        try {
            new RingEvent.Drop(ring, consumer, events).commit();
        } catch (Throwable t) {
            // lost
        }
    }

    /** A consumer dropped events, perhaps none, since a publisher asked for room. */
    public static void shed(String ring, String consumer, long events) {
        if (events > 0 && recordsDrops()) {
            dropped(ring, consumer, events);
        }
    }

    /** A handler threw. */
    public static void failed(
            String ring, String consumer, Throwable cause, long sequence, int attempt, Action action) {
        try {
            if (FlightRecording.isUsed() && RingEvent.HandlerFailure.ANY.isEnabled()) {
                new RingEvent.HandlerFailure(ring, consumer, cause, sequence, attempt, action).commit();
            }
        } catch (Throwable t) {
            // lost
        }
    }

    /** A claim was aborted on its owner's behalf. */
    public static void claimAborted(String ring, String owner, long lowest, long events) {
        try {
            if (FlightRecording.isUsed() && RingEvent.ClaimAborted.ANY.isEnabled()) {
                new RingEvent.ClaimAborted(ring, owner, lowest, events).commit();
            }
        } catch (Throwable t) {
            // lost
        }
    }

    /** A consumer begins, behind a sequence. */
    public static void joined(String ring, String consumer, long sequence) {
        try {
            if (FlightRecording.isUsed() && RingEvent.Join.ANY.isEnabled()) {
                new RingEvent.Join(ring, consumer, sequence).commit();
            }
        } catch (Throwable t) {
            // lost
        }
    }

    /** A consumer has ended, at a sequence. */
    public static void left(String ring, String consumer, long sequence) {
        try {
            if (FlightRecording.isUsed() && RingEvent.Leave.ANY.isEnabled()) {
                new RingEvent.Leave(ring, consumer, sequence).commit();
            }
        } catch (Throwable t) {
            // lost
        }
    }
}
