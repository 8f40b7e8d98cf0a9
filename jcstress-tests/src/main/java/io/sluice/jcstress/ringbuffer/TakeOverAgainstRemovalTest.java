package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.pipeline.ConsumerHandle;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.Wiring;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A thread begins to run a consumer while another takes it out: the first finds that it is to leave, or the other finds that
 * somebody runs it, and waits. If neither did, the consumer would hand out events after its removal. Results: whether the
 * first was told, and whether the other took it out on its behalf.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "it runs: the other waits")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "it is out before it runs")
@Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "both did their part before either looked")
@Outcome(id = "0, 1", expect = FORBIDDEN, desc = "taken out while it runs")
@Proof(
        claim = "a consumer that changes threads is not taken out while it runs",
        overlap = {"1, 0"},
        twins = {"take-over-fence"})
@State
public class TakeOverAgainstRemovalTest {
    private final ConsumerHandle consumer;

    /** A poller that nobody has polled. */
    public TakeOverAgainstRemovalTest() {
        Pipeline<Event> pipeline = Pipeline.on(RingFixtures.single(2));
        consumer = pipeline.poller("poller").consumer();
        pipeline.startProcessors();
    }

    /**
     * Begins to run it.
     *
     * @param r whether it is to leave
     */
    @Actor
    public void runner(II_Result r) {
        r.r1 = Wiring.takesOver(consumer) ? 1 : 0;
    }

    /**
     * Takes it out.
     *
     * @param r whether nobody runs it
     */
    @Actor
    public void remover(II_Result r) {
        r.r2 = Wiring.mayTakeOut(consumer) ? 1 : 0;
    }
}
