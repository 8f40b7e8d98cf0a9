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
 * A number that an exchange puts into a buffer is taken out once, or is there at the end. If not, two threads would believe that they own
 * the same number, and another would be lost.
 */
@Outcome(id = "0, 1, 2, 3, 4", expect = ACCEPTABLE, desc = "the first actor came first")
@Outcome(id = "4, 1, 0, 3, 2", expect = ACCEPTABLE, desc = "the second actor came first")
@Outcome(
        id = {"0, 3, 1, 2, 4", "0, 4, 1, 3, 2", "3, 1, 0, 2, 4", "3, 4, 0, 1, 2"},
        expect = ACCEPTABLE,
        desc = "they took turns")
@Outcome(expect = FORBIDDEN, desc = "a value taken out twice, or lost")
public abstract class BufferGetAndSetTest {
    final int part = Slab.part();

    /** Exchanges of a long. */
    @JCStressTest
    @JCStressMeta(BufferGetAndSetTest.class)
    @Proof(
            claim = "getAndSetLong takes each value out once",
            overlap = {"0, 3, 1, 2, 4", "0, 4, 1, 3, 2"},
            twins = {"buffer-get-and-set-long"})
    @State
    public static class Longs extends BufferGetAndSetTest {
        /**
         * Puts in 1 and 2.
         *
         * @param r what it takes out
         */
        @Actor
        public void first(JJJJJ_Result r) {
            r.r1 = Slab.BUFFER.getAndSetLong(part, 1); // read-modify-write: what is proved
            r.r2 = Slab.BUFFER.getAndSetLong(part, 2); // read-modify-write: what is proved
        }

        /**
         * Puts in 3 and 4.
         *
         * @param r what it takes out
         */
        @Actor
        public void second(JJJJJ_Result r) {
            r.r3 = Slab.BUFFER.getAndSetLong(part, 3); // read-modify-write: what is proved
            r.r4 = Slab.BUFFER.getAndSetLong(part, 4); // read-modify-write: what is proved
        }

        /**
         * Reads the number that is there.
         *
         * @param r the last result
         */
        @Arbiter
        public void end(JJJJJ_Result r) {
            r.r5 = Slab.BUFFER.getLong(part);
        }
    }

    /** Exchanges of an int. */
    @JCStressTest
    @JCStressMeta(BufferGetAndSetTest.class)
    @Proof(
            claim = "getAndSetInt takes each value out once",
            overlap = {"0, 3, 1, 2, 4", "0, 4, 1, 3, 2"},
            twins = {"buffer-get-and-set-int"})
    @State
    public static class Ints extends BufferGetAndSetTest {
        /**
         * Puts in 1 and 2.
         *
         * @param r what it takes out
         */
        @Actor
        public void first(JJJJJ_Result r) {
            r.r1 = Slab.BUFFER.getAndSetInt(part, 1); // read-modify-write: what is proved
            r.r2 = Slab.BUFFER.getAndSetInt(part, 2); // read-modify-write: what is proved
        }

        /**
         * Puts in 3 and 4.
         *
         * @param r what it takes out
         */
        @Actor
        public void second(JJJJJ_Result r) {
            r.r3 = Slab.BUFFER.getAndSetInt(part, 3); // read-modify-write: what is proved
            r.r4 = Slab.BUFFER.getAndSetInt(part, 4); // read-modify-write: what is proved
        }

        /**
         * Reads the number that is there.
         *
         * @param r the last result
         */
        @Arbiter
        public void end(JJJJJ_Result r) {
            r.r5 = Slab.BUFFER.getInt(part);
        }
    }
}
