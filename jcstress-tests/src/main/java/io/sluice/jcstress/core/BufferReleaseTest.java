package io.sluice.jcstress.core;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * A thread that acquires a long of a buffer sees what its writer did to the buffer's bytes before it released that long. If
 * not, a consumer of a message would read bytes of the one before. Results: the long that was acquired, the payload.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "the reader came first")
@Outcome(
        id = {"0, 7", "0, 8"},
        expect = ACCEPTABLE,
        desc = "the writer came between the two reads")
@Outcome(id = "3, 7", expect = ACCEPTABLE, desc = "the reader came between the release and the next write")
@Outcome(id = "3, 8", expect = ACCEPTABLE, desc = "the reader came last")
@Outcome(id = "3, 0", expect = FORBIDDEN, desc = "the long, without what was done before it")
@Proof(
        claim = "acquire of a long in a buffer sees what came before its release",
        overlap = {"0, 8", "3, 7"},
        twins = {"buffer-acquire-blind"})
@State
public class BufferReleaseTest {
    private static final int STAMP = 0;
    private static final int PAYLOAD = 8;

    private final int part = Slab.part();

    /** Writes, releases, then writes again: a compiler may leave out the first write where nothing holds it. */
    @Actor
    public void writer() {
        Slab.BUFFER.putLong(part + PAYLOAD, 7);
        Slab.BUFFER.putLongRelease(part + STAMP, 3); // release: the payload
        Slab.BUFFER.putLong(part + PAYLOAD, 8);
    }

    /**
     * Acquires, then reads.
     *
     * @param r the long, the payload
     */
    @Actor
    public void reader(JJ_Result r) {
        r.r1 = Slab.BUFFER.getLongAcquire(part + STAMP); // acquire: the payload comes with it
        r.r2 = Slab.BUFFER.getLong(part + PAYLOAD);
    }
}
