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
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * A consumer that follows workers gets an event once it and all before it are done, with all that the workers wrote, though
 * the second event was done before the first. If not, a follower would see an unfinished event, or one before its turn.
 * Results: how many events the follower had got at its first look and at its second, or -9 if one came that was not done.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "nothing was handed on yet")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "both were handed on between the looks")
@Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "both were handed on before")
@Outcome(expect = FORBIDDEN, desc = "an event handed on that was not done")
@Proof(
        claim = "workers hand on what is done, without a gap",
        overlap = {"0, 1"},
        twins = {"work-progress-early"})
@State
public class WorkHandOverTest {
    private static final long WRONG = -9;

    private final EventProcessor worker;
    private final EventProcessor follower;
    private final long[] done = new long[2];
    private long got;

    /** Two events, published, that are handed on together; while one worker is at the first, the other handles the second. */
    public WorkHandOverTest() {
        RingBuffer<Event> ring = RingFixtures.single(4); // one event a cycle
        Pipeline<Event> pipeline = Pipeline.on(ring);
        EventProcessor[] other = new EventProcessor[1];
        EventHandler<Event> first = (event, sequence, endOfBatch) -> {
            if (sequence == 0) {
                other[0].doWork();
            }
            done[(int) sequence] = event.version();
        };
        EventHandler<Event> second = (event, sequence, endOfBatch) -> done[(int) sequence] = event.version();
        EventHandler<Event> last = (event, sequence, endOfBatch) -> {
            if (got != WRONG) {
                got = sequence == got && done[(int) sequence] == sequence + 1 ? got + 1 : WRONG;
            }
        };
        pipeline.handleEventsWithWorkerPool(first, second).then(last);
        List<EventProcessor> processors = pipeline.startProcessors();
        worker = processors.get(0);
        other[0] = processors.get(1);
        follower = processors.get(2);
        Producer<Event> producer = ring.producer();
        RingFixtures.publish(producer);
        RingFixtures.publish(producer);
    }

    /** Both workers. */
    @Actor
    public void workers() {
        worker.doWork();
    }

    /**
     * The follower.
     *
     * @param r what it had got
     */
    @Actor
    public void follower(JJ_Result r) {
        follower.doWork();
        r.r1 = got;
        follower.doWork();
        r.r2 = got;
    }
}
