package io.sluice.batching.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.batching.Batch;
import io.sluice.batching.BatchSink;
import io.sluice.batching.Batcher;
import io.sluice.batching.BatchingConfig;
import io.sluice.batching.BatchingHandler;
import io.sluice.batching.CompositeSink;
import io.sluice.batching.MessageTooLargeException;
import io.sluice.batching.SinkException;
import io.sluice.core.FailurePolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.junit.jupiter.api.Test;

class JournalSinkTest {
    private static final JournalConfig SMALL =
            JournalConfig.defaults().segmentSize(3 * Frame.BLOCK).bufferSize(JournalConfig.MIN_BUFFER);

    private final FaultyStorage storage = new FaultyStorage();
    private final Set<Integer> seen = new HashSet<>();

    @Test
    void eachMessageIsARecordAndOneForceServesTheBatch() throws Exception {
        Journal journal = Journal.open(storage, SMALL.segmentSize(1 << 16));
        BatchingHandler<Integer> handler = handler(journal, 10);
        for (int i = 0; i < 25; i++) {
            handler.onEvent(i, i, i == 24);
        }
        assertThat(journal.forceCount()).isEqualTo(1);
        assertThat(journal.durableSequence()).isEqualTo(24);
        handler.close();
        try (JournalReader reader = JournalReader.replay(storage, 0)) {
            for (int i = 0; i < 25; i++) {
                assertThat(reader.next()).isTrue();
                assertThat(reader.payloadLength()).isEqualTo(304 + i % 5);
                assertThat(reader.buffer().getInt(reader.payloadOffset())).isEqualTo(i);
            }
            assertThat(reader.next()).isFalse();
        }
    }

    @Test
    void whenTheDiskIsFullNothingIsAppendedTwice() throws Exception {
        long[] nanos = {0};
        Journal journal = Journal.open(storage, SMALL.nanoClock(() -> nanos[0]));
        BatchingHandler<Integer> handler = handler(journal, 7);
        storage.capacity = 2 * 3 * Frame.BLOCK;
        int refused = 0;
        for (int i = 0; i < 2_000; i++) {
            while (true) {
                try {
                    handler.onEvent(i, i, i % 50 == 49);
                    break;
                } catch (SinkException e) {
                    assertThat(e).hasCauseInstanceOf(JournalException.class);
                    if (++refused % 3 == 0) {
                        storage.capacity += 3 * Frame.BLOCK;
                        nanos[0] += SegmentFiles.RETRY_NANOS;
                    }
                }
            }
            if (i % 50 == 49) {
                assertThat(journal.durableSequence()).isEqualTo(i);
            }
        }
        assertThat(refused).isGreaterThan(10);
        storage.capacity = Long.MAX_VALUE;
        handler.close();
        try (JournalReader reader = JournalReader.replay(storage, 0)) {
            for (int i = 0; i < 2_000; i++) {
                assertThat(reader.next()).isTrue();
                assertThat(reader.buffer().getInt(reader.payloadOffset())).isEqualTo(i);
            }
            assertThat(reader.next()).isFalse();
        }
    }

    @Test
    void aFailedForceIsReportedAndNeverAcknowledged() throws Exception {
        Journal journal = Journal.open(storage, SMALL.segmentSize(1 << 16));
        BatchingHandler<Integer> handler = handler(journal, 7);
        handler.onEvent(0, 0, true);
        storage.failNext = new IOException("I/O error");
        for (int attempt = 0; attempt < 3; attempt++) {
            assertThatThrownBy(() -> handler.onEvent(1, 1, true))
                    .isInstanceOf(SinkException.class)
                    .hasMessageContaining("end of the batch");
        }
        assertThat(journal.durableSequence()).isZero();
        assertThat(handler.takenSequence()).isZero();
    }

    @Test
    void aTimedForceHappensWhenIdle() throws Exception {
        long[] nanos = {0};
        Journal journal = Journal.open(
                storage,
                SMALL.durability(Durability.every(Duration.ofMillis(2))).nanoClock(() -> nanos[0]));
        BatchingHandler<Integer> handler = handler(journal, 7);
        handler.onEvent(0, 0, true);
        assertThat(journal.durableSequence()).isEqualTo(-1);
        handler.onTimeout(0);
        assertThat(journal.durableSequence()).isEqualTo(-1);
        nanos[0] = 2_000_000;
        handler.onTimeout(0);
        assertThat(journal.durableSequence()).isZero();
    }

