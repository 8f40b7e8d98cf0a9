package io.sluice.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several handlers or batchers over one sink, on one thread: each message arrives once, whose batch it ever was in. */
@Timeout(60)
class SharedSinkTest {
    private final RecordingSink journal = new RecordingSink();
    private final RecordingSink feed = new RecordingSink();
    private final CompositeSink both = new CompositeSink(List.of(journal, feed));

    @Test
    void twoBatchersInLockStepOverACompositeLoseNothing() {
        Queue<String> first = new ArrayDeque<>();
        Queue<String> second = new ArrayDeque<>();
        Batcher<String> one = batcher(first);
        Batcher<String> other = batcher(second);
        for (int i = 0; i < 3; i++) {
            first.addAll(List.of("a", "b", "c"));
            second.add("d"); // shorter, then longer
            second.addAll(i == 1 ? List.of("e", "f", "g") : List.of());
            one.doWork();
            other.doWork();
        }
        assertThat(journal.taken()).isEqualTo("abcdabcdefgabcd");
        assertThat(feed.taken()).isEqualTo("abcdabcdefgabcd");
        assertThat(journal.ends).isEqualTo(6);
    }

    @Test
    void aHandlerThatTakesOverACompositeFromOneThatHasEndedLosesNothing() throws Exception {
        BatchingHandler<String> before = handler(both);
        before.onEvent("abc", 0, true);
        before.onShutdown();
        BatchingHandler<String> after = handler(both);
        after.onEvent("de", 0, true);
        assertThat(journal.taken()).isEqualTo("abcde");
        assertThat(feed.taken()).isEqualTo("abcde");
    }

    @Test
    void aBatchThatIsOfferedAgainBehindAnothersIsSentToNobodyTwice() throws Exception {
        CompositeSink within = new CompositeSink(List.of(both, new RecordingSink()));
        BatchingHandler<String> one = handler(within);
        BatchingHandler<String> other = handler(within);
        feed.script.add(RecordingSink.failAfter(1));
        assertThatThrownBy(() -> one.onEvent("abc", 0, true)).isInstanceOf(SinkException.class);
        other.onEvent("de", 0, true);
        one.onEvent("abc", 0, true); // RETRY_EVENT
        assertThat(journal.taken()).isEqualTo("abcde");
        assertThat(feed.taken()).isEqualTo("adebc");
        assertThat(one.pendingMessages() + other.pendingMessages()).isZero();
    }

    @Test
    void anotherBatchIsOfferedFromItsStartThoughOneWasGivenUp() throws Exception {
        BatchingHandler<String> handler = handler(both);
        feed.script.add(RecordingSink.failAfter(1));
        assertThatThrownBy(() -> handler.onEvent("abc", 0, true)).isInstanceOf(SinkException.class);
        handler.discardPending();
        handler.onEvent("de", 1, true);
        assertThat(journal.taken()).isEqualTo("abcde");
        assertThat(feed.taken()).isEqualTo("ade");
    }

    @Test
    void batchesOfDifferentHandlersHaveDifferentNumbers() throws Exception {
        List<Long> ids = new ArrayList<>();
        BatchSink sink = batch -> {
            ids.add(batch.id());
            batch.buffer().position(batch.buffer().limit());
        };
        BatchingHandler<String> one = handler(sink);
        BatchingHandler<String> other = handler(sink);
        for (int i = 0; i < 3; i++) {
            one.onEvent("a", i, true);
            other.onEvent("b", i, true);
        }
        assertThat(ids).doesNotHaveDuplicates().isSorted().hasSize(6);
    }

    /** It has a part of a message when its peer breaks the connection, and another handler is the first to notice. */
    @ParameterizedTest
    @CsvSource({"AT_MOST_ONCE, false", "AT_LEAST_ONCE, false", "AT_MOST_ONCE, true"})
    @Tag("concurrency")
    void noPeerGetsTheRestOfAMessageWhoseBeginWentToAnotherConnection(StreamSink.Delivery delivery, boolean header)
            throws Exception {
        String big = "x".repeat(1 << 20) + "|";
        try (ServerSocketChannel server = ServerSocketChannel.open()
                        .setOption(StandardSocketOptions.SO_RCVBUF, 4096)
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel first = SocketChannel.open().setOption(StandardSocketOptions.SO_SNDBUF, 4096)) {
            first.connect(server.getLocalAddress());
            first.configureBlocking(false);
            SocketChannel peer = server.accept();
            SocketChannel[] second = new SocketChannel[1];
            StreamSink sink = new StreamSink(first, delivery, (failed, cause) -> {
                second[0] = SocketChannel.open(server.getLocalAddress());
                return second[0];
            });
            BatchingConfig config = BatchingConfig.defaults().bufferSize(2 << 20);
            BatchingConfig impatient = config.sinkIdle(NoOpIdleStrategy.INSTANCE, 0);
            BatchingHandler<String> one = new BatchingHandler<>(
                    RecordingSink::encode,
                    sink,
                    header ? impatient.header(1, batch -> batch.buffer().put(0, (byte) '#')) : impatient);
            BatchingHandler<String> other = new BatchingHandler<>(
                    RecordingSink::encode,
                    sink,
                    config.sinkIdle(new YieldingIdleStrategy(), TimeUnit.SECONDS.toNanos(20)));
            one.onEvent("small|", 0, false);
            assertThatThrownBy(() -> one.onEvent(big, 1, true))
                    .isInstanceOf(SinkException.class)
                    .hasMessageContaining("1 of 2 messages not taken");
            peer.setOption(StandardSocketOptions.SO_LINGER, 0).close(); // a reset

            CompletableFuture<String> got = CompletableFuture.supplyAsync(() -> readAll(server));
            other.onEvent("other|", 0, true);
            one.onEvent(big, 1, true); // RETRY_EVENT
            second[0].close();
            boolean all = header || delivery == StreamSink.Delivery.AT_LEAST_ONCE;
            assertThat(got.get(20, TimeUnit.SECONDS).replace(big, "big|").replaceAll("x{2,}", "..."))
                    .isEqualTo("other|" + (header ? "#" : "") + (all ? "small|" : "") + "big|");
            assertThat(one.pendingMessages() + other.pendingMessages()).isZero();
        }
    }

    private static String readAll(ServerSocketChannel server) {
        try (SocketChannel accepted = server.accept()) {
            return new String(accepted.socket().getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Batcher<String> batcher(Queue<String> queue) {
        return new Batcher<>(
                queue,
                RecordingSink::encode,
                both,
                BatchingConfig.defaults(),
                (cause, event, sequence, attempt) -> FailurePolicy.Action.HALT);
    }

    private static BatchingHandler<String> handler(BatchSink sink) {
        return new BatchingHandler<>(RecordingSink::encode, sink, BatchingConfig.defaults());
    }
}
