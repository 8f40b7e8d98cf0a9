package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * On a ring for one producer, drain tells of every event that was published, unless it says that a producer may still
 * publish. If not, it would say that nothing is left while an event is. Results: how many claims were granted, and
 * how many events drain told of, -1 if it said that a producer may still publish.
 */
@JCStressTest
@Outcome(
        id = {"0, 0", "1, 1", "2, 2"},
        expect = ACCEPTABLE,
        desc = "drain told of all")
@Outcome(
        id = {"0, -1", "1, -1", "2, -1"},
        expect = ACCEPTABLE,
        desc = "drain said that the producer was still open")
@Outcome(expect = FORBIDDEN, desc = "an event that drain did not tell of")
@Proof(
        claim = "drain tells of every event (one producer)",
        overlap = {"1, -1"},
        twins = {"drain-owner-late"})
@State
public class DrainSingleTest extends DrainState {
    /** An empty ring with a consumer that does nothing. */
    public DrainSingleTest() {
        super(Stand.single(4));
    }

    /**
     * Publishes.
     *
     * @param r how many
     */
    @Actor
    public void producer(II_Result r) {
        r.r1 = publishTwo();
    }

    /**
     * Drains.
     *
     * @param r what it told of
     */
    @Actor
    public void drainer(II_Result r) {
        r.r2 = drain();
    }
}
