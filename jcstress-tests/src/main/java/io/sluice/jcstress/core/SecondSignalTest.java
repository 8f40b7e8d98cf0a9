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
import org.openjdk.jcstress.infra.results.JJI_Result;

/**
 * A publisher with two publications, each with its signal, and a member of the group that has seen the first one before its
 * signal, and is about to park. That late signal must not lower the group's word for a member whose own word does not say yet
 * that it waits. Otherwise the second publication would wake nobody. Results: what the member saw before it announced its
 * park, what after that, and whether it would sleep beside the second publication.
 */
@JCStressTest
@Outcome(
        id = {"0, 0, 0", "0, 1, 0", "0, 2, 0"},
        expect = ACCEPTABLE,
        desc = "it announced before it had seen any")
@Outcome(id = "1, 1, 0", expect = ACCEPTABLE, desc = "it had seen the first, and was woken for the second")
@Outcome(id = "1, 2, 0", expect = ACCEPTABLE, desc = "it had seen the first, and saw the second")
@Outcome(id = "2, 2, 0", expect = ACCEPTABLE, desc = "both were there before")
@Outcome(expect = FORBIDDEN, desc = "it sleeps beside the second publication")
@Proof(
        claim = "a signal that comes late for what is handled does not swallow the next one",
        overlap = {"1, 1, 0"},
        twins = {"signal-word-not-raised"})
@State
public class SecondSignalTest {
    private static final int ATTEMPTS = 200;
    private static final int SPINS = 7;

    private final SignalledIdle idle = SignalledIdle.exact(0);
    private final SignalGroup group = new SignalGroup(true);
    private final Sequence source = new Sequence(0);
    private final Meeting meeting = new Meeting();

    /** One member, awake. */
    public SecondSignalTest() {
        group.add(idle);
        group.signal(); // lowers the word, which the addition has raised
    }

    /**
     * The member: announces its park, then runs one more cycle.
     *
     * @param r what it saw
     */
    @Actor
    public void runner(JJI_Result r) {
        meeting.one();
        for (int i = 0; i < ATTEMPTS && source.getAcquire() == 0; i++) { // acquire: handles the first publication
            Thread.onSpinWait();
        }
        r.r1 = source.getAcquire();
        idle.idle();
        r.r2 = source.getAcquire();
    }

    /** Publishes and signals, twice, and is late with the first signal. */
    @Actor
    public void publisher() {
        meeting.other();
        source.setRelease(1);
        spin();
        group.signal();
        spin();
        source.setRelease(2);
        group.signal();
    }

    private static void spin() {
        for (long i = System.nanoTime() & SPINS; i > 0; i--) {
            Thread.onSpinWait();
        }
    }

    /**
     * Notes whether the member would sleep next, if it has seen nothing new.
     *
     * @param r whether it would sleep
     */
    @Arbiter
    public void end(JJI_Result r) {
        long before = idle.parks();
        if (r.r1 == r.r2 && r.r2 < 2) {
            idle.deadline(System.nanoTime() + 1_000_000); // a bound, should it sleep
            idle.idle();
        }
        r.r3 = (int) (idle.parks() - before);
    }
}
