package io.sluice.ringbuffer;

import io.sluice.core.FailurePolicy.Action;

/**
 * The ring's JFR events, all on slow paths. While nobody records, or in a JVM without JFR, a call costs a look at a flag and
 * allocates nothing. No call throws: where there is no memory for an event, the event is lost, and nothing else.
 */
final class RingJfr {
    /** A JVM may come without JFR; then none of the event classes is loaded. */
    private static final boolean PRESENT =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private RingJfr() {}

    /** A producer waited for room. */
    static void stall(ObjectRing<?> ring, long waitedNanos) {
        try {
            if (PRESENT && StallEvent.isRecorded()) {
                StallEvent.record(ring.name, ring.consumers.slowest(), waitedNanos);
            }
        } catch (Throwable t) {
            // lost
        }
    }

    /** Events were dropped, since they did not fit. */
    static void dropped(ObjectRing<?> ring, long events) {
        try {
            if (PRESENT && DropEvent.isRecorded()) {
                DropEvent.record(ring.name, ring.consumers.slowest(), events);
            }
        } catch (Throwable t) {
            // lost
        }
    }

    /** A consumer dropped events, since a publisher asked for room. */
    static void shed(ObjectRing<?> ring, ConsumerNode<?> node, long events) {
        try {
            if (PRESENT && events > 0 && DropEvent.isRecorded()) {
                DropEvent.record(ring.name, node.name(), events);
            }
        } catch (Throwable t) {
            // lost
        }
    }

    /** A handler threw. */
    static void failed(
            ObjectRing<?> ring, ConsumerNode<?> node, Throwable cause, long sequence, int attempt, Action action) {
        try {
            if (PRESENT && HandlerFailureEvent.isRecorded()) {
                HandlerFailureEvent.record(ring.name, node.name(), cause, sequence, attempt, action);
            }
        } catch (Throwable t) {
            // lost
        }
    }

    /** A claim was aborted in its owner's stead. */
    static void claimAborted(ObjectRing<?> ring, String owner, long lowest, long events) {
        try {
            if (PRESENT && ClaimAbortedEvent.isRecorded()) {
                ClaimAbortedEvent.record(ring.name, owner, lowest, events);
            }
        } catch (Throwable t) {
            // lost
        }
    }

    /** A consumer begins. */
    static void joined(ObjectRing<?> ring, ConsumerNode<?> node) {
        try {
            if (PRESENT && JoinEvent.isRecorded()) {
                JoinEvent.record(ring.name, node.name(), node.sequence.getAcquire()); // acquire: as for any monitor
            }
        } catch (Throwable t) {
            // lost
        }
    }

    /** A consumer has ended. */
    static void left(ObjectRing<?> ring, ConsumerNode<?> node) {
        try {
            if (PRESENT && LeaveEvent.isRecorded()) {
                LeaveEvent.record(ring.name, node.name(), node.sequence.getAcquire()); // acquire: as for any monitor
            }
        } catch (Throwable t) {
            // lost
        }
    }
}
