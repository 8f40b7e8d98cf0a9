package io.sluice.jcstress.core;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.Sequence;
import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * As {@link TwoParkedTest}, with each of the two consumers on a thread of its own: both announce their parks while somebody
 * publishes once. Needs three CPUs. Results: in how many of its two looks, before its announcement and after, each saw the
 * publication, and whether each would sleep for ever.
 */
@JCStressTest
@Outcome(
        id = {"0, 0, 0, 0", "0, 2, 0, 0", "2, 0, 0, 0", "2, 2, 0, 0"},
        expect = ACCEPTABLE,
        desc = "each saw it, or was woken")
@Outcome(
        id = {"0, 1, 0, 0", "1, 0, 0, 0", "1, 1, 0, 0", "1, 2, 0, 0", "2, 1, 0, 0"},
        expect = ACCEPTABLE,
        desc = "it came between the two looks of one or of both")
@Outcome(expect = FORBIDDEN, desc = "one of the two sleeps beside its work")
@Proof(
        claim = "a publication wakes each of two consumers of one group that park at once, or is seen",
        overlap = {"0, 1, 0, 0", "1, 0, 0, 0"},
        twins = {"signal-word-not-raised", "group-wakes-the-first"})
@State
public class TwoParkedThreeActorsTest {
    private static final int SPINS = 15;

    private final SignalledIdle one = SignalledIdle.exact(0);
    private final SignalledIdle other = SignalledIdle.exact(0);
    private final SignalGroup group = new SignalGroup(true);
    private final Sequence source = new Sequence(0);

    /** Two members, awake. */
    public TwoParkedThreeActorsTest() {
        group.add(one);
        group.add(other);
        group.signal(); // lowers the word, which every addition has raised
    }

    /**
     * The one: looks, announces its park, and looks again.
     *
     * @param r what it saw
     */
    @Actor
    public void one(IIII_Result r) {
        r.r1 = looksAndParks(one);
    }

    /**
     * The other: likewise.
     *
     * @param r what it saw
     */
    @Actor
    public void other(IIII_Result r) {
        r.r2 = looksAndParks(other);
    }

    /** Publishes, and signals. */
    @Actor
    public void publisher() {
        spinALittle();
        source.setRelease(1);
        group.signal();
    }

    /**
     * Notes whether each would sleep next, if it has seen nothing.
     *
     * @param r whether they would sleep
     */
    @Arbiter
    public void end(IIII_Result r) {
        r.r3 = r.r1 == 0 ? sleeps(one) : 0;
        r.r4 = r.r2 == 0 ? sleeps(other) : 0;
    }

    private int looksAndParks(SignalledIdle idle) {
        spinALittle();
        int before = (int) source.getAcquire();
        idle.idle();
        return before + (int) source.getAcquire();
    }

    /** So that no actor is always the first. */
    private static void spinALittle() {
        for (long i = System.nanoTime() & SPINS; i > 0; i--) {
            Thread.onSpinWait();
        }
    }

    private static int sleeps(SignalledIdle idle) {
        long before = idle.parks();
        idle.deadline(System.nanoTime() + 1_000_000); // a bound, should it sleep
        idle.idle();
        return (int) (idle.parks() - before);
    }
}
