package io.sluice.core.conflation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testing.StackEnd;
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
            int now = step;
            boolean whole = body.run(step, work -> StackEnd.atStep(now, work));
            cut += whole ? 0 : 1;
            wholeInARow = whole ? wholeInARow + 1 : 0;
        }
        assertThat(cut).as("calls that were cut off").isPositive();
    }
}
