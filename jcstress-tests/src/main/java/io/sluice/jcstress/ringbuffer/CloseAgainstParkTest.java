package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.State;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.RingBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.infra.results.JJI_Result;

/**
 * A consumer that is about to park sees the close of its ring, or is woken by it. If not, close would wait for a
 * thread that sleeps. Results: what the runner saw before it announced its park, what in the complete cycle after
 * that, -1 for nothing and 0 for the close, and whether it would then sleep for ever.
 */
@JCStressTest
@Outcome(id = "-1, -1, 0", expect = ACCEPTABLE, desc = "it saw nothing, and was woken")
@Outcome(id = "-1, 0, 0", expect = ACCEPTABLE, desc = "it came between the two looks")
@Outcome(id = "0, 0, 0", expect = ACCEPTABLE, desc = "it was there before")
@Outcome(expect = FORBIDDEN, desc = "a consumer left asleep")
@Proof(
        claim = "close is seen by a consumer or wakes it",
        overlap = {"-1, 0, 0"},
        twins = {"close-wakes-nobody"})
@org.openjdk.jcstress.annotations.State
public class CloseAgainstParkTest extends ParkState {
    private final RingBuffer<Event> ring;

    /** An empty ring with one consumer, connected but not run. */
    public CloseAgainstParkTest() {
        ring = RingFixtures.builder(2)
                .singleProducer()
                .consumersIdle(() -> idle)
                .build();
        RingFixtures.connect(ring);
    }

    @Override
    long look() {
        return ring.state() == State.CLOSED ? 0 : -1;
    }

    /**
     * The runner: announces its park, then runs one more cycle.
     *
     * @param r what it saw
     */
    @Actor
    public void runner(JJI_Result r) {
        park(r);
    }

    /** Closes. */
    @Actor
    public void closer() {
        meeting.other();
        ring.close();
    }

    /**
     * Notes whether the runner would sleep next, if it has seen nothing.
     *
     * @param r whether it would sleep
     */
    @Arbiter
    public void end(JJI_Result r) {
        r.r3 = sleeps(r.r2);
    }
}
