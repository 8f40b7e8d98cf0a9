package io.sluice.jcstress.ringbuffer;

import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;

/** A full ring of two slots, whose producer looks slowly for room, and a consumer that joins. */
abstract class JoinAgainstClaimState {
    private final SlowGate slow = new SlowGate();
    private final Pipeline<Event> pipeline;
    private final Producer<Event> producer;
    private final EventPoller<Event> gate;
    private final Checker checker = new Checker();
    private long published;
    private EventPoller<Event> late;

    JoinAgainstClaimState(RingBuffer<Event> ring) {
        ring.addGating(slow);
        pipeline = Pipeline.on(ring);
        gate = pipeline.poller("gate");
        late = gate;
        pipeline.startProcessors();
        producer = Stand.producerBehind(ring, 2);
        published = 2;
        slow.arm();
    }

    /** Publishes two more as soon as there is room. */
    final void publishTwo() {
        for (int i = 0; i < 2 && Stand.publishSoon(producer) >= 0; i++) {
            published++;
        }
    }

    /** Handles one event, joins another consumer behind it, and handles the next; the join point. */
    final int join() {
        Stand.poll(gate, checker, 1);
        late = Stand.joinAtOnce(pipeline.joinPoller("late"));
        Stand.poll(gate, checker, 1);
        slow.happened();
        return (int) late.consumer().joinedFrom();
    }

    /** Handles the rest; how many events are missing. */
    final int missing(int joinedFrom) {
        Checker lateChecker = Checker.from(joinedFrom);
        int work;
        do {
            work = Stand.poll(late, lateChecker, 1) + Stand.poll(gate, checker, 1);
        } while (work > 0);
        return (int) (2 * published - checker.handled() - lateChecker.handled());
    }

    /** 1 if the join came between the producer's two reads, else 0. */
    final int met() {
        return slow.met();
    }
}
