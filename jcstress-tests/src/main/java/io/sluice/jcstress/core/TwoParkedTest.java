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
 * Of two consumers in one group one has announced its park, and has raised the group's word; the other one announces its own
 * while somebody publishes twice, and wakes all that wait each time. None of them sleeps beside a publication that it has not
 * seen: the first is woken, the second one sees both or is woken, though the word was raised by the first, and is lowered for
 * both. Results: what the second saw before its announcement and after, and whether the first and the second would sleep for ever.
 */
@JCStressTest
@Outcome(
        id = {"0, 0, 0, 0", "0, 2, 0, 0", "1, 1, 0, 0", "2, 2, 0, 0"},
        expect = ACCEPTABLE,
        desc = "it saw all, or was woken")
@Outcome(
        id = {"0, 1, 0, 0", "1, 2, 0, 0"},
        expect = ACCEPTABLE,
        desc = "a publication came between the two looks")
@Outcome(expect = FORBIDDEN, desc = "one of the two sleeps beside its work")
@Proof(
        claim = "a publication wakes each of two parked consumers of one group, or is seen",
        overlap = {"0, 1, 0, 0", "1, 2, 0, 0"},
        twins = {"signal-publisher-fence", "signal-word-not-raised", "group-wakes-the-first"})
@State
public class TwoParkedTest {
    private static final int SPINS = 3;

    private final SignalledIdle parked = SignalledIdle.exact(0);
    private final SignalledIdle parking = SignalledIdle.exact(0);
    private final SignalGroup group = new SignalGroup(true);
    private final Sequence source = new Sequence(0);
    private final Meeting meeting = new Meeting();

    /** Two members, of whom one has announced its park. */
    public TwoParkedTest() {
        group.add(parked);
        group.add(parking);
        group.signal(); // lowers the word, which every addition has raised
        parked.idle();
    }

    /**
     * The second consumer: announces its park, then runs one more cycle.
     *
     * @param r what it saw
     */
    @Actor
    public void runner(IIII_Result r) {
        meeting.one();
        for (long i = System.nanoTime() & SPINS; i > 0; i--) {
            Thread.onSpinWait();
        }
        r.r1 = (int) source.getAcquire();
        parking.idle();
        r.r2 = (int) source.getAcquire();
    }

    /** Publishes twice, and signals each time. */
    @Actor
    public void publisher() {
        meeting.other();
        source.setRelease(1);
        group.signal();
        source.setRelease(2);
        group.signal();
    }

    /**
     * Notes whether each would sleep next.
     *
     * @param r whether they would sleep
     */
    @Arbiter
    public void end(IIII_Result r) {
        r.r3 = sleeps(parked);
        r.r4 = r.r2 < 2 ? sleeps(parking) : 0;
    }

    private static int sleeps(SignalledIdle idle) {
        long before = idle.parks();
        idle.deadline(System.nanoTime() + 1_000_000); // a bound, should it sleep
        idle.idle();
        return (int) (idle.parks() - before);
    }
}
