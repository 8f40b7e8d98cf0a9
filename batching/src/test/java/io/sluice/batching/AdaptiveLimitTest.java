package io.sluice.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.core.FailurePolicy;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class AdaptiveLimitTest {
    private static final int MESSAGE = 16;

    private long now;
    private double nanosPerCall = 10_000;
    private double nanosPerByte = 10;
    private long longest;
    private int batches;

    @Test
    void itFindsTheLimitThatTheTargetAllowsAndFollowsTheDevice() {
        AdaptiveLimit limit = new AdaptiveLimit(50_000, 64, 1 << 20);
        Batcher<Integer> batcher = batcher(limit, 1 << 16);
        run(batcher, 200, 1);
        assertThat(limit.nanosPerCall()).isCloseTo(10_000, within(1_000.0));
        assertThat(limit.nanosPerByte()).isCloseTo(10, within(1.0));
        assertThat(limit.limit()).isBetween(3_500, 4_500); // (50,000 - 10,000) / 10
        longest = 0;
        run(batcher, 100, 2);
        assertThat(longest).isLessThanOrEqualTo(55_000);

        nanosPerByte = 40;
        run(batcher, 300, 3);
        assertThat(limit.limit()).isBetween(800, 1_200);
        longest = 0;
        run(batcher, 100, 4);
        assertThat(longest).isLessThanOrEqualTo(60_000);
    }

    @Test
    void withoutItTheSameLoadTakesLonger() {
        run(batcher(null, 1 << 16), 50, 1);
        assertThat(longest).isGreaterThan(500_000);
    }

    @Test
    void aDeviceThatCannotMeetTheTargetGetsTheShortestBatches() {
        AdaptiveLimit limit = new AdaptiveLimit(5_000, 64, 1 << 20);
        run(batcher(limit, 1 << 16), 200, 1);
        assertThat(limit.limit()).isEqualTo(64);
        assertThat(batches).isGreaterThan(200);
    }

    @Test
    void aMessageOverTheLimitGoesAlone() {
        AdaptiveLimit limit = new AdaptiveLimit(1, 1, 8);
        RecordingSink sink = new RecordingSink();
        Queue<String> queue = new ArrayDeque<>();
        queue.add("longer than eight");
        queue.add("as long as that");
        Batcher<String> batcher = new Batcher<>(
                queue,
                RecordingSink::encode,
                sink,
                BatchingConfig.defaults().adaptiveLimit(limit),
                (cause, event, sequence, attempt) -> FailurePolicy.Action.HALT);
        batcher.doWork();
        assertThat(sink.batches).containsExactly("longer than eight", "as long as that");
    }

    /** Half of each batch is taken by a send that fails. Only the send of the rest is measured. */
    @Test
    @Timeout(60)
    void aDeviceThatFailsInTheMidstOfEachBatchIsNotTakenForTwiceAsFast() {
        AdaptiveLimit limit = new AdaptiveLimit(1_000_000, 1 << 16, 1 << 16); // as long as the buffer
        boolean[] fails = {true};
        BatchSink device = batch -> {
            ByteBuffer buffer = batch.buffer();
            int bytes = fails[0] ? buffer.remaining() / 2 : buffer.remaining();
            now += 10L * bytes;
            buffer.position(buffer.position() + bytes);
            fails[0] = !fails[0];
            if (!fails[0]) {
                throw new IOException("planned");
            }
        };
        Batcher<Integer> batcher = new Batcher<>(
                queue,
                (message, buffer, offset) -> MESSAGE,
                device,
                BatchingConfig.defaults().bufferSize(1 << 16).clock(() -> now).adaptiveLimit(limit),
                (cause, event, sequence, attempt) -> FailurePolicy.Action.RETRY_EVENT);
        for (int i = 0; i < 20; i++) {
            for (int j = 0; j < 100 * (1 + i % 2); j++) {
                queue.add(j);
            }
            batcher.doWork(); // takes half, and fails
            batcher.doWork();
            assertThat(batcher.pendingMessages()).isZero();
        }
        assertThat(limit.nanosPerByte()).isCloseTo(10, within(0.1));
    }

    @Test
    void badInputIsNamed() {
        assertThatThrownBy(() -> new AdaptiveLimit(0, 1, 1)).hasMessage("targetNanos must be 1 or more, but was 0");
        assertThatThrownBy(() -> new AdaptiveLimit(1, 0, 1)).hasMessage("minBytes must be 1 or more, but was 0");
        assertThatThrownBy(() -> new AdaptiveLimit(1, 5, 4)).hasMessage("maxBytes must be 5 or more, but was 4");
    }

    /** Rounds in which more is waiting than the limit lets go, now and then only a little. */
    private void run(Batcher<Integer> batcher, int rounds, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < rounds; i++) {
            int waiting = random.nextInt(5) == 0 ? 1 + random.nextInt(20) : 4_000;
            for (int j = 0; j < waiting; j++) {
                queue.add(j);
            }
            do {
                batcher.doWork();
            } while (!queue.isEmpty() && random.nextInt(20) != 0);
        }
        queue.clear();
    }

    private final Queue<Integer> queue = new ArrayDeque<>();

    private Batcher<Integer> batcher(@org.jspecify.annotations.Nullable AdaptiveLimit limit, int bufferSize) {
        BatchSink device = batch -> {
            long service = (long) (nanosPerCall + nanosPerByte * batch.length());
            now += service;
            longest = Math.max(longest, service);
            batches++;
            batch.buffer().position(batch.buffer().limit());
        };
        BatchingConfig config = BatchingConfig.defaults()
                .bufferSize(bufferSize)
                .maxMessages(1 << 14)
                .clock(() -> now);
        return new Batcher<>(
                queue,
                (message, buffer, offset) -> MESSAGE,
                device,
                limit == null ? config : config.adaptiveLimit(limit),
                (cause, event, sequence, attempt) -> FailurePolicy.Action.HALT);
    }
}
