package io.sluice.jcstress.core;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJJJ_Result;

/**
 * Every addition to a number in a buffer counts, and each caller gets a value of its own. If not, two threads would believe that they
 * own the same number.
 */
@Outcome(id = "0, 1, 2, 3, 4", expect = ACCEPTABLE, desc = "the first actor came first")
@Outcome(id = "2, 3, 0, 1, 4", expect = ACCEPTABLE, desc = "the second actor came first")
@Outcome(
        id = {"0, 2, 1, 3, 4", "0, 3, 1, 2, 4", "1, 2, 0, 3, 4", "1, 3, 0, 2, 4"},
        expect = ACCEPTABLE,
        desc = "they took turns")
@Outcome(expect = FORBIDDEN, desc = "a value handed out twice, or an addition lost")
public abstract class BufferGetAndAddTest {
    final int part = Slab.part();

    /** Additions to a long. */
    @JCStressTest
    @JCStressMeta(BufferGetAndAddTest.class)
    @Proof(
            claim = "getAndAddLong hands out each value once and loses none",
            overlap = {"0, 2, 1, 3, 4", "0, 3, 1, 2, 4"},
            twins = {"buffer-get-and-add-long"})
    @State
    public static class Longs extends BufferGetAndAddTest {
        /**
         * Takes two.
         *
         * @param r the first two results
         */
        @Actor
        public void first(JJJJJ_Result r) {
            r.r1 = Slab.BUFFER.getAndAddLong(part, 1); // read-modify-write: what is proved
            r.r2 = Slab.BUFFER.getAndAddLong(part, 1); // read-modify-write: what is proved
        }

        /**
         * Takes two.
         *
         * @param r the next two results
         */
        @Actor
        public void second(JJJJJ_Result r) {
            r.r3 = Slab.BUFFER.getAndAddLong(part, 1); // read-modify-write: what is proved
            r.r4 = Slab.BUFFER.getAndAddLong(part, 1); // read-modify-write: what is proved
        }

        /**
         * The sum.
         *
         * @param r the last result
         */
        @Arbiter
        public void end(JJJJJ_Result r) {
            r.r5 = Slab.BUFFER.getLong(part);
        }
    }

    /** Additions to an int. */
    @JCStressTest
    @JCStressMeta(BufferGetAndAddTest.class)
    @Proof(
            claim = "getAndAddInt hands out each value once and loses none",
            overlap = {"0, 2, 1, 3, 4", "0, 3, 1, 2, 4"},
            twins = {"buffer-get-and-add-int"})
    @State
    public static class Ints extends BufferGetAndAddTest {
        /**
         * Takes two.
         *
         * @param r the first two results
         */
        @Actor
        public void first(JJJJJ_Result r) {
            r.r1 = Slab.BUFFER.getAndAddInt(part, 1); // read-modify-write: what is proved
            r.r2 = Slab.BUFFER.getAndAddInt(part, 1); // read-modify-write: what is proved
        }

        /**
         * Takes two.
         *
         * @param r the next two results
         */
        @Actor
        public void second(JJJJJ_Result r) {
            r.r3 = Slab.BUFFER.getAndAddInt(part, 1); // read-modify-write: what is proved
            r.r4 = Slab.BUFFER.getAndAddInt(part, 1); // read-modify-write: what is proved
        }

        /**
         * The sum.
         *
         * @param r the last result
         */
        @Arbiter
        public void end(JJJJJ_Result r) {
            r.r5 = Slab.BUFFER.getInt(part);
        }
    }
}
