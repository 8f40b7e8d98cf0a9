package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The two consumers that a third one follows leave one after the other, while it takes its new upstream. If the second leave were taken
 * for the first one, it would wait for ever for one that has left. Results: how many events it handled meanwhile, and how many in the end.
 */
@JCStressTest
@Outcome(id = "0, 3", expect = ACCEPTABLE, desc = "it looked before they had handled an event")
@Outcome(id = "1, 3", expect = ACCEPTABLE, desc = "it looked between")
@Outcome(id = "2, 3", expect = ACCEPTABLE, desc = "it looked after both had left")
@Outcome(expect = FORBIDDEN, desc = "it waits for one that has left")
@Proof(
        claim = "a consumer whose upstream leaves while it is rewired is rewired again",
        overlap = {"1, 3"},
        twins = {"rewire-not-asked"})
@State
public class LeaveAgainstRewireTest {
    private static final int CYCLES = 6;

    private final Pipeline<Event> pipeline;
    private final Producer<Event> producer;
    private final Checker checker = new Checker();
    private final EventHandler<Event> first = (event, sequence, endOfBatch) -> {};
    private final EventHandler<Event> second = (event, sequence, endOfBatch) -> {};
    private final EventProcessor firstLeaver;
    private final EventProcessor secondLeaver;
    private final EventProcessor follower;

    /** Two events for two consumers, and one that follows both. */
    public LeaveAgainstRewireTest() {
        RingBuffer<Event> ring = RingFixtures.single(4); // batches of one
        pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(first, second).then(checker);
        List<EventProcessor> processors = pipeline.startProcessors();
        firstLeaver = processors.get(0);
        secondLeaver = processors.get(1);
        follower = processors.get(2);
        producer = RingFixtures.producerBehind(ring, 2);
    }

    /** Both handle an event, then both leave. */
    @Actor
    public void leavers() {
        firstLeaver.doWork();
        secondLeaver.doWork();
        pipeline.consumer(first).remove(0);
        pipeline.consumer(second).remove(0);
    }

    /**
     * Takes its new upstream whenever it is told to.
     *
     * @param r how many events it handled
     */
    @Actor
    public void follower(II_Result r) {
        for (int i = 0; i < CYCLES; i++) {
            follower.doWork();
        }
        r.r1 = (int) checker.handled();
    }

    /**
     * Publishes one more.
     *
     * @param r how many events it handled
     */
    @Arbiter
    public void end(II_Result r) {
        RingFixtures.publish(producer);
        for (int i = 0; i < CYCLES; i++) {
            follower.doWork();
        }
        r.r2 = (int) checker.handled();
    }
}
