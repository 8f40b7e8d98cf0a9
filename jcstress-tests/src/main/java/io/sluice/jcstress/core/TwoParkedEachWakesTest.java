package io.sluice.jcstress.core;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.Sequence;
import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import io.sluice.jcstress.Meeting;
import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IIII_Result;

/**
 * Two consumers in one group, each of which publishes the event that the other one waits for, wakes the group, and is then
 * about to park: so each lowers the word that the other one raises. Each sees the other's publication, or is woken.
 * Results: what each saw after its announcement, and whether each would sleep for ever.
 */
@JCStressTest
@Outcome(id = "1, 1, 0, 0", expect = ACCEPTABLE, desc = "each saw the other's")
@Outcome(
        id = {"0, 1, 0, 0", "1, 0, 0, 0"},
        expect = ACCEPTABLE,
        desc = "one saw it, the other one was woken")
@Outcome(expect = FORBIDDEN, desc = "one of the two sleeps beside its work")
@Proof(
        claim = "of two consumers in one group that wake each other none is left asleep",
        overlap = {"1, 1, 0, 0"},
        twins = {"signal-publisher-fence", "signal-word-not-raised"})
@State
public class TwoParkedEachWakesTest {
    private static final int SPINS = 3;

    private final SignalledIdle one = SignalledIdle.exact(0);
    private final SignalledIdle other = SignalledIdle.exact(0);
    private final SignalGroup group = new SignalGroup(true);
    private final Sequence forOne = new Sequence(0);
    private final Sequence forOther = new Sequence(0);
    private final Meeting meeting = new Meeting();

    /** Two members, awake. */
    public TwoParkedEachWakesTest() {
        group.add(one);
        group.add(other);
        group.signal(); // lowers the word, which every addition has raised
    }

    /**
     * The one: publishes for the other, then announces its park and looks.
     *
     * @param r what it saw
     */
    @Actor
    public void one(IIII_Result r) {
        meeting.one();
        for (long i = System.nanoTime() & SPINS; i > 0; i--) {
            Thread.onSpinWait();
        }
        forOther.setRelease(1);
        group.signal();
        one.idle();
        r.r1 = (int) forOne.getAcquire();
    }

    /**
     * The other: likewise.
     *
     * @param r what it saw
     */
    @Actor
    public void other(IIII_Result r) {
        meeting.other();
        forOne.setRelease(1);
        group.signal();
        other.idle();
        r.r2 = (int) forOther.getAcquire();
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

    private static int sleeps(SignalledIdle idle) {
        long before = idle.parks();
        idle.deadline(System.nanoTime() + 1_000_000); // a bound, should it sleep
        idle.idle();
        return (int) (idle.parks() - before);
    }
}