    @Test
    void aForceThatIsOwedIsMadeAtTheEndThoughTheSinkBesideTheJournalFails() throws Exception {
        Journal journal =
                Journal.open(storage, SMALL.segmentSize(1 << 16).durability(Durability.every(Duration.ofHours(1))));
        BatchSink broken = batch -> {
            throw new IOException("planned");
        };
        BatchingHandler<Integer> handler = new BatchingHandler<>(
                (event, buffer, offset) -> {
                    buffer.putInt(offset, event);
                    return 4;
                },
                new CompositeSink(List.of(new JournalSink(journal), broken)),
                BatchingConfig.defaults());
        assertThatThrownBy(() -> handler.onEvent(0, 0, true)).isInstanceOf(SinkException.class);
        assertThat(journal.durableSequence()).isEqualTo(-1);
        assertThatThrownBy(handler::onShutdown).hasMessageContaining("messages are left at the end");
        assertThat(journal.durableSequence()).isZero();
    }

    @Test
    void whatIsHandedOnIsForcedThoughAFeedBesideTheJournalIsDownAndEachBatchIsGivenUp() throws Exception {
        Journal journal = Journal.open(storage, SMALL.segmentSize(1 << 16));
        BatchSink feed = batch -> {
            throw new IOException("down");
        };
        BatchingHandler<Integer> handler = handler(new CompositeSink(List.of(new JournalSink(journal), feed)), 7);
        for (int i = 0; i < 3; i++) {
            int event = i;
            assertThatThrownBy(() -> handler.onEvent(event, event, true)).hasRootCauseMessage("down");
            handler.discardPending();
            handler.onEvent(event, event, true); // RETRY_EVENT
            assertThat(handler.takenSequence()).isEqualTo(event);
            assertThat(journal.durableSequence()).isEqualTo(event);
        }
    }

    @Test
    void aBatcherThatSkipsWhatAFeedDoesNotTakeForcesTheJournalBesideIt() throws Exception {
        Journal journal = Journal.open(storage, SMALL.segmentSize(1 << 16));
        BatchSink feed = batch -> {
            throw new IOException("down");
        };
        Queue<Integer> queue = new ArrayDeque<>();
        Batcher<Integer> batcher = new Batcher<>(
                queue,
                (event, buffer, offset) -> {
                    buffer.putInt(offset, event);
                    return Integer.BYTES;
                },
                new CompositeSink(List.of(new JournalSink(journal), feed)),
                BatchingConfig.defaults(),
                (cause, event, sequence, attempt) -> FailurePolicy.Action.SKIP);
        for (int i = 0; i < 3; i++) {
            queue.add(i);
            batcher.doWork();
            batcher.doWork();
            assertThat(journal.durableSequence()).isEqualTo(i);
        }
        assertThat(batcher.discardedMessages()).isEqualTo(3);
    }

    @Test
    void twoBatchersOverOneJournalLoseNoRecord() throws Exception {
        Journal journal = Journal.open(storage, SMALL.segmentSize(1 << 16));
        JournalSink sink = new JournalSink(journal);
        Queue<Integer> first = new ArrayDeque<>(List.of(0, 1, 2));
        Queue<Integer> second = new ArrayDeque<>(List.of(3, 4, 5, 6, 7));
        Batcher<Integer> one = batcher(first, sink);
        Batcher<Integer> other = batcher(second, sink);
        one.doWork();
        other.doWork();
        assertThat(journal.durableSequence()).isEqualTo(7);
        first.add(8);
        second.add(9);
        one.doWork();
        other.doWork();
        other.onClose();
        assertRecords(10);
    }

    @Test
    void aHandlerThatTakesOverTheJournalOfOneThatHasEndedLosesNoRecord() throws Exception {
        Journal journal = Journal.open(storage, SMALL.segmentSize(1 << 16));
        JournalSink sink = new JournalSink(journal);
        BatchingHandler<Integer> before = handler(sink, 7);
        before.onEvent(0, 0, false);
        before.onEvent(1, 1, true);
        before.onShutdown();
        BatchingHandler<Integer> after = handler(sink, 7);
        after.onEvent(2, 0, true);
        assertThat(journal.durableSequence()).isEqualTo(2);
        after.close();
        assertRecords(3);
    }

