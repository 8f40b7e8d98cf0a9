package io.sluice.perf.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A contestant is warm once the compilers rest. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CompilersTest {
    private static final long SAMPLE_NANOS = 1_000;

    /** How many samples it takes, where the compilers work so long in each. */
    private static int samples(long otherwise, Long... workInEach) throws Exception {
        Deque<Long> left = new ArrayDeque<>(List.of(workInEach));
        AtomicLong atWork = new AtomicLong();
        AtomicInteger samples = new AtomicInteger();
        boolean rest = Compilers.awaitRest(
                nanos -> {
                    assertEquals(SAMPLE_NANOS, nanos);
                    samples.incrementAndGet();
                    atWork.addAndGet(left.isEmpty() ? otherwise : left.remove());
                    return 0;
                },
                SAMPLE_NANOS,
                atWork::get);
        assertEquals(samples.get() < Compilers.MOST_SAMPLES, rest);
        return samples.get();
    }

    @Test
    void twoQuietSamplesInARowAreEnough() throws Exception {
        assertEquals(2, samples(0));
        assertEquals(2, samples(SAMPLE_NANOS / 50));
        assertEquals(5, samples(0, 900L, 900L, 21L));
    }

    @Test
    void oneQuietSampleBetweenTwoCompilationsIsNot() throws Exception {
        assertEquals(6, samples(0, 900L, 0L, 900L, 900L));
    }

    @Test
    void compilersThatNeverRestAreGivenUp() throws Exception {
        assertEquals(Compilers.MOST_SAMPLES, samples(900));
    }

    @Test
    void theCompilersOfThisJvmAreSeen() {
        long least = Compilers.nanosAtWork();
        boolean seen = false;
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(50);
        double sum = 0;
        while (!seen && System.nanoTime() < end) { // its own loop is compiled before long
            for (int i = 0; i < 100_000; i++) {
                sum += Math.sqrt(i + sum);
            }
            long now = Compilers.nanosAtWork();
            seen = now > least;
            least = Math.min(least, now); // a compiler's thread that ends takes its time with it
        }
        assertTrue(seen, "no compiler was at work");
        assertTrue(sum > 0);
    }
}
