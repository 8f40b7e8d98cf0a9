package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A consumer that is to leave is closed before its next call, while another one leaves. Its closing takes it out. If the other thread
 * holds the lock of the graph, that thread finds it closed, and takes it out. If neither did, it would hold the producers up for ever:
 * nobody calls it any more. Results: whether it was out when its closing was over, and when the other one had left.
 */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "closed after the other had left")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "closed before the other had left")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "its closing found the lock taken, and whoever had it took it out")
@Outcome(expect = FORBIDDEN, desc = "closed, and nobody takes it out")
@Proof(
        claim = "a consumer that is closed while another leaves leaves too",
        overlap = {"0, 1"},
        twins = {"closed-fence"})
@State
public class OnCloseAgainstLeaveTest {
    private static final int CONSUMERS = 2;

    private final Pipeline<Event> pipeline;
    private final EventPoller<Event> other;
    private final Closing handler = new Closing();
    private final EventProcessor processor;
    private final ConsumerHandle consumer;

    /** Asks to be taken out at its first event, and takes its time with its shutdown until the graph is seen to change. */
    private final class Closing implements EventHandler<Event> {
        @Override
        public void onEvent(Event event, long sequence, boolean endOfBatch) {
            pipeline.consumer(this).remove(0); // once the batch is over
        }

        @Override
        public void onShutdown() {
            for (int i = 0; i < RingFixtures.ATTEMPTS && pipeline.consumers().size() == CONSUMERS; i++) {
                Thread.onSpinWait();
            }
        }
    }

    /** A consumer that is to leave, and another one. */
    public OnCloseAgainstLeaveTest() {
        RingBuffer<Event> ring = RingFixtures.single(4); // batches of one
        pipeline = Pipeline.on(ring);
        other = pipeline.poller("other");
        pipeline.handleEventsWith(handler);
        processor = pipeline.startProcessors().get(0);
        consumer = pipeline.consumer(handler);
        RingFixtures.publish(ring.producer());
        processor.doWork();
    }

    private int isOut() {
        return pipeline.consumers().contains(consumer) ? 0 : 1;
    }

    /**
     * Closes the consumer.
     *
     * @param r whether it is out
     */
    @Actor
    public void closer(II_Result r) {
        processor.onClose();
        r.r1 = isOut();
    }

    /**
     * Takes the other one out.
     *
     * @param r whether the consumer is out
     */
    @Actor
    public void leaver(II_Result r) {
        other.consumer().remove(0); // nobody has run it
        r.r2 = isOut();
    }
}
