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
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A consumer that is to leave, and a change of the graph.
 *
 * <p>The consumer is closed before its next call, while another thread changes the graph. Either its closing takes it out, or, where
 * the lock of the graph is taken, the one who holds that finds it closed. If neither did, it would hold the producers up for
 * ever: nobody calls it any more. Results: whether it was out when its closing was over, and when the change was.
 */
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "closed behind the change")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "closed before the end of the change")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "its closing found the lock taken, and whoever had it took it out")
@Outcome(expect = FORBIDDEN, desc = "closed, and nobody takes it out")
public abstract class OnCloseAgainstChangeTest {
    private static final int CONSUMERS = 2;

    final Pipeline<Event> pipeline;
    final EventPoller<Event> other;
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

    OnCloseAgainstChangeTest() {
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

    /** Changes the graph. */
    abstract void change();

    /**
     * Closes the consumer.
     *
     * @param r whether it is out
     */
    public void closer(II_Result r) {
        processor.onClose();
        r.r1 = isOut();
    }

    /**
     * Changes the graph.
     *
     * @param r whether the consumer is out
     */
    public void changer(II_Result r) {
        change();
        r.r2 = isOut();
    }

    /** Another consumer leaves. */
    @JCStressTest
    @JCStressMeta(OnCloseAgainstChangeTest.class)
    @Proof(
            claim = "a consumer that is closed while another leaves leaves too",
            overlap = {"0, 1"},
            twins = {"closed-fence"})
    @State
    public static class Leave extends OnCloseAgainstChangeTest {
        /** A consumer that is to leave. */
        public Leave() {}

        @Override
        void change() {
            other.consumer().remove(0); // nobody has run it
        }

        @Override
        @Actor
        public void closer(II_Result r) {
            super.closer(r);
        }

        @Override
        @Actor
        public void changer(II_Result r) {
            super.changer(r);
        }
    }
}
