package io.sluice.jcstress.dropin;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import com.lmax.disruptor.BusySpinWaitStrategy;
import com.lmax.disruptor.Sequence;
import com.lmax.disruptor.SingleProducerSequencer;
import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * The one producer of a ring with one slot publishes an event and asks for room, while a sequence begins to gate.
 *
 * <p>A publication is but a store, and the room is found by reads. So the producer may look at the gating sequences before
 * its publication can be seen. If it saw no gating sequence then, and the sequence that joins saw no event, the producer
 * would write over an event that the joiner has been promised. Results: 1 if there was room, and the sequence after which
 * the joiner begins.
 */
@JCStressTest
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "it begins behind the event, whose slot is free")
@Outcome(id = "0, -1", expect = ACCEPTABLE, desc = "it waits for the event, and the producer waits for it")
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "it was seen before it had passed over the event")
@Outcome(expect = FORBIDDEN, desc = "the event that it waits for is written over")
@Proof(
        claim = "an event that a new gating sequence waits for is not written over (drop-in, one producer)",
        overlap = {"0, 0"},
        twins = {"dropin-room-fence", "dropin-join-second-look"})
@State
public class JoinAgainstRoomTest {
    private final SingleProducerSequencer sequencer = new SingleProducerSequencer(1, new BusySpinWaitStrategy());
    private final long first = sequencer.next();
    private final Sequence joiner = new Sequence();

    /**
     * Publishes, and asks for room.
     *
     * @param r whether there was room
     */
    @Actor
    public void producer(II_Result r) {
        sequencer.publish(first);
        r.r1 = sequencer.hasAvailableCapacity(1) ? 1 : 0;
    }

    /**
     * Begins to gate.
     *
     * @param r the last sequence that it passes over
     */
    @Actor
    public void joiner(II_Result r) {
        sequencer.addGatingSequences(joiner);
        r.r2 = (int) joiner.get();
    }
}
