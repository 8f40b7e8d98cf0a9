package io.sluice.jcstress.core;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.sluice.jcstress.Proof;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressMeta;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Of two threads that each write one place of a buffer and then read the other's, volatile accesses let at least one see the
 * other. If not, two threads that announce themselves could both go on unseen.
 */
@Outcome(
        id = {"0, 1", "1, 0"},
        expect = ACCEPTABLE,
        desc = "one saw the other")
@Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "both wrote before either read")
@Outcome(id = "0, 0", expect = FORBIDDEN, desc = "neither saw the other")
public abstract class BufferVolatileTest {
    final int part = Slab.part();

    /** Both places are longs. */
    @JCStressTest
    @JCStressMeta(BufferVolatileTest.class)
    @Proof(
            claim = "volatile accesses of two longs in a buffer are in one order",
            overlap = {"1, 1"},
            twins = {"buffer-volatile"})
    @State
    public static class Longs extends BufferVolatileTest {
        /**
         * Writes one, reads the other.
         *
         * @param r the first result
         */
        @Actor
        public void first(II_Result r) {
            Slab.BUFFER.putLongVolatile(part, 1); // volatile: what is proved
            r.r1 = (int) Slab.BUFFER.getLongVolatile(part + Slab.OTHER); // volatile: what is proved
        }

        /**
         * Writes the other, reads the one.
         *
         * @param r the second result
         */
        @Actor
        public void second(II_Result r) {
            Slab.BUFFER.putLongVolatile(part + Slab.OTHER, 1); // volatile: what is proved
            r.r2 = (int) Slab.BUFFER.getLongVolatile(part); // volatile: what is proved
        }
    }

    /** A byte is written, and read as one of an int: a byte's accesses are plain ones between fences, and must not need both. */
    @JCStressTest
    @JCStressMeta(BufferVolatileTest.class)
    @Proof(
            claim = "a volatile write of a byte in a buffer is in one order with volatile reads of other kinds",
            overlap = {"1, 1"},
            twins = {"buffer-byte-fence"})
    @State
    public static class Bytes extends BufferVolatileTest {
        /**
         * Writes one, reads the other.
         *
         * @param r the first result
         */
        @Actor
        public void first(II_Result r) {
            Slab.BUFFER.putByteVolatile(part, (byte) 1); // volatile: what is proved
            r.r1 = Slab.BUFFER.getIntVolatile(part + Slab.OTHER) == 0 ? 0 : 1; // volatile: what is proved
        }

        /**
         * Writes the other, reads the one.
         *
         * @param r the second result
         */
        @Actor
        public void second(II_Result r) {
            Slab.BUFFER.putByteVolatile(part + Slab.OTHER, (byte) 1); // volatile: what is proved
            r.r2 = Slab.BUFFER.getIntVolatile(part) == 0 ? 0 : 1; // volatile: what is proved
        }
    }
}
