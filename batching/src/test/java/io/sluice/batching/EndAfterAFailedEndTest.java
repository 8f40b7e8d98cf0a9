package io.sluice.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Of two sinks one fails at the end of a batch of events; the next batch is ended at both. */
class EndAfterAFailedEndTest {
    private final RecordingSink journal = new RecordingSink();
    private final RecordingSink feed = new RecordingSink();
    private final BatchingHandler<String> handler = new BatchingHandler<>(
            (event, buffer, offset) -> {
                buffer.put(offset, (byte) event.charAt(0));
                return 1;
            },
            new CompositeSink(List.of(journal, feed)),
            BatchingConfig.defaults());

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
}
