package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.Sequence;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.EventProcessor;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/**
 * A consumer joins ahead of another one, which is running: from the join point on that one handles only what the newcomer
 * has handled. If not, orders would go out, for example, whose risk was not checked. Results: whether it joined within the
 * time, how many events the follower handled wrongly (unmarked by the newcomer, marked before the join point, or not at
 * all), and whether the join point was in the midst of the events.
 */
@JCStressTest
@Outcome(id = "1, 0, 0", expect = ACCEPTABLE, desc = "joined before the first event, or behind the last")
@Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "joined while the follower was running")
@Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "the follower was not run any more: nothing joined")
@Outcome(expect = FORBIDDEN, desc = "the follower handled an event ahead of the newcomer")
@Proof(
        claim = "a dependent follows a newcomer from the join point on",
        overlap = {"1, 0, 1"},
        twins = {"hold-not-awaited", "loop-hold-not-kept", "join-rewire-not-asked"})
@State
public class JoinBetweenTest {
    private static final int EVENTS = 16;
    private static final int MARK = 1_000;
    private static final int SPINS = 12;

    private final Sequence joined = new Sequence(0);
    private final Pipeline<Event> pipeline;
    private final EventProcessor follower;
    private final EventHandler<Event> handler = this::handle;
    private @Nullable EventPoller<Event> newcomer;

    // the follower's thread
    private int handled;
    private int unmarked;
    private int wrong;

    /** A full ring. */
    public JoinBetweenTest() {
        RingBuffer<Event> ring = RingFixtures.single(EVENTS);
        pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(pipeline.consumer("follower", handler).batchLimit(1));
        follower = pipeline.startProcessors().get(0);
        Producer<Event> producer = ring.producer();
        for (int i = 0; i < EVENTS; i++) {
            RingFixtures.publish(producer);
        }
    }

    private void handle(Event event, long sequence, boolean endOfBatch) {
        long version = event.version();
        if (version == sequence + 1) {
            unmarked++; // all of them come before the first marked one
            if (unmarked != handled + 1) {
                wrong++;
            }
        } else if (version != sequence + 1 + MARK) {
            wrong++;
        }
        handled++;
    }

    /** Follows until the other has joined, and a little longer. */
    @Actor
    public void follower() {
        for (int i = 0; i < RingFixtures.MANY_ATTEMPTS && joined.getAcquire() == 0; i++) { // acquire: it has joined
            follower.doWork();
            for (int spin = 0; spin < SPINS; spin++) {
                Thread.onSpinWait();
            }
        }
        follower.doWork();
        follower.doWork();
    }

    /**
     * Joins ahead of it.
     *
     * @param r whether it did
     */
    @Actor
    public void joiner(III_Result r) {
        EventPoller<Event> own =
                RingFixtures.join(pipeline.joinPoller("newcomer").before(pipeline.consumer(handler)));
        newcomer = own;
        if (own != null) {
            r.r1 = 1;
            joined.setRelease(1); // release: it has joined
            mark(own);
        }
        joined.setRelease(1); // release: or has not
    }

    private static int mark(EventPoller<Event> newcomer) {
        return RingFixtures.poll(newcomer, (event, sequence, endOfBatch) -> event.fill(sequence + 1 + MARK), EVENTS);
    }

    /**
     * Lets both handle the rest.
     *
     * @param r what was wrong, and where it joined
     */
    @Arbiter
    public void end(III_Result r) {
        EventPoller<Event> own = newcomer;
        if (own != null) {
            int work;
            do {
                work = mark(own) + follower.doWork();
            } while (work > 0);
            int from = (int) own.consumer().joinedFrom();
            r.r2 = wrong + Math.abs(unmarked - from) + EVENTS - handled;
            r.r3 = from > 0 && from < EVENTS ? 1 : 0;
        }
    }
}
