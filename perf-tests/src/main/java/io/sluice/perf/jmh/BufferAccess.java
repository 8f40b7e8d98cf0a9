package io.sluice.perf.jmh;

import io.sluice.core.bytes.SafeBuffer;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * One access to a buffer of 8 KiB, by Agrona's {@code UnsafeBuffer} with its bounds checks and the option that it needs, and by our
 * {@code SafeBuffer}: one place after the other, and at places in a random order. The caller knows the buffer by its interface only.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@OperationsPerInvocation(BufferAccess.LONGS)
@Fork(jvmArgsAppend = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED")
public class BufferAccess {
    static final int LONGS = 1024;
    private static final int BYTES = LONGS * Long.BYTES;

    /** The library that the buffer is from. */
    @Param({"agrona", "sluice"})
    public String library = "agrona";

    /** The kind of memory: DIRECT, or ARRAY, where newer JDKs allow plain access only. */
    @Param({"DIRECT", "ARRAY"})
    public String memory = "DIRECT";

    private AtomicBuffer buffer = new SafeBuffer();
    private int[] places = new int[0];

    /** For the JMH runner. */
    public BufferAccess() {}

    /** Makes the buffer and the random order. */
    @Setup
    public void open() {
        boolean direct = memory.equals("DIRECT");
        buffer = switch (library) {
            case "agrona" ->
                direct ? new UnsafeBuffer(ByteBuffer.allocateDirect(BYTES)) : new UnsafeBuffer(new byte[BYTES]);
            case "sluice" -> direct ? SafeBuffer.allocateDirect(BYTES) : SafeBuffer.allocate(BYTES);
            default -> throw new IllegalArgumentException("library must be agrona or sluice, but was " + library);
        };
        places = new SplittableRandom(1)
                .ints(LONGS, 0, LONGS)
                .map(place -> place * Long.BYTES)
                .toArray();
    }

    /**
     * Reads longs in order.
     *
     * @return their sum
     */
    @Benchmark
    public long getLong() {
        long sum = 0;
        for (int i = 0; i < BYTES; i += Long.BYTES) {
            sum += buffer.getLong(i);
        }
        return sum;
    }

    /** Writes longs in order. */
    @Benchmark
    public void putLong() {
        for (int i = 0; i < BYTES; i += Long.BYTES) {
            buffer.putLong(i, i);
        }
    }

    /**
     * Reads ints in order.
     *
     * @return their sum
     */
    @Benchmark
    public int getInt() {
        int sum = 0;
        for (int i = 0; i < BYTES; i += Long.BYTES) {
            sum += buffer.getInt(i);
        }
        return sum;
    }

    /** Writes ints in order. */
    @Benchmark
    public void putInt() {
        for (int i = 0; i < BYTES; i += Long.BYTES) {
            buffer.putInt(i, i);
        }
    }

    /**
     * Reads longs in a random order.
     *
     * @return their sum
     */
    @Benchmark
    public long getLongAtRandom() {
        long sum = 0;
        for (int place : places) {
            sum += buffer.getLong(place);
        }
        return sum;
    }

    /** Writes longs in a random order. */
    @Benchmark
    public void putLongAtRandom() {
        for (int place : places) {
            buffer.putLong(place, place);
        }
    }

    /**
     * Reads longs with acquire.
     *
     * @return their sum
     */
    @Benchmark
    public long getLongAcquire() {
        long sum = 0;
        for (int i = 0; i < BYTES; i += Long.BYTES) {
            sum += buffer.getLongAcquire(i); // acquire: what is measured
        }
        return sum;
    }

    /** Writes longs with release. */
    @Benchmark
    public void putLongRelease() {
        for (int i = 0; i < BYTES; i += Long.BYTES) {
            buffer.putLongRelease(i, i); // release: what is measured
        }
    }

    /** A message as it comes: an int, a long and a double behind each other, then its stamp with release. */
    @Benchmark
    public void message() {
        for (int i = 0; i < BYTES; i += 32) {
            buffer.putInt(i + 8, i);
            buffer.putLong(i + 16, i);
            buffer.putDouble(i + 24, i);
            buffer.putLongRelease(i, i); // release: what is measured
        }
    }

    /**
     * Sets longs by compare-and-set.
     *
     * @return how many times it was the first
     */
    @Benchmark
    public int compareAndSetLong() {
        int set = 0;
        for (int i = 0; i < BYTES; i += Long.BYTES) {
            if (buffer.compareAndSetLong(i, 0, 0)) { // CAS: what is measured
                set++;
            }
        }
        return set;
    }

    /**
     * Reads ints in a random order.
     *
     * @return their sum
     */
    @Benchmark
    public int getIntAtRandom() {
        int sum = 0;
        for (int place : places) {
            sum += buffer.getInt(place);
        }
        return sum;
    }

    /** Writes ints in a random order. */
    @Benchmark
    public void putIntAtRandom() {
        for (int place : places) {
            buffer.putInt(place, place);
        }
    }

    /**
     * Reads ints with acquire.
     *
     * @return their sum
     */
    @Benchmark
    public int getIntAcquire() {
        int sum = 0;
        for (int i = 0; i < BYTES; i += Long.BYTES) {
            sum += buffer.getIntAcquire(i); // acquire: what is measured
        }
        return sum;
    }

    /** Writes ints with release. */
    @Benchmark
    public void putIntRelease() {
        for (int i = 0; i < BYTES; i += Long.BYTES) {
            buffer.putIntRelease(i, i); // release: what is measured
        }
    }

    /**
     * Sets ints by compare-and-set.
     *
     * @return how many times it was the first
     */
    @Benchmark
    public int compareAndSetInt() {
        int set = 0;
        for (int i = 0; i < BYTES; i += Long.BYTES) {
            if (buffer.compareAndSetInt(i, 0, 0)) { // CAS: what is measured
                set++;
            }
        }
        return set;
    }

    /**
     * Reads longs with acquire, in a random order.
     *
     * @return their sum
     */
    @Benchmark
    public long getLongAcquireAtRandom() {
        long sum = 0;
        for (int place : places) {
            sum += buffer.getLongAcquire(place); // acquire: what is measured
        }
        return sum;
    }

    /** Writes longs with release, in a random order. */
    @Benchmark
    public void putLongReleaseAtRandom() {
        for (int place : places) {
            buffer.putLongRelease(place, place); // release: what is measured
        }
    }

    /**
     * Sets longs by compare-and-set, in a random order.
     *
     * @return how many times it was the first
     */
    @Benchmark
    public int compareAndSetLongAtRandom() {
        int set = 0;
        for (int place : places) {
            if (buffer.compareAndSetLong(place, 0, 0)) { // CAS: what is measured
                set++;
            }
        }
        return set;
    }

    /**
     * Reads ints with acquire, in a random order.
     *
     * @return their sum
     */
    @Benchmark
    public int getIntAcquireAtRandom() {
        int sum = 0;
        for (int place : places) {
            sum += buffer.getIntAcquire(place); // acquire: what is measured
        }
        return sum;
    }

    /** Writes ints with release, in a random order. */
    @Benchmark
    public void putIntReleaseAtRandom() {
        for (int place : places) {
            buffer.putIntRelease(place, place); // release: what is measured
        }
    }

    /**
     * Sets ints by compare-and-set, in a random order.
     *
     * @return how many times it was the first
     */
    @Benchmark
    public int compareAndSetIntAtRandom() {
        int set = 0;
        for (int place : places) {
            if (buffer.compareAndSetInt(place, 0, 0)) { // CAS: what is measured
                set++;
            }
        }
        return set;
    }
}
