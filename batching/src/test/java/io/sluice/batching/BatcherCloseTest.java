package io.sluice.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicy.Action;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a batcher has taken from its source goes out when it is closed, or is reported. */
class BatcherCloseTest {
    private static final BatchingConfig CONFIG =
            BatchingConfig.defaults().bufferSize(8).sinkIdle(NoOpIdleStrategy.INSTANCE, 0);

    private final RecordingSink sink = new RecordingSink();
    private final Queue<String> queue = new ArrayDeque<>();
    private int encoderFailures;
    private final Batcher<String> batcher = new Batcher<>(
            queue,
            (event, buffer, offset) -> {
                if (event.startsWith("!") && encoderFailures-- > 0) {
                    throw new IllegalStateException("not yet");
                }
                return RecordingSink.encode(event, buffer, offset);
            },
            sink,
            CONFIG,
            (cause, event, sequence, attempt) -> Action.RETRY_EVENT);

    @Test
    void anElementThatDidNotFitBehindWhatAFailingSinkLeftGoesOutWhenTheBatcherIsClosed() {
        failWithOneElementBehind();
        batcher.onClose();
        assertThat(sink.taken()).isEqualTo("abcdefghijk");
        assertThat(sink.ends).isPositive();
        assertThat(batcher.pendingMessages()).isZero();
        assertThat(sink.closed).isTrue();
    }

    @Test
    void anElementThatDoesNotGoOutEitherIsNamedWhenTheBatcherIsClosed() {
        failWithOneElementBehind();
        sink.script.add(RecordingSink.failAfter(2));
        assertThatThrownBy(batcher::onClose)
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("the batcher was closed with 2 messages left, the last of element 1: ")
                .hasCauseInstanceOf(SinkException.class);
        assertThat(batcher.pendingMessages()).isEqualTo(2);
        assertThat(sink.closed).isTrue();
    }

    private void failWithOneElementBehind() {
        queue.addAll(List.of("abcdef", "ghijk"));
        sink.script.add(RecordingSink.failAfter(0));
        batcher.doWork();
        assertThat(queue).isEmpty();
        assertThat(batcher.pendingMessages()).isEqualTo(2);
    }

    @Test
    void anElementWhoseEncoderFailedIsTriedOnceMoreWhenTheBatcherIsClosed() {
        encoderFailures = 1;
        queue.addAll(List.of("a", "!b"));
        batcher.doWork();
        assertThat(batcher.pendingMessages()).isEqualTo(2);
        batcher.onClose();
        assertThat(sink.taken()).isEqualTo("a!b");
        assertThat(sink.ends).isPositive();
        assertThat(batcher.pendingMessages()).isZero();
    }

    @Test
    void anElementThatCannotBeEncodedIsNamedWhenTheBatcherIsClosedAndThoseBeforeItGoOut() {
        encoderFailures = 2;
        queue.addAll(List.of("a", "!b"));
        batcher.doWork();
        assertThatThrownBy(batcher::onClose)
                .isInstanceOf(UncheckedIOException.class)
                .hasMessageContaining("the batcher was closed with 1 messages left, the last of element 1: ")
                .hasRootCauseMessage("not yet");
        assertThat(sink.taken()).isEqualTo("a");
        assertThat(sink.ends).isEqualTo(1);
        assertThat(batcher.pendingMessages()).isEqualTo(1);
        assertThat(sink.closed).isTrue();
    }

    /** Without a limit of time, as the configuration says. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(30)
    void aCloseThatWaitsForASinkThatTakesNothingIsEndedByAnInterrupt(boolean handler) throws InterruptedException {
        CountDownLatch waits = new CountDownLatch(1000);
        BatchSink full = new BatchSink() {
            @Override
            public void send(Batch batch) {
                waits.countDown();
            }

            @Override
            public void close() {
                sink.close();
            }
        };
        Thread closer = Thread.currentThread();
        Thread interrupter = new Thread(() -> {
            try {
                waits.await();
                closer.interrupt();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        int[] asked = {0};
        IdleStrategy endless = new IdleStrategy() {
            @Override
            public void idle() {
                if (asked[0]++ == 0) { // while it works; the close comes to it again
                    throw new IllegalStateException("planned");
                }
            }

            @Override
            public void idle(int work) {
                idle();
            }

            @Override
            public void reset() {}
        };
        BatchingConfig config = CONFIG.sinkIdle(endless, Long.MAX_VALUE);
        ThrowingCallable close;
        if (handler) {
            BatchingHandler<String> batching = new BatchingHandler<>(RecordingSink::encode, full, config);
            assertThatThrownBy(() -> batching.onEvent("a", 0, true)).hasRootCauseMessage("planned");
            close = batching::onShutdown;
        } else {
            queue.add("a");
            Batcher<String> other = new Batcher<>(
                    queue,
                    RecordingSink::encode,
                    full,
                    config,
                    (cause, event, sequence, attempt) -> Action.RETRY_EVENT);
            assertThat(other.doWork()).isEqualTo(1);
            close = other::onClose;
        }
        interrupter.start();
        assertThatThrownBy(close)
                .isInstanceOf(UncheckedIOException.class)
                .hasRootCauseMessage("interrupted while the sink took nothing; 1 of 1 messages not taken");
        assertThat(Thread.interrupted()).as("the flag stays set").isTrue();
        interrupter.join();
        assertThat(sink.closed).isEqualTo(!handler);
    }

    @Test
    void aSinkThatFailsWhenItIsClosedWithNothingLeftIsReported() {
        BatchSink failing = new BatchSink() {
            @Override
            public void send(Batch batch) {}

            @Override
            public void close() throws IOException {
                throw new IOException("no close");
            }
        };
        Batcher<String> other = new Batcher<>(
                queue, RecordingSink::encode, failing, CONFIG, (cause, event, sequence, attempt) -> Action.HALT);
        assertThatThrownBy(other::onClose)
                .isInstanceOf(UncheckedIOException.class)
                .hasMessage("the batcher was closed with 0 messages left: java.io.IOException: no close")
                .hasRootCauseMessage("no close");
    }
}