    @Test
    void aBatchThatIsOfferedAgainBehindAnothersIsJournalledOnce() throws Exception {
        Journal journal = Journal.open(storage, SMALL.segmentSize(1 << 16));
        boolean[] down = {true};
        BatchSink feed = batch -> {
            if (down[0]) {
                throw new IOException("down");
            }
            batch.buffer().position(batch.buffer().limit());
        };
        CompositeSink sink = new CompositeSink(List.of(new JournalSink(journal), feed));
        BatchingHandler<Integer> one = handler(sink, 7);
        BatchingHandler<Integer> other = handler(sink, 7);
        assertThatThrownBy(() -> one.onEvent(0, 0, true)).hasRootCauseMessage("down");
        down[0] = false;
        other.onEvent(1, 0, true);
        one.onEvent(0, 0, true); // RETRY_EVENT
        one.close();
        assertRecords(2);
    }

    /** Else consumers behind see events that are in no journal, whenever the sink before it fails at each end. */
    @Test
    void whatIsHandedOnIsForcedThoughTheEndOfTheFeedBeforeTheJournalAlwaysFailsAndIsSkipped() throws Exception {
        Journal journal = Journal.open(storage, SMALL.segmentSize(1 << 16));
        BatchSink feed = new BatchSink() {
            @Override
            public void send(Batch batch) {
                batch.buffer().position(batch.buffer().limit());
            }

            @Override
            public void endOfBatch() throws IOException {
                throw new IOException("flush");
            }
        };
        BatchingHandler<Integer> handler = handler(new CompositeSink(List.of(feed, new JournalSink(journal))), 7);
        for (int i = 0; i < 3; i++) {
            int event = i;
            assertThatThrownBy(() -> handler.onEvent(event, event, true)).hasRootCauseMessage("flush");
            assertThat(journal.durableSequence()).isEqualTo(event);
            assertThatThrownBy(() -> handler.onBatchEnd(event)).hasRootCauseMessage("flush"); // and is skipped
        }
        assertThat(journal.forceCount()).as("once for each batch").isEqualTo(3);
    }

    @Test
    void aMessageTooLongForTheJournalIsRefusedAloneAndBlocksNothing() throws Exception {
        Journal journal = Journal.open(storage, SMALL);
        int[] length = {10};
        BatchingHandler<Integer> handler = new BatchingHandler<>(
                (event, buffer, offset) -> {
                    buffer.putInt(offset, event);
                    return length[0];
                },
                new CompositeSink(List.of(new JournalSink(journal))),
                BatchingConfig.defaults().bufferSize(1 << 16));
        handler.onEvent(0, 0, false);
        length[0] = journal.maxRecordLength() + 1;
        assertThatThrownBy(() -> handler.onEvent(1, 1, false))
                .isInstanceOfSatisfying(
                        MessageTooLargeException.class,
                        e -> assertThat(e.limit()).isEqualTo(journal.maxRecordLength()));
        length[0] = journal.maxRecordLength();
        handler.onEvent(2, 2, true);
        assertThat(journal.durableSequence()).isEqualTo(1);
        handler.close();
    }

    private void assertRecords(int count) throws IOException {
        try (JournalReader reader = JournalReader.replay(storage, 0)) {
            for (int i = 0; i < count; i++) {
                assertThat(reader.next()).isTrue();
                int record = reader.buffer().getInt(reader.payloadOffset());
                assertThat(record).as("record " + i).isBetween(0, count - 1);
                assertThat(seen.add(record)).as("record " + record + " once").isTrue();
            }
            assertThat(reader.next()).isFalse();
        }
    }

    private static Batcher<Integer> batcher(Queue<Integer> queue, BatchSink sink) {
        return new Batcher<>(
                queue,
                (event, buffer, offset) -> {
                    buffer.putInt(offset, event);
                    return Integer.BYTES;
                },
                sink,
                BatchingConfig.defaults(),
                (cause, event, sequence, attempt) -> FailurePolicy.Action.HALT);
    }

    private static BatchingHandler<Integer> handler(Journal journal, int maxMessages) {
        return handler(new JournalSink(journal), maxMessages);
    }

    private static BatchingHandler<Integer> handler(BatchSink sink, int maxMessages) {
        return new BatchingHandler<>(
                (event, buffer, offset) -> {
                    buffer.putInt(offset, event);
                    return 304 + event % 5;
                },
                sink,
                BatchingConfig.defaults().maxMessages(maxMessages));
    }
}
