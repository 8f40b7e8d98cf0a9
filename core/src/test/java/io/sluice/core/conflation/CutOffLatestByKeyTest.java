package io.sluice.core.conflation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Offers and drains that the end of the stack cuts off, at whatever place: no key is lost, and none comes twice. */
@Tag("once")
@Timeout(110)
class CutOffLatestByKeyTest {
    private static final int KEYS = 3;

    @Test
    void anOfferThatIsCutOffLosesNoKey() throws Exception {
        onAShortStack(CutOffLatestByKeyTest::offers);
    }

    @Test
    void aDrainThatIsCutOffLosesNoKey() throws Exception {
        onAShortStack(CutOffLatestByKeyTest::drains);
    }

    private static void onAShortStack(Runnable body) throws InterruptedException {
        List<Throwable> thrown = new ArrayList<>();
        Thread thread = new Thread(null, body, "shallow", 512 << 10);
        thread.setUncaughtExceptionHandler((one, t) -> thrown.add(t));
        thread.start();
        thread.join();
        assertThat(thrown).isEmpty();
    }

    private static void offers() {
        atEachDepth((step, cutOff) -> {
            LatestByKey<String> latest = new LatestByKey<>(KEYS, old -> {});
            boolean[] whole = {false};
            cutOff.accept(() -> {
                latest.offer(0, "a");
                whole[0] = true;
            });
            List<String> first = drained(latest);
            if (whole[0]) {
                assertThat(first).as("step " + step).containsExactly("0=a");
            } else {
                assertThat(first).as("step " + step).isSubsetOf("0=a");
            }
            checkEachKeyComesOnce(latest, step);
            return whole[0];
        });
    }

    private static void drains() {
        atEachDepth((step, cutOff) -> {
            LatestByKey<String> latest = new LatestByKey<>(KEYS, old -> {});
            for (int key = 0; key < KEYS; key++) {
                latest.offer(key, "a");
            }
            List<String> got = new ArrayList<>();
            boolean[] whole = {false};
            cutOff.accept(() -> {
                latest.drain((key, value) -> got.add(key + "=" + value), KEYS);
                whole[0] = true;
            });
            got.addAll(drained(latest));
            // the one whose handler was cut off counts as delivered
            assertThat(got)
                    .as("step " + step)
                    .isSubsetOf("0=a", "1=a", "2=a")
                    .doesNotHaveDuplicates()
                    .hasSizeBetween(whole[0] ? KEYS : KEYS - 1, KEYS);
            assertThat(latest.delivered()).isEqualTo(KEYS);
            checkEachKeyComesOnce(latest, step);
            return whole[0];
        });
    }

    private static void checkEachKeyComesOnce(LatestByKey<String> latest, int step) {
        for (int round = 0; round < 2; round++) {
            for (int key = 0; key < KEYS; key++) {
                latest.offer(key, "b");
            }
            assertThat(drained(latest)).as("behind step " + step).containsExactlyInAnyOrder("0=b", "1=b", "2=b");
        }
    }

    private static List<String> drained(LatestByKey<String> latest) {
        List<String> got = new ArrayList<>();
        while (latest.drain((key, value) -> got.add(key + "=" + value), 1) > 0) {
            assertThat(got).hasSizeLessThan(100);
        }
        return got;
    }

    private interface Step {
        /** Does something at the depth of a step; whether it was not cut off. */
        boolean run(int step, Consumer<Runnable> cutOff);
    }

    private static void atEachDepth(Step body) {
        int cut = 0;
        int wholeInARow = 0;
        for (int step = -1; wholeInARow < 24; step++) {
            assertThat(step).as("steps").isLessThan(4_000);
            int spared = step / 8;
            int finer = step % 8;
            boolean whole = body.run(
                    step,
                    step < 0
                            ? Runnable::run // only to load and link what there would be no stack for
                            : work -> deep(() -> below(finer, work), new int[] {spared}));
            cut += whole ? 0 : 1;
            wholeInARow = whole ? wholeInARow + 1 : 0;
        }
        assertThat(cut).as("calls that were cut off").isPositive();
    }

    /** By some frames of another size than those of the way down, so that less of the stack lies between two depths. */
    private static void below(int frames, Runnable work) {
        if (frames > 0) {
            below(frames - 1, work);
        } else {
            work.run();
        }
    }

    /** Goes down to the end of the stack, then up by as many frames as are spared, and works there. */
    @SuppressWarnings("InfiniteRecursion") // to the end of the stack
    private static void deep(Runnable work, int[] spared) {
        try {
            deep(work, spared);
        } catch (StackOverflowError e) {
            if (spared[0]-- > 0) {
                throw e;
            }
            spared[0] = Integer.MIN_VALUE;
            try {
                work.run();
            } catch (StackOverflowError again) {
                // as planned
            }
        }
    }
}
