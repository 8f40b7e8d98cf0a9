package io.sluice.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Of several sinks one fails; those that have taken something are told of the end, once, and no others. */
class EndAfterAFailedEndTest {
    private final RecordingSink journal = new RecordingSink();
    private final RecordingSink feed = new RecordingSink();
    private final BatchingHandler<String> handler = handler(new CompositeSink(List.of(journal, feed)));

    @Test
    void aJournalBesideASinkWhoseEndFailedIsToldOfTheEndOfTheNextBatchToo() throws Exception {
        feed.endFailures.add(new IOException("planned"));
        feed.endFailures.add(new IOException("planned"));
        assertThatThrownBy(() -> handler.onEvent("a", 0, true)).isInstanceOf(SinkException.class);
        assertThatThrownBy(() -> handler.onBatchEnd(0)).isInstanceOf(SinkException.class); // and is skipped
        assertThat(journal.ends).as("told once").isEqualTo(1);
        handler.onEvent("b", 1, true);
        handler.onBatchEnd(1);
        assertThat(journal.batches).containsExactly("a", "b");
        assertThat(journal.ends).as("what it took since is to be forced").isEqualTo(2);
        assertThat(feed.ends).isEqualTo(1);
    }

    @Test
    void whatAJournalHasTakenIsEndedThoughAFeedBehindItHasTakenNothingAndItIsGivenUp() throws Exception {
        feed.script.add(RecordingSink.failAfter(0));
        assertThatThrownBy(() -> handler.onEvent("a", 0, true)).isInstanceOf(SinkException.class);
        assertThat(handler.discardPending()).isEqualTo(1);
        handler.onEvent("a", 0, true); // RETRY_EVENT
        assertThat(journal.taken()).isEqualTo("a");
        assertThat(journal.ends).isEqualTo(1);
        handler.onBatchEnd(0);
        assertThat(journal.ends).as("once is enough").isEqualTo(1);

        handler.onEvent("b", 1, false);
        handler.discardPending();
        handler.onBatchEnd(1);
        assertThat(journal.ends).as("b was offered to nobody").isEqualTo(1);
    }

    /** Else a feed that is down for good fails each end too, and nothing is handed on any more. */
    @Test
    void aSinkThatHasTakenNothingIsNotToldOfAnEnd() throws Exception {
        feed.endFailures.add(new IOException("planned"));
        RecordingSink last = new RecordingSink();
        BatchingHandler<String> three = handler(new CompositeSink(List.of(journal, feed, last)));
        feed.script.add(RecordingSink.failAfter(0));
        assertThatThrownBy(() -> three.onEvent("a", 0, true)).isInstanceOf(SinkException.class);
        three.discardPending();
        three.onBatchEnd(0);
        assertThat(List.of(journal.ends, feed.ends, last.ends)).containsExactly(1, 0, 0);
    }

    @Test
    void aJournalAmongSinksThatAreOneOfSeveralIsToldOfTheEndToo() throws Exception {
        RecordingSink last = new RecordingSink();
        CompositeSink within = new CompositeSink(List.of(journal, feed));
        BatchingHandler<String> nested = handler(new CompositeSink(List.of(within, last)));
        feed.script.add(RecordingSink.failAfter(0));
        assertThatThrownBy(() -> nested.onEvent("a", 0, true)).isInstanceOf(SinkException.class);
        nested.discardPending();
        nested.onBatchEnd(0);
        assertThat(List.of(journal.ends, feed.ends, last.ends)).containsExactly(1, 0, 0);
    }

    @Test
    void aJournalBehindAFeedWhoseEndFailsIsToldOfTheEndOfEachBatch() throws Exception {
        BatchingHandler<String> reversed = handler(new CompositeSink(List.of(feed, journal)));
        for (int i = 0; i < 4; i++) {
            feed.endFailures.add(new IOException("planned"));
        }
        for (int i = 0; i < 2; i++) {
            int event = i;
            assertThatThrownBy(() -> reversed.onEvent("a", event, true)).hasRootCauseMessage("planned");
            assertThatThrownBy(() -> reversed.onBatchEnd(event)).hasRootCauseMessage("planned"); // and is skipped
            assertThat(journal.ends).as("told once a batch").isEqualTo(i + 1);
        }
        reversed.onShutdown();
        assertThat(List.of(feed.ends, journal.ends)).containsExactly(1, 2);
    }

    @Test
    void whereSeveralEndsFailEachIsSeenAndTriedAgain() throws Exception {
        RecordingSink last = new RecordingSink();
        BatchingHandler<String> three = handler(new CompositeSink(List.of(feed, journal, last)));
        IOException first = new IOException("feed");
        IOException second = new IOException("journal");
        feed.endFailures.add(first);
        journal.endFailures.add(second);
        assertThatThrownBy(() -> three.onEvent("a", 0, true))
                .isInstanceOf(SinkException.class)
                .hasCause(first);
        assertThat(first).hasSuppressedException(second);
        assertThat(List.of(feed.ends, journal.ends, last.ends)).containsExactly(0, 0, 1);
        three.onBatchEnd(0);
        assertThat(List.of(feed.ends, journal.ends, last.ends)).containsExactly(1, 1, 1);
    }

    private static BatchingHandler<String> handler(BatchSink sink) {
        return new BatchingHandler<>(RecordingSink::encode, sink, BatchingConfig.defaults());
    }
}
