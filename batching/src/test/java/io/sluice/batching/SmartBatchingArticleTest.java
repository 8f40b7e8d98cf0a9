package io.sluice.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sluice.core.FailurePolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/**
 * The worked example of Martin Thompson, <em>Smart Batching</em> (2011), in virtual time: ten messages want to be sent at
 * once over a device that takes 100 µs a send. The article's table:
 *
 * <pre>
 *                    best   average   worst   packets
 *   serial            100       500   1,000        10
 *   smart batching    100       150     200       1-2
 * </pre>
 *
 * <p>The article rounds the averages: to half of the worst case for serial sends (exactly it is 550), and to the middle
 * between best and worst case for smart batching (exactly it is 145 over all ways in which the ten can meet the first send,
 * and 190 in the worst of them, where one goes alone and nine together).
 */
class SmartBatchingArticleTest {
    private static final int MESSAGES = 10;
    private static final long SEND_MICROS = 100;

    private long now;

    @Test
    void serialSends() {
        Outcome outcome = send(MESSAGES, 1);
        assertThat(outcome.best()).isEqualTo(100);
        assertThat(outcome.worst()).isEqualTo(1_000);
        assertThat(outcome.average()).isEqualTo(550);
        assertThat(outcome.worst() / 2).as("the article's average").isEqualTo(500);
        assertThat(outcome.packets()).isEqualTo(10);
    }

    @Test
    void smartBatching() {
        List<Outcome> outcomes = new ArrayList<>();
        for (int first = 1; first <= MESSAGES; first++) {
            outcomes.add(send(first, MESSAGES));
        }
        Outcome unlucky = outcomes.get(0);
        Outcome lucky = outcomes.get(MESSAGES - 1);
        assertThat(lucky).isEqualTo(new Outcome(100, 100, 100, 1));
        assertThat(unlucky).isEqualTo(new Outcome(100, 190, 200, 2));
        assertThat(outcomes).allSatisfy(outcome -> {
            assertThat(outcome.best()).isEqualTo(100);
            assertThat(outcome.worst()).isBetween(100L, 200L);
            assertThat(outcome.average()).isBetween(100.0, 190.0);
            assertThat(outcome.packets()).isBetween(1, 2);
        });
        assertThat((lucky.best() + unlucky.worst()) / 2)
                .as("the article's average")
                .isEqualTo(150);
        assertThat(outcomes.stream().mapToDouble(Outcome::average).average().orElseThrow())
                .isCloseTo(145, within(1e-9));
    }

    private record Outcome(long best, double average, long worst, int packets) {}

    /** All messages want to be sent at time 0; {@code first} of them get into the queue before the first send begins. */
    private Outcome send(int first, int maxMessages) {
        now = 0;
        Queue<Integer> queue = new ArrayDeque<>();
        long[] latencies = new long[MESSAGES];
        int[] packets = {0};
        for (int i = 0; i < first; i++) {
            queue.add(i);
        }
        BatchSink device = batch -> {
            if (packets[0]++ == 0) {
                for (int i = first; i < MESSAGES; i++) {
                    queue.add(i); // while the device is busy
                }
            }
            now += SEND_MICROS;
            for (int i = 0; i < batch.messages(); i++) {
                latencies[batch.buffer().getInt(batch.offset(i))] = now;
            }
            batch.buffer().position(batch.buffer().limit());
        };
        Batcher<Integer> batcher = new Batcher<>(
                queue,
                (message, buffer, offset) -> {
                    buffer.putInt(offset, message);
                    return Integer.BYTES;
                },
                device,
                BatchingConfig.defaults().maxMessages(maxMessages),
                (cause, event, sequence, attempt) -> FailurePolicy.Action.HALT);
        while (batcher.doWork() > 0) {
            // until the queue is empty
        }
        return new Outcome(
                Arrays.stream(latencies).min().orElseThrow(),
                Arrays.stream(latencies).average().orElseThrow(),
                Arrays.stream(latencies).max().orElseThrow(),
                packets[0]);
    }
}
