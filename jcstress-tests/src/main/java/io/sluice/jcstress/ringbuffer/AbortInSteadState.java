package io.sluice.jcstress.ringbuffer;

import io.sluice.jcstress.Meeting;
import io.sluice.ringbuffer.AbandonedClaim;
import io.sluice.ringbuffer.ClaimAbortedException;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.StalledClaimDetector;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;

/** A ring that tracks claims, an owner that publishes its claim, and another that aborts it at the same time. */
abstract class AbortInSteadState {
    private final RingBuffer<Event> ring;
    private final Producer<Event> producer;
    private final EventPoller<Event> poller;
    private final Meeting meeting = new Meeting();
    private long sum;

    AbortInSteadState(RingBuffer<Event> ring) {
        this.ring = ring;
        poller = Pipeline.on(ring).poller("poller");
        producer = ring.producer();
    }

    private void handle(Event event, long sequence, boolean endOfBatch) {
        sum += event.version();
    }

    /** Claims, and once the other has seen it, fills and publishes: 1 if it did, -1 if it was told that it lost. */
    final int publish() {
        long sequence = producer.tryNext(1);
        meeting.one();
        try {
            producer.get(sequence).fill(1);
            producer.publish(sequence, sequence);
            return 1;
        } catch (ClaimAbortedException e) {
            return -1;
        }
    }

    /** Looks for the claim, and aborts it; how many sequences it aborted. */
    final long abort() {
        StalledClaimDetector watch = StalledClaimDetector.of(ring);
        AbandonedClaim claim = null;
        for (int i = 0; i < Stand.ATTEMPTS && (claim == null || !claim.isOwnerKnown()); i++) {
            claim = watch.look(0);
        }
        meeting.other();
        return claim != null && claim.isOwnerKnown() ? claim.abort() : 0;
    }

    /** Polls the rest; the sum of the versions, -9 if the event of an owner that lost is in the slot. */
    final long delivered(boolean ownerLost) {
        while (Stand.poll(poller, this::handle, 4) > 0) {
            // the handler sums up
        }
        return ownerLost && ring.get(0).version() != 0 ? -9 : sum;
    }
}
