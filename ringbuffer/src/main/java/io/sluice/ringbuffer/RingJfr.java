package io.sluice.ringbuffer;

import io.sluice.core.FailurePolicy.Action;

/**
 * The ring's JFR events, all on slow paths. While nobody records, or in a JVM without JFR, a call costs a look at a flag and
 * allocates nothing.
 */
final class RingJfr {
    /** A JVM may come without JFR; then none of the event classes is loaded. */
    private static final boolean PRESENT =
            ModuleLayer.boot().findModule("jdk.jfr").isPresent();

    private RingJfr() {}

    /** A producer waited for room. */
    static void stall(ObjectRing<?> ring, long waitedNanos) {
        if (PRESENT && StallEvent.isRecorded()) {
            StallEvent.record(ring.name, ring.consumers.slowest(), waitedNanos);
        }
    }

    /** Events were dropped, since they did not fit. */
    static void dropped(ObjectRing<?> ring, long events) {
        if (PRESENT && DropEvent.isRecorded()) {
            DropEvent.record(ring.name, ring.consumers.slowest(), events);
        }
    }

    /** A consumer dropped events, since a publisher asked for room. */
    static void shed(ObjectRing<?> ring, ConsumerNode<?> node, long events) {
        if (PRESENT && events > 0 && DropEvent.isRecorded()) {
            DropEvent.record(ring.name, node.name(), events);
        }
    }

    /** A handler threw. */
    static void failed(
            ObjectRing<?> ring, ConsumerNode<?> node, Throwable cause, long sequence, int attempt, Action action) {
        if (PRESENT && HandlerFailureEvent.isRecorded()) {
            HandlerFailureEvent.record(ring.name, node.name(), cause, sequence, attempt, action);
        }
    }

    /** A claim was aborted in its owner's stead. */
    static void claimAborted(ObjectRing<?> ring, String owner, long lowest, long events) {
        if (PRESENT && ClaimAbortedEvent.isRecorded()) {
            ClaimAbortedEvent.record(ring.name, owner, lowest, events);
        }
    }

    /** A consumer begins. */
    static void joined(ObjectRing<?> ring, ConsumerNode<?> node) {
        if (PRESENT && JoinEvent.isRecorded()) {
            JoinEvent.record(ring.name, node.name(), node.sequence.getAcquire()); // acquire: as for any monitor
        }
    }

    /** A consumer has ended. */
    static void left(ObjectRing<?> ring, ConsumerNode<?> node) {
        if (PRESENT && LeaveEvent.isRecorded()) {
            LeaveEvent.record(ring.name, node.name(), node.sequence.getAcquire()); // acquire: as for any monitor
        }
    }
}
