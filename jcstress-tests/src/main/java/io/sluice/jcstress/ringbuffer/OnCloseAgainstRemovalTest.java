package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Removal;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A consumer is closed while another thread removes it: its closing finds that it is to leave, or who removes it finds that it
 * has ended. If neither did, it would hold the producers up for ever. Results: whether it was out when its closing was over, and
 * whether its removal took it out.
 */
@JCStressTest
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "removed before its closing was over")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "closed, then removed")
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "asked to leave while it ran")
@Outcome(expect = FORBIDDEN, desc = "closed, and nobody takes it out")
@Proof(
        claim = "a consumer that is closed while it is removed is taken out",
        overlap = {"1, 0"},
        twins = {"closed-fence"})
@State
public class OnCloseAgainstRemovalTest {
    private final Pipeline<Event> pipeline = Pipeline.on(RingFixtures.single(4));
    private final EventProcessor processor;
    private final ConsumerHandle consumer;

    /** A consumer that nobody has run. */
    public OnCloseAgainstRemovalTest() {
        EventHandler<Event> handler = (event, sequence, endOfBatch) -> {};
        pipeline.handleEventsWith(handler);
        processor = pipeline.startProcessors().get(0);
        consumer = pipeline.consumer(handler);
    }

    /**
     * Runs it once, and closes it.
     *
     * @param r whether it is out
     */
    @Actor
    public void closer(II_Result r) {
        processor.doWork();
        processor.onClose();
        r.r1 = pipeline.consumers().contains(consumer) ? 0 : 1;
    }

    /**
     * Removes it.
     *
     * @param r whether it is out
     */
    @Actor
    public void remover(II_Result r) {
        r.r2 = consumer.remove(0) == Removal.LEFT ? 1 : 0;
    }
}
