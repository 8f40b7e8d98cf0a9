package io.sluice.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

/** Several handlers or batchers over one sink, on one thread: each message arrives once, whose batch it ever was in. */
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
