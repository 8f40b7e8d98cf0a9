package io.sluice.jcstress.core;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.core.Sequence;
import io.sluice.jcstress.Proof;
import java.util.Objects;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * A thread that acquires a value of a sequence sees what its writer did before it released that value. If not, a consumer
 * would read a slot that it was told is filled, and find the old contents.
 */
@JCStressTest
@Outcome(id = "-1, 0", expect = ACCEPTABLE, desc = "the reader came first")
@Outcome(
        id = {"-1, 7", "-1, 8"},
        expect = ACCEPTABLE,
        desc = "the writer came between the two reads")
@Outcome(id = "3, 7", expect = ACCEPTABLE, desc = "the reader came between the release and the next write")
@Outcome(id = "3, 8", expect = ACCEPTABLE, desc = "the reader came last")
@Outcome(id = "3, 0", expect = FORBIDDEN, desc = "the value, without what was done before it")
@Proof(
        claim = "acquire of a sequence sees what came before its release",
        overlap = {"-1, 8", "3, 7"},
        twins = {"sequence-release", "sequence-acquire"})
@State
public class SequenceReleaseTest {
    private final Sequence sequence = new Sequence();
    private long payload;

    /** Writes, releases, then writes again: a compiler may leave out the first write where nothing holds it. */
    @Actor
    public void writer() {
        Sequence known = Objects.requireNonNull(sequence); // now, so that no check stands between the two stores
        payload = 7;
        known.setRelease(3);
        payload = 8;
    }

    /**
     * Acquires, then reads.
     *
     * @param r the sequence, the payload
     */
    @Actor
    public void reader(JJ_Result r) {
        r.r1 = sequence.getAcquire();
        r.r2 = payload;
    }
}
