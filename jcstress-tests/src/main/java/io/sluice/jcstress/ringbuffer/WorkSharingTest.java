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
import org.openjdk.jcstress.infra.results.JJI_Result;

/**
 * Two workers share two events: each event is handled by exactly one of them, and once both have finished, progress stands
 * behind both, whichever finished last. If not, an event would be handled twice or never, or progress would stand
 * still before events that are done, and with it all followers. Results: what each has handled, 1 for the first
 * event and 2 for the second, and the progress.
 */
@JCStressTest
@Outcome(
        id = {"3, 0, 1", "0, 3, 1"},
        expect = ACCEPTABLE,
        desc = "one handled both")
@Outcome(
        id = {"1, 2, 1", "2, 1, 1"},
        expect = ACCEPTABLE,
        desc = "one each")
@Outcome(expect = FORBIDDEN, desc = "an event handled twice or not at all, or progress that stands still")
@Proof(
        claim = "each event has one worker, and progress follows whoever finishes last",
        overlap = {"1, 2, 1", "2, 1, 1"},
        twins = {"work-take-cas", "work-mark-release"})
@State
public class WorkSharingTest {
    private final EventProcessor one;
    private final EventProcessor other;
    private long byOne;
    private long byOther;

    /** Two events, published, and two workers that take one event a cycle. */
    public WorkSharingTest() {
        RingBuffer<Event> ring = RingFixtures.single(4);
        Pipeline<Event> pipeline = Pipeline.on(ring);
        EventHandler<Event> first = (event, sequence, endOfBatch) -> byOne += event.version();
        EventHandler<Event> second = (event, sequence, endOfBatch) -> byOther += event.version();
        pipeline.handleEventsWithWorkerPool(first, second);
        List<EventProcessor> processors = pipeline.startProcessors();
        one = processors.get(0);
        other = processors.get(1);
        Producer<Event> producer = ring.producer();
        RingFixtures.publish(producer);
        RingFixtures.publish(producer);
    }

    /** Works until there is nothing to take. */
    @Actor
    public void first() {
        one.doWork();
        one.doWork();
    }

    /** Works until there is nothing to take. */
    @Actor
    public void second() {
        other.doWork();
        other.doWork();
    }

    /**
     * Notes which events were handled, and the progress.
     *
     * @param r the result
     */
    @Arbiter
    public void end(JJI_Result r) {
        r.r1 = byOne;
        r.r2 = byOther;
        r.r3 = (int) one.sequence().get();
    }
}
