package io.sluice.backpressure.nak;

/*
 * Notices that one receiver has governed the rate for long, and asks the handler what is to become of it. Another receiver that
 * governs the rate starts the time anew, and so does a receiver that has not been heard of for 64 epochs. Owned by the controller's
 * thread.
 */
final class SlowReceiverTracker {
    private static final int MEMORY_EPOCHS = 64;

    private final SlowReceiverHandler handler;
    private final long afterNanos;
    private final SenderTimeline timeline;

    private boolean tracking;
    private long receiver;
    private long since;
    private long heardAt;
    private double serviceRate;

    SlowReceiverTracker(SlowReceiverHandler handler, long afterNanos, SenderTimeline timeline) {
        this.handler = handler;
        this.afterNanos = afterNanos;
        this.timeline = timeline;
    }

    /** A receiver governs the rate now. */
    void governedBy(long governor, double governorServiceRate) {
        long now = timeline.time();
        if (!tracking || receiver != governor || now - heardAt > MEMORY_EPOCHS * timeline.epochNanos()) {
            tracking = true;
            receiver = governor;
            since = now;
        }
        heardAt = now;
        serviceRate = governorServiceRate;
    }

    void forget(long left) {
        tracking = tracking && receiver != left;
    }

    /** Calls the handler if it is time. Returns whether {@link #receiver} is to be left behind. */
    boolean mustLeaveBehind() {
        if (!tracking || heardAt - since < afterNanos) {
            return false;
        }
        tracking = false;
        return handler.onSlowReceiver(receiver, serviceRate, heardAt - since)
                == SlowReceiverHandler.Decision.LEAVE_BEHIND;
    }

    long receiver() {
        return receiver;
    }
}
