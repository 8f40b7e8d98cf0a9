package io.sluice.jcstress.ringbuffer;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Meeting;
import io.sluice.jcstress.Proof;
import io.sluice.ringbuffer.AbandonedClaim;
import io.sluice.ringbuffer.ClaimAbortedException;
import io.sluice.ringbuffer.ClaimWatch;
import io.sluice.ringbuffer.EventPoller;
import io.sluice.ringbuffer.Pipeline;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * On a ring for one producer that tracks claims, of an owner that publishes and another that aborts in its stead exactly one
 * wins; what was aborted is never delivered, and what the late owner writes is in no slot. If not, a consumer would handle
 * an event twice given away, or a zombie would write to somebody else's. Results: 1 if the owner published, -1 if it was
 * told that it lost; how many sequences were aborted; the sum of the versions delivered in the end, -9 if the late owner's
 * event is still in the slot.
 */
@JCStressTest
@Outcome(id = "1, 0, 1", expect = ACCEPTABLE, desc = "the owner won")
@Outcome(id = "-1, 1, 0", expect = ACCEPTABLE, desc = "the abort won")
@Outcome(expect = FORBIDDEN, desc = "both won, or none, or an aborted event is seen")
@Proof(
        claim = "of a publication and an abort in the owner's stead exactly one wins (one producer)",
        overlap = {"1, 0, 1", "-1, 1, 0"},
        twins = {"tracked-single-publish-cas"})
@State
public class AbortInSteadSingleTest {
    private final RingBuffer<Event> ring;
    private final Producer<Event> producer;
    private final EventPoller<Event> poller;
    private final Meeting meeting = new Meeting();
    private long sum;

    /** An empty ring. */
    public AbortInSteadSingleTest() {
        ring = Stand.builder(4).singleProducer().trackClaims().build();
        poller = Pipeline.on(ring).poller("poller");
        producer = ring.producer();
    }

    private void handle(Event event, long sequence, boolean endOfBatch) {
        sum += event.version();
    }

    /**
     * Claims, and once the other has seen it, fills and publishes.
     *
     * @param r whether it won
     */
    @Actor
    public void owner(JJJ_Result r) {
        long sequence = producer.tryNext(1);
        meeting.one();
        try {
            producer.get(sequence).fill(1);
            producer.publish(sequence, sequence);
            r.r1 = 1;
        } catch (ClaimAbortedException e) {
            r.r1 = -1;
        }
    }

    /**
     * Looks for the claim, and aborts it.
     *
     * @param r how many sequences it aborted
     */
    @Actor
    public void other(JJJ_Result r) {
        ClaimWatch watch = ClaimWatch.of(ring);
        AbandonedClaim claim = null;
        for (int i = 0; i < Stand.ATTEMPTS && (claim == null || !claim.isOwnerKnown()); i++) {
            claim = watch.look(0);
        }
        meeting.other();
        if (claim != null && claim.isOwnerKnown()) {
            r.r2 = claim.abort();
        }
    }

    /**
     * Polls the rest.
     *
     * @param r the sum
     */
    @Arbiter
    public void end(JJJ_Result r) {
        while (Stand.poll(poller, this::handle, 4) > 0) {
            // the handler sums up
        }
        r.r3 = r.r1 == -1 && ring.get(0).version() != 0 ? -9 : sum;
    }
}
