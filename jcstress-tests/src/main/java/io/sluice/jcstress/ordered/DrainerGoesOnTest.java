package io.sluice.jcstress.ordered;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Meeting;
import io.sluice.jcstress.Proof;
import io.sluice.ordered.Turns;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The drainer passes the turn to a ticket whose finisher is just leaving its item: if the item comes first after all, the drainer
 * goes on, and is known as the drainer, since it takes its id back. If not, it would wait for itself when it asks for a ticket,
 * or closes. Results: whether the first thread was the drainer of the ticket that it delivered behind its own (-1: it
 * delivered it, and was not), and whether the second one had the turn itself.
 */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "left behind, and delivered by the first")
@Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "each delivered its own")
@Outcome(expect = FORBIDDEN, desc = "a drainer that is not known as one, or none, or two")
@Proof(
        claim = "a drainer that goes on after all is known as the drainer",
        overlap = {"1, 0"},
        twins = {"ordered-id-not-taken-back"})
@State
public class DrainerGoesOnTest {
    private final Meeting meeting = new Meeting();
    private final Turns turns = new Turns(2);

    /**
     * Completes the first ticket.
     *
     * @param r whether it was the drainer of the second
     */
    @Actor
    public void first(II_Result r) {
        meeting.one();
        turns.complete(0);
        r.r1 = turns.behind();
    }

    /**
     * Completes the second ticket.
     *
     * @param r whether it was the drainer of its own
     */
    @Actor
    public void second(II_Result r) {
        meeting.other();
        r.r2 = turns.complete(1) ? 1 : 0;
    }
}
