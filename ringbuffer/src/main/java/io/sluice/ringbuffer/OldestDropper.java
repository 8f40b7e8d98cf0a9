package io.sluice.ringbuffer;

import io.sluice.core.State;

/** Asks the consumers to drop the oldest events where a claim finds no room, and waits until they have. For the producer's thread. */
final class OldestDropper {
    private final AbstractProducer<?> producer;
    private final DropOldestRequest<?> request;
    private final long timeoutNanos;

    private OldestDropper(AbstractProducer<?> producer, DropOldestRequest<?> request, long timeoutNanos) {
        this.producer = producer;
        this.request = request;
        this.timeoutNanos = timeoutNanos;
    }

    /** Refuses a producer whose ring does not shed. */
    static OldestDropper of(AbstractProducer<?> producer, long timeoutNanos) {
        DropOldestRequest<?> request = producer.ring.dropOldest;
        if (request == null) {
            throw new IllegalArgumentException(
                    "producer must be of a ring built with shedding, but was of ring " + producer.ring.name);
        }
        return new OldestDropper(producer, request, timeoutNanos);
    }

    /**
     * Asks for room.
     *
     * @param since when the wait began, by System.nanoTime()
     * @param units for how many sequences side by side
     * @return 0 once there is room or the ring or the producer has ended, else the result of giving up
     */
    long makeRoom(long since, int units) {
        ObjectRing<?> ring = producer.ring;
        Messages messages = ring.messages;
        long began = System.nanoTime();
        try {
            for (boolean first = true; ; first = false) {
                long claimed = ring.highestClaimed();
                long last = messages == null ? claimed + units : messages.lastOf(claimed + 1, units);
                long oldest = last - ring.window;
                if (producer.isClosed() // by the idle strategy
                        || ring.gating.minimum(claimed) >= oldest // acquire inside
                        || ring.state() != State.RUNNING) {
                    return 0;
                }
                if (timeoutNanos > 0) {
                    producer.checkNotInVain(last, first); // before it asks first: nothing is dropped for nothing
                }
                request.ask(oldest);
                ring.wakeUps.settle();
                if (Thread.currentThread().isInterrupted()) {
                    return Producer.INTERRUPTED;
                }
                if (System.nanoTime() - since >= timeoutNanos) {
                    producer.counters().refused();
                    return Producer.TIMED_OUT;
                }
                if (first) {
                    producer.counters().stallBegins(last, began);
                }
                producer.idle.idle();
            }
        } finally {
            producer.stallEnded();
        }
    }
}
