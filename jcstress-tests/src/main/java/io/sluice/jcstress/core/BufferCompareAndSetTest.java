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
import org.openjdk.jcstress.infra.results.JJJ_Result;

/**
 * Of two threads that move a number in a buffer on from the same value, one succeeds. If both did, a claim would be granted twice.
 * Results: the value that each moved on, -1 if its move failed, and the value in the end.
 */
@Outcome(
        id = {"0, 1, 2", "1, 0, 2"},
        expect = ACCEPTABLE,
        desc = "one after the other")
@Outcome(
        id = {"0, -1, 1", "-1, 0, 1"},
        expect = ACCEPTABLE,
        desc = "both read 0, one succeeded")
@Outcome(expect = FORBIDDEN, desc = "both moved the same value on, or none did")
public abstract class BufferCompareAndSetTest {
    final int part = Slab.part();

    /** A long. */
    @JCStressTest
    @JCStressMeta(BufferCompareAndSetTest.class)
    @Proof(
            claim = "of two compareAndSetLong from the same value one succeeds",
            overlap = {"0, -1, 1", "-1, 0, 1"},
            twins = {"buffer-compare-and-set-long"})
    @State
    public static class Longs extends BufferCompareAndSetTest {
        private long moveOn() {
            long value = Slab.BUFFER.getLongAcquire(part); // acquire: the CAS decides
            return Slab.BUFFER.compareAndSetLong(part, value, value + 1) ? value : -1; // CAS: what is proved
        }

        /**
         * Moves the value on.
         *
         * @param r the first result
         */
        @Actor
        public void first(JJJ_Result r) {
            r.r1 = moveOn();
        }

        /**
         * Moves the value on.
         *
         * @param r the second result
         */
        @Actor
        public void second(JJJ_Result r) {
            r.r2 = moveOn();
        }

        /**
         * The value in the end.
         *
         * @param r the third result
         */
        @Arbiter
        public void end(JJJ_Result r) {
            r.r3 = Slab.BUFFER.getLong(part);
        }
    }

    /** An int. */
    @JCStressTest
    @JCStressMeta(BufferCompareAndSetTest.class)
    @Proof(
            claim = "of two compareAndSetInt from the same value one succeeds",
            overlap = {"0, -1, 1", "-1, 0, 1"},
            twins = {"buffer-compare-and-set-int"})
    @State
    public static class Ints extends BufferCompareAndSetTest {
        private int moveOn() {
            int value = Slab.BUFFER.getIntAcquire(part); // acquire: the CAS decides
            return Slab.BUFFER.compareAndSetInt(part, value, value + 1) ? value : -1; // CAS: what is proved
        }

        /**
         * Moves the value on.
         *
         * @param r the first result
         */
        @Actor
        public void first(JJJ_Result r) {
            r.r1 = moveOn();
        }

        /**
         * Moves the value on.
         *
         * @param r the second result
         */
        @Actor
        public void second(JJJ_Result r) {
            r.r2 = moveOn();
        }

        /**
         * The value in the end.
         *
         * @param r the third result
         */
        @Arbiter
        public void end(JJJ_Result r) {
            r.r3 = Slab.BUFFER.getInt(part);
        }
    }
}
