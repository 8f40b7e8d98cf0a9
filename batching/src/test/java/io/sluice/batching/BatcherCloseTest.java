package io.sluice.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicy.Action;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.junit.jupiter.api.Test;

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
