package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.conflation.LatestByKey;
import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * Two producers make two keys each pending: all four are delivered, each producer's in its order. If not, a key would be stuck,
 * its values never delivered again.
 */
@JCStressTest
@Outcome(id = "1, 2, 3, 4", expect = ACCEPTABLE, desc = "the first came first")
@Outcome(id = "3, 4, 1, 2", expect = ACCEPTABLE, desc = "the second came first")
@Outcome(
        id = {"1, 3, 2, 4", "1, 3, 4, 2", "3, 1, 2, 4", "3, 1, 4, 2"},
        expect = ACCEPTABLE,
        desc = "they took turns")
@Outcome(expect = FORBIDDEN, desc = "a key left out, or delivered twice")
@Proof(
        claim = "keys that become pending at the same time are all delivered",
        overlap = {"1, 3, 2, 4", "3, 1, 4, 2"},
        twins = {"conflation-queue-addition"})
@State
public class ConflationQueueTest {
    private final LatestByKey<Integer> latest = new LatestByKey<>(4, value -> {});
    private final int[] order = new int[4];

    private int count;

    /** Offers values for two keys. */
    @Actor
    public void first() {
        latest.offer(0, 1);
        latest.offer(1, 2);
    }

    /** Offers values for two other keys. */
    @Actor
    public void second() {
        latest.offer(2, 3);
        latest.offer(3, 4);
    }

    /**
     * Takes all there is.
     *
     * @param r the values in the order of their delivery, 0 for none
     */
    @Arbiter
    public void end(IIII_Result r) {
        latest.drain((key, value) -> order[count++] = value, 4);
        r.r1 = order[0];
        r.r2 = order[1];
        r.r3 = order[2];
        r.r4 = order[3];
    }
}
