package io.sluice.core.conflation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The latest value of each key, against a model and under two producers. */
@Timeout(60)
class LatestByKeyTest {
    private final List<String> dropped = new ArrayList<>();

    @Test
    void randomOffersAndDrainsAgreeWithAModel() throws Exception {
        RandomPrograms.of(seed -> SeededProgram.of(seed, 200), program -> {
                    agreesWithAModel(program);
                    return program.size();
                })
                .budget("io.sluice.model.steps", 40_000)
                .from(77)
                .run();
    }

    private static void agreesWithAModel(SeededProgram program) {
        SplittableRandom random = program.random();
        int keys = random.nextInt(1, 10);
        List<String> lost = new ArrayList<>();
        LatestByKey<String> latest = new LatestByKey<>(keys, lost::add);
        String[] model = new String[keys];
        Deque<Integer> order = new ArrayDeque<>();
        List<String> expectedLost = new ArrayList<>();
        long delivered = 0;
        for (int step : program.steps()) {
            random = program.random(step);
            if (random.nextInt(3) > 0) {
                int key = random.nextInt(keys);
                String value = key + ":" + step;
                boolean replaced = latest.offer(key, value);
                assertThat(replaced).isEqualTo(model[key] != null);
                if (replaced) {
                    expectedLost.add(model[key]);
                } else {
                    order.add(key);
                }
                model[key] = value;
            } else {
                int limit = random.nextInt(1, 5);
                List<String> got = new ArrayList<>();
                int count = latest.drain((key, value) -> got.add(key + "=" + value), limit);
                List<String> expected = new ArrayList<>();
                while (expected.size() < limit && !order.isEmpty()) {
                    int key = order.remove();
                    expected.add(key + "=" + model[key]);
                    model[key] = null;
                }
                delivered += expected.size();
                assertThat(got).isEqualTo(expected);
                assertThat(count).isEqualTo(expected.size());
            }
        }
        assertThat(lost).isEqualTo(expectedLost);
        assertThat(latest.conflated()).isEqualTo(lost.size());
        assertThat(latest.delivered()).isEqualTo(delivered);
        assertThat(latest.keys()).isEqualTo(keys);
    }

    /**
     * Each producer counts up for each key; a consumer never sees a producer's numbers fall, and in the end has the last. With 1, 2
     * and 4 keys the queue of pending keys has as many places, and all of them are taken; with 5 it has 8.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 5})
    @Tag("concurrency")
    void theLastValueOfEachKeyIsDeliveredUnderTwoProducers(int keys) throws Exception {
        int rounds = 40_000;
        LatestByKey<long[]> latest = new LatestByKey<>(keys, value -> {});
        List<Thread> producers = new ArrayList<>();
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        for (int i = 0; i < 2; i++) {
            int who = i;
            producers.add(new Thread(() -> {
                for (int round = 1; round <= rounds; round++) {
                    latest.offer(round % keys, new long[] {who, round, ~round});
                }
            }));
        }
        long[][] last = new long[keys][2];
        long[] delivered = {0};
        LatestByKey.Handler<long[]> check = (key, value) -> {
            delivered[0]++;
            assertThat(value[2]).as("torn").isEqualTo(~value[1]);
            assertThat(value[1] % keys).as("of another key").isEqualTo(key);
            assertThat(value[1]).as("older than before").isGreaterThan(last[key][(int) value[0]]);
            last[key][(int) value[0]] = value[1];
        };
        for (Thread one : producers) {
            one.setUncaughtExceptionHandler((thread, t) -> thrown.set(t));
            one.start();
        }
        while (producers.stream().anyMatch(Thread::isAlive)) {
            latest.drain(check, 100);
        }
        while (latest.drain(check, 1) > 0) {}
        assertThat(thrown.get()).isNull();
        assertThat(delivered[0] + latest.conflated()).isEqualTo(2L * rounds);
        for (int key = 0; key < keys; key++) {
            long highest = (long) rounds - Math.floorMod(rounds - key, keys);
            assertThat(Math.max(last[key][0], last[key][1])).as("key " + key).isEqualTo(highest);
        }
    }

    /** Every number of keys up to two powers of two: all pending at once, and again with the queue's places taken over. */
    @Test
    void allKeysMayBePendingAtOnce() {
        for (int keys = 1; keys <= 33; keys++) {
            LatestByKey<Integer> latest = new LatestByKey<>(keys, value -> {});
            for (int round = 0; round < 3; round++) {
                List<Integer> expected = new ArrayList<>();
                List<Integer> got = new ArrayList<>();
                for (int key = 0; key < keys; key++) {
                    int which = (key + round) % keys;
                    assertThat(latest.offer(which, which)).as(keys + " keys").isFalse();
                    expected.add(which);
                }
                for (int key = 0; key < keys; key++) {
                    assertThat(latest.offer(key, key)).as(keys + " keys").isTrue();
                }
                assertThat(latest.drain((key, value) -> got.add(value), keys + 1))
                        .as(keys + " keys")
                        .isEqualTo(keys);
                assertThat(got).as(keys + " keys").isEqualTo(expected);
            }
        }
    }

    @Test
    void whatAHandlerThrowsReachesTheCallerAndLosesNothingElse() {
        LatestByKey<String> latest = new LatestByKey<>(2, value -> {
            throw new IllegalStateException("dropped " + value);
        });
        latest.offer(0, "a");
        assertThatThrownBy(() -> latest.offer(0, "b")).hasMessage("dropped a");
        latest.offer(1, "c");
        assertThatThrownBy(() -> latest.drain(
                        (key, value) -> {
                            throw new IllegalStateException("delivered " + value);
                        },
                        5))
                .hasMessage("delivered b");
        assertThat(latest.drain((key, value) -> dropped.add(key + value), 5)).isEqualTo(1);
        assertThat(dropped).containsExactly("1c");
    }

    /** A monitor counts on it: each value that was offered is delivered, conflated, or still there. */
    @Test
    void aReplacedValueCountsThoughWhoIsToldOfItThrows() {
        LatestByKey<String> latest = new LatestByKey<>(1, value -> {
            throw new IllegalStateException("dropped " + value);
        });
        latest.offer(0, "a");
        for (int i = 1; i <= 3; i++) {
            assertThatThrownBy(() -> latest.offer(0, "b")).isInstanceOf(IllegalStateException.class);
            assertThat(latest.conflated()).isEqualTo(i);
        }
        assertThatThrownBy(() -> latest.drain(
                        (key, value) -> {
                            throw new IllegalStateException("delivered " + value);
                        },
                        5))
                .hasMessage("delivered b");
        assertThat(latest.delivered()).isEqualTo(1);
        assertThat(latest.drain((key, value) -> dropped.add(value), 5)).isZero();
    }

    @Test
    void badInputIsRefused() {
        LatestByKey<String> latest = new LatestByKey<>(2, value -> {});
        assertThatThrownBy(() -> latest.offer(2, "a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("key must be from 0 to 1, but was 2");
        assertThatThrownBy(() -> latest.offer(-1, "a")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> latest.offer(0, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("value must not be null");
        assertThatThrownBy(() -> latest.drain((key, value) -> {}, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("limit must be 1 or more, but was 0");
        assertThatThrownBy(() -> new LatestByKey<>(0, value -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("keys must be from 1 to ");
    }
}
