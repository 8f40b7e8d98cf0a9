package io.sluice.jcstress.ringbuffer;

import io.sluice.jcstress.Meeting;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;

/**
 * Four events go round a ring so small that every slot is used again. The consumer takes its time over each event, so that a
 * producer that must not write to its slot yet would.
 */
abstract class WrapState {
    private static final int EVENTS = 4;

    /** For how many spins an event is looked at: longer than a producer takes for the next. */
    private static final int SPINS = 20;

    private final Meeting meeting = new Meeting();
    private final Producer<Event> producer;
    private final EventPoller<Event> poller;
    private final Checker checker = new Checker();
    private long published;

    WrapState(RingBuffer<Event> ring) {
        poller = Pipeline.on(ring).poller("poller");
        producer = ring.producer();
    }

    private void handle(Event event, long sequence, boolean endOfBatch) {
        checker.onEvent(event, sequence, endOfBatch);
        for (int i = 0; i < SPINS; i++) {
            Thread.onSpinWait();
        }
        checker.onceMore(event);
    }

    /** Publishes events as long as room comes soon. */
    final void publishAll() {
        meeting.one();
        for (int i = 0; i < EVENTS; i++) {
            if (Stand.publishSoon(producer) < 0) {
                return;
            }
            published++;
        }
    }

    /** Handles events as long as they come soon; how many. */
    final long handleSoon() {
        meeting.other();
        for (int i = 0; i < EVENTS && checker.handled() < EVENTS; i++) {
            if (Stand.pollSoon(poller, this::handle, EVENTS) == 0) {
                break;
            }
        }
        return checker.handled();
    }

    /** Handles the rest; how many are missing. */
    final long missing() {
        while (Stand.poll(poller, this::handle, EVENTS) > 0) {
            // the handler counts
        }
        return published - checker.handled();
    }
}
