package io.sluice.batching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.SignalledIdle;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.junit.jupiter.api.Test;

class BatchingHandlerTest {
    private static final BatchingConfig CONFIG =
            BatchingConfig.defaults().bufferSize(10).sinkIdle(NoOpIdleStrategy.INSTANCE, 0);

    private final RecordingSink sink = new RecordingSink();

    @Test
    void aBatchGoesOutWhenTheRingHasNothingMoreRightNow() throws Exception {
        BatchingHandler<String> handler = handler(CONFIG);
        handler.onEvent("a", 0, false);
        handler.onEvent("bc", 1, false);
        assertThat(sink.sends).isZero();
        assertThat(handler.pendingMessages()).isEqualTo(2);
        assertThat(handler.takenSequence()).isEqualTo(-1);
        handler.onEvent("d", 2, true);
        handler.onBatchEnd(2);
        assertThat(sink.batches).containsExactly("abcd");
        assertThat(sink.sequences).containsExactly(List.of(0L, 1L, 2L));
        assertThat(sink.ends).isEqualTo(1);
        assertThat(handler.takenSequence()).isEqualTo(2);
        assertThat(handler.pendingMessages()).isZero();
    }

    @Test
    void aFullBatchGoesOutAtOnce() throws Exception {
        BatchingHandler<String> handler = handler(CONFIG);
        handler.onEvent("0123", 0, false);
        handler.onEvent("4567", 1, false);
        handler.onEvent("89", 2, false);
        assertThat(sink.batches).containsExactly("0123456789");
        handler.onEvent("abcdef", 3, false);
        handler.onEvent("ghijk", 4, false); // does not fit with the one before
        assertThat(sink.batches).containsExactly("0123456789", "abcdef");
        assertThat(sink.ends).as("more of the ring's batch follows").isZero();
        handler.onEvent("l", 5, true);
        assertThat(sink.batches).containsExactly("0123456789", "abcdef", "ghijkl");
        assertThat(sink.ends).isEqualTo(1);
    }

    @Test
    void aBatchHasNoMoreMessagesThanAllowed() throws Exception {
        BatchingHandler<String> handler = handler(CONFIG.maxMessages(2));
        for (int i = 0; i < 5; i++) {
            handler.onEvent("" + i, i, i == 4);
        }
        assertThat(sink.batches).containsExactly("01", "23", "4");
    }

    @Test
    void theHeaderIsWrittenOnceForEachBatch() throws Exception {
        BatchingHandler<String> handler = handler(CONFIG.header(3, batch -> {
            assertThat(batch.headerLength()).isEqualTo(3);
            batch.buffer().put(0, (byte) ('0' + batch.messages()));
            batch.buffer().put(1, (byte) ('0' + batch.length()));
            batch.buffer().put(2, (byte) '|');
        }));
        handler.onEvent("abcd", 0, false);
        handler.onEvent("efgh", 1, true); // 3 + 4 + 4 are more than 10
        assertThat(sink.batches).containsExactly("17|abcd", "17|efgh");
        sink.script.add(RecordingSink.failAfter(5));
        assertThatThrownBy(() -> handler.onEvent("ij", 2, true)).isInstanceOf(SinkException.class);
        handler.onEvent("ij", 2, true);
        assertThat(sink.taken()).isEqualTo("17|abcd17|efgh15|ij");
    }

    @Test
    void aHeaderIsToldTheNumberOfItsOwnBatch() throws Exception {
        List<Long> inHeaders = new ArrayList<>();
        List<Long> offered = new ArrayList<>();
        BatchSink numbered = batch -> {
            offered.add(batch.id());
            batch.buffer().position(batch.buffer().limit());
        };
        BatchingHandler<String> handler = new BatchingHandler<>(
                RecordingSink::encode, numbered, CONFIG.header(1, batch -> inHeaders.add(batch.id())));
        handler.onEvent("a", 0, true);
        handler.onEvent("b", 1, true);
        assertThat(inHeaders).isEqualTo(offered).hasSize(2).doesNotHaveDuplicates();
    }

    /** Each call is promised little endian: what a header, a message or a sink sets holds for that call only. */
    @Test
    void aHeaderInNetworkOrderLeavesTheMessagesAsTheirEncoderWritesThem() throws Exception {
        List<Long> values = new ArrayList<>();
        BatchSink bySinksOrder = batch -> {
            ByteBuffer buffer = batch.buffer();
            for (int i = 0; i < batch.messages(); i++) {
                values.add(buffer.getLong(batch.offset(i)));
            }
            buffer.order(ByteOrder.BIG_ENDIAN);
            assertThat(buffer.getInt(0)).isEqualTo(batch.length());
            buffer.position(buffer.limit());
        };
        BatchingHandler<Long> handler = new BatchingHandler<>(
                (value, buffer, offset) -> {
                    buffer.putLong(offset, value);
                    return Long.BYTES;
                },
                new CompositeSink(List.of(bySinksOrder, bySinksOrder)),
                CONFIG.bufferSize(8 + 3 * Long.BYTES)
                        .header(
                                8,
                                batch -> batch.buffer()
                                        .order(ByteOrder.BIG_ENDIAN)
                                        .putInt(0, batch.length())));
        List<Long> expected = new ArrayList<>();
        for (long value = 1; value <= 20; value++) {
            handler.onEvent(value, value, value > 10); // full batches, then each alone
            expected.add(value);
            expected.add(value);
        }
        assertThat(values).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void aMessageThatDoesNotFitIsRefusedWithItsSizeAndTheLimit() throws Exception {
        BatchingHandler<String> handler =
                handler(CONFIG.header(1, batch -> batch.buffer().put(0, (byte) '#')));
        handler.onEvent("ab", 0, false);
        assertThatThrownBy(() -> handler.onEvent("0123456789", 1, false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("9 bytes of room");
        MessageEncoder<String> liar = (event, buffer, offset) -> event.length();
        BatchingHandler<String> other = new BatchingHandler<>(liar, sink, CONFIG);
        assertThatThrownBy(() -> other.onEvent("0123456789a", 0, false))
                .isInstanceOfSatisfying(MessageTooLargeException.class, e -> {
                    assertThat(e.length()).isEqualTo(11);
                    assertThat(e.limit()).isEqualTo(10);
                })
                .hasMessageContaining("but was 11")
                .hasMessageContaining("0 to 10");
        handler.onEvent("cd", 2, true);
        assertThat(sink.batches).containsExactly("#abcd");
    }

    @Test
    void anOversizeMessageIsSentAloneIfWished() throws Exception {
        BatchingHandler<String> handler = handler(CONFIG.sendOversizeAlone(20));
        handler.onEvent("ab", 0, false);
        handler.onEvent("0123456789abcdef", 1, false);
        handler.onEvent("cd", 2, true);
        assertThat(sink.batches).containsExactly("ab", "0123456789abcdef", "cd");
        assertThatThrownBy(() -> handler.onEvent("x".repeat(21), 3, true)).hasMessageContaining("20 bytes of room");
        handler.onEvent("x".repeat(20), 4, true);
        assertThat(sink.batches).last().isEqualTo("x".repeat(20));
    }

    @Test
    void anEncoderThatThrowsHarmsNoOtherMessage() throws Exception {
        MessageEncoder<String> encoder = (event, buffer, offset) -> {
            if (event.startsWith("!")) {
                buffer.order(ByteOrder.BIG_ENDIAN).limit(offset + 1).position(offset);
                buffer.put((byte) '?');
                throw new IOException("bad event");
            }
            return RecordingSink.encode(event, buffer, offset);
        };
        BatchingHandler<String> handler = new BatchingHandler<>(encoder, sink, CONFIG);
        handler.onEvent("ab", 0, false);
        assertThatThrownBy(() -> handler.onEvent("!", 1, false)).hasMessage("bad event");
        handler.onEvent("cd", 2, false);
        assertThatThrownBy(() -> handler.onEvent("!", 3, true)).hasMessage("bad event");
        handler.onBatchEnd(3); // 3 was skipped: what is there goes out all the same
        assertThat(sink.batches).containsExactly("abcd");
        assertThat(sink.sequences).containsExactly(List.of(0L, 2L));
        assertThat(sink.ends).isEqualTo(1);
    }

    @Test
    void anEncoderThatReturnsANegativeLengthIsReported() throws Exception {
        BatchingHandler<String> handler =
                new BatchingHandler<>((event, buffer, offset) -> event.length() - 2, sink, CONFIG);
        assertThatThrownBy(() -> handler.onEvent("", 0, false))
                .hasMessage("the encoder's length must be from 0 to 10, but was -2");
        handler.onEvent("ab", 1, true); // length 0: no message
        assertThat(sink.sends).isZero();
        assertThat(sink.ends).isZero();
        assertThat(handler.takenSequence()).isEqualTo(1);
    }

    @Test
    void relativePutsWorkAndAreBounded() throws Exception {
        MessageEncoder<byte[]> encoder = (event, buffer, offset) -> {
            assertThat(buffer.position()).isEqualTo(offset);
            assertThat(buffer.order()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
            buffer.order(ByteOrder.BIG_ENDIAN); // for this call only
            buffer.put(event);
            return buffer.position() - offset;
        };
        BatchingHandler<byte[]> handler = new BatchingHandler<>(encoder, sink, CONFIG);
        handler.onEvent("abc".getBytes(StandardCharsets.US_ASCII), 0, false);
        assertThatThrownBy(() -> handler.onEvent(new byte[11], 1, false)).hasMessageContaining("10 bytes of room");
        handler.onEvent("def".getBytes(StandardCharsets.US_ASCII), 2, true);
        assertThat(sink.batches).containsExactly("abcdef");
    }

    @Test
    void aHeaderThatFailsOnABatchFullByCountIsMadeAgainAndNothingIsLost() throws Exception {
        int[] failures = {1};
        BatchingHandler<String> handler = handler(CONFIG.maxMessages(2).header(1, failing(failures)));
        handler.onEvent("a", 0, false);
        assertThatThrownBy(() -> handler.onEvent("b", 1, false))
                .isInstanceOfSatisfying(SinkException.class, e -> {
                    assertThat(e.firstSequence()).isZero();
                    assertThat(e.lastSequence()).isEqualTo(1);
                    assertThat(e.messages()).isEqualTo(2);
                })
                .hasMessageContaining("header of the batch could not be made")
                .hasRootCauseMessage("no header");
        assertThat(handler.pendingMessages()).isEqualTo(2);
        handler.onEvent("c", 2, true); // SKIP: the processor goes on with the next event
        assertThat(sink.batches).containsExactly("#ab", "#c");
        assertThat(handler.takenSequence()).isEqualTo(2);

        failures[0] = 3;
        handler.onEvent("d", 3, false);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> handler.onEvent("e", 4, false)).isInstanceOf(SinkException.class); // RETRY_EVENT
        }
        handler.onEvent("e", 4, false);
        handler.onBatchEnd(4);
        assertThat(sink.batches).containsExactly("#ab", "#c", "#de");
    }

    @Test
    void aHeaderThatFailsOnABatchFullByBytesOrOfOneLongMessageIsMadeAgain() throws Exception {
        int[] failures = {2};
        BatchingHandler<String> handler =
                handler(CONFIG.header(1, failing(failures)).sendOversizeAlone(20));
        assertThatThrownBy(() -> handler.onEvent("012345678", 0, false)).isInstanceOf(SinkException.class);
        assertThatThrownBy(() -> handler.onEvent("lost", 1, false)).isInstanceOf(SinkException.class);
        handler.onEvent("a", 2, true);
        failures[0] = 1;
        assertThatThrownBy(() -> handler.onEvent("0123456789abcdef", 3, false)).isInstanceOf(SinkException.class);
        handler.onEvent("b", 4, true);
        assertThat(sink.batches).containsExactly("#012345678", "#a", "#0123456789abcdef", "#b");
    }

    @Test
    void aHeaderThatFailsOnABatchWithRoomLetsTheNextEventIn() throws Exception {
        int[] failures = {1};
        BatchingHandler<String> handler = handler(CONFIG.header(1, failing(failures)));
        assertThatThrownBy(() -> handler.onEvent("a", 0, true)).isInstanceOf(SinkException.class);
        handler.onEvent("b", 1, true);
        assertThat(sink.batches).containsExactly("#ab");
        failures[0] = 1;
        assertThatThrownBy(() -> handler.onEvent("c", 2, true)).isInstanceOf(SinkException.class);
        assertThat(handler.discardPending()).isEqualTo(1);
        handler.onShutdown();
        handler.onEvent("d", 3, true);
        assertThat(sink.batches).containsExactly("#ab", "#d");
    }

    @Test
    void aHeaderThatFailsUntilTheEndIsTriedOnceMoreThen() {
        int[] failures = {1};
        BatchingHandler<String> handler = handler(CONFIG.header(1, failing(failures)));
        assertThatThrownBy(() -> handler.onEvent("a", 0, true)).isInstanceOf(SinkException.class);
        handler.onShutdown();
        assertThat(sink.batches).containsExactly("#a");
    }

    private static HeaderEncoder failing(int[] times) {
        return batch -> {
            if (times[0]-- > 0) {
                throw new IOException("no header");
            }
            batch.buffer().put(0, (byte) '#');
        };
    }

    @Test
    void whatWasTakenBeforeADiscardIsStillEnded() throws Exception {
        BatchingHandler<String> handler = handler(CONFIG);
        handler.onEvent("0123456789", 0, false); // full, taken
        sink.script.add(RecordingSink.failAfter(0));
        assertThatThrownBy(() -> handler.onEvent("a", 1, true)).isInstanceOf(SinkException.class);
        assertThat(handler.discardPending()).isEqualTo(1);
        handler.onBatchEnd(1);
        assertThat(sink.ends).isEqualTo(1);
        handler.onBatchEnd(1);
        assertThat(sink.ends).as("once is enough").isEqualTo(1);

        handler.onEvent("bcd", 2, false);
        sink.script.add(RecordingSink.failAfter(1)); // a part of the batch is on the device
        assertThatThrownBy(() -> handler.onEvent("e", 3, true)).isInstanceOf(SinkException.class);
        handler.discardPending();
        handler.onBatchEnd(3);
        assertThat(sink.ends).isEqualTo(2);

        sink.script.add(RecordingSink.failAfter(0));
        assertThatThrownBy(() -> handler.onEvent("f", 4, true)).isInstanceOf(SinkException.class);
        handler.discardPending();
        handler.onBatchEnd(4);
        assertThat(sink.ends).as("the device has got nothing").isEqualTo(2);

        sink.endFailures.add(new IOException("force"));
        assertThatThrownBy(() -> handler.onEvent("g", 5, true)).isInstanceOf(SinkException.class);
        assertThat(handler.discardPending()).isZero();
        handler.onBatchEnd(5);
        assertThat(sink.ends).as("a failed end is no message").isEqualTo(3);
    }

    /** Waited, took a byte, waited again, far past the time-out: only time without progress counts. */
    @Test
    void aSinkThatTricklesIsNotTimedOut() throws Exception {
        long[] now = {Long.MAX_VALUE - 500};
        BatchingHandler<String> handler =
                handler(CONFIG.sinkIdle(NoOpIdleStrategy.INSTANCE, 1_000).clock(() -> now[0] += 100));
        long start = now[0];
        for (int i = 0; i < 10; i++) {
            for (int k = 0; k < 8; k++) {
                sink.script.add(0);
            }
            sink.script.add(1);
        }
        handler.onEvent("0123456789", 0, true);
        assertThat(sink.taken()).isEqualTo("0123456789");
        assertThat(now[0] - start).as("ns").isGreaterThan(5_000);
    }

    @Test
    void aSinkThatStopsAfterATrickleIsTimedOutFromItsLastByteOn() {
        long[] now = {0};
        BatchingHandler<String> handler =
                handler(CONFIG.sinkIdle(NoOpIdleStrategy.INSTANCE, 1_000).clock(() -> now[0] += 100));
        for (int k = 0; k < 8; k++) {
            sink.script.add(0);
        }
        sink.script.add(1);
        for (int k = 0; k < 100; k++) {
            sink.script.add(0);
        }
        assertThatThrownBy(() -> handler.onEvent("0123456789", 0, true))
                .hasMessageContaining("took nothing for 1000 ns");
        assertThat(sink.sends).isEqualTo(8 + 1 + 11); // a whole time-out of 10 looks after the first of them
    }

    /** A connection that is made anew each time and breaks each time takes nothing, however often it is made. */
    @Test
    void rewindsWithoutProgressAreTimedOut() throws Exception {
        long[] now = {0};
        int[] sends = {0};
        int[] takes = {0};
        BatchSink breaking = batch -> {
            if (sends[0]++ == 0) {
                batch.buffer().position(3);
            } else if (takes[0] == 0) {
                batch.rewindTo(0);
            } else {
                sink.send(batch);
            }
        };
        BatchingHandler<String> handler = new BatchingHandler<>(
                RecordingSink::encode,
                breaking,
                CONFIG.sinkIdle(NoOpIdleStrategy.INSTANCE, 1_000).clock(() -> now[0] += 100));
        assertThatThrownBy(() -> handler.onEvent("abcdef", 0, true))
                .isInstanceOf(SinkException.class)
                .hasMessageContaining("took nothing for 1000 ns");
        assertThat(sends[0]).isBetween(10, 14);
        takes[0] = 1;
        handler.onEvent("abcdef", 0, true);
        assertThat(sink.taken()).as("from where it was rewound to").isEqualTo("abcdef");
    }

    /** What a connection takes is no progress where an earlier one had taken it too, and it was lost. */
    @Test
    void connectionsThatEachTakeAPartAndBreakAreTimedOut() throws Exception {
        long[] now = {0};
        int[] connections = {0};
        boolean[] mends = {false};
        BatchSink breaking = batch -> {
            if (mends[0]) {
                sink.send(batch);
            } else if (batch.buffer().position() == 0) {
                batch.buffer().position(3);
            } else if (++connections[0] < 1_000) {
                batch.rewindTo(0);
            } else {
                throw new IOException("new connections without end");
            }
        };
        BatchingHandler<String> handler = new BatchingHandler<>(
                RecordingSink::encode,
                breaking,
                CONFIG.sinkIdle(NoOpIdleStrategy.INSTANCE, 1_000).clock(() -> now[0] += 100));
        assertThatThrownBy(() -> handler.onEvent("abcdef", 0, true))
                .isInstanceOf(SinkException.class)
                .hasMessageContaining("took nothing for 1000 ns that was not lost again")
                .hasMessageContaining("1 of 1 messages not taken");
        assertThat(connections[0]).isBetween(10, 14);
        mends[0] = true;
        handler.onEvent("abcdef", 0, true);
        assertThat(sink.taken()).as("from where it was rewound to").isEqualTo("abcdef");
    }

    /** The second one waits a little each time: its wait must not hide that it comes no further. */
    @Test
    void connectionsThatTakeAPartAndWaitBeforeTheyBreakAreTimedOutToo() {
        long[] now = {0};
        int[] sends = {0};
        BatchSink breaking = batch -> {
            switch (sends[0]++ % 3) {
                case 0 -> batch.buffer().position(3);
                case 1 -> batch.buffer().position(3); // takes nothing
                default -> batch.rewindTo(0);
            }
            if (sends[0] > 1_000) {
                throw new IOException("new connections without end");
            }
        };
        BatchingHandler<String> handler = new BatchingHandler<>(
                RecordingSink::encode,
                breaking,
                CONFIG.sinkIdle(NoOpIdleStrategy.INSTANCE, 1_000).clock(() -> now[0] += 100));
        assertThatThrownBy(() -> handler.onEvent("abcdef", 0, true))
                .hasMessageContaining("took nothing for 1000 ns that was not lost again");
    }

    @Test
    void connectionsThatBreakButComeFurtherEachTimeAreNotTimedOut() throws Exception {
        long[] now = {0};
        int[] sends = {0};
        BatchSink breaking = batch -> {
            int connection = sends[0]++ / 2;
            if (connection == 9) {
                sink.send(batch);
            } else if (sends[0] % 2 == 1) {
                batch.buffer().position(connection + 1);
                now[0] += 900;
            } else {
                batch.rewindTo(0);
            }
        };
        BatchingHandler<String> handler = new BatchingHandler<>(
                RecordingSink::encode,
                breaking,
                CONFIG.sinkIdle(NoOpIdleStrategy.INSTANCE, 1_000).clock(() -> now[0] += 100));
        handler.onEvent("0123456789", 0, true);
        assertThat(sink.taken()).isEqualTo("0123456789");
    }

    @Test
    void aSinkThatTakesPartsGetsTheRest() throws Exception {
        BatchingHandler<String> handler = handler(CONFIG);
        sink.script.addAll(List.of(1, 3, 2));
        handler.onEvent("0123456789", 0, true);
        assertThat(sink.taken()).isEqualTo("0123456789");
        assertThat(sink.sends).isEqualTo(4);
    }

    @Test
    void whatAFailingSinkDidNotTakeIsRetriedAndNothingIsSentTwice() throws Exception {
        BatchingHandler<String> handler = handler(CONFIG);
        handler.onEvent("abc", 0, false);
        handler.onEvent("def", 1, false);
        sink.script.add(RecordingSink.failAfter(4));
        assertThatThrownBy(() -> handler.onEvent("g", 2, true))
                .isInstanceOfSatisfying(SinkException.class, e -> {
                    assertThat(e.firstSequence()).isEqualTo(1); // in part
                    assertThat(e.lastSequence()).isEqualTo(2);
                    assertThat(e.messages()).isEqualTo(2);
                })
                .hasMessageContaining("2 of 3 messages")
                .hasRootCauseMessage("planned");
        handler.onEvent("g", 2, true); // RETRY_EVENT
        assertThat(sink.taken()).isEqualTo("abcdefg");
        assertThat(handler.takenSequence()).isEqualTo(2);

        sink.script.add(RecordingSink.failAfter(0));
        handler.onEvent("h", 3, false);
        assertThatThrownBy(() -> handler.onEvent("i", 4, true)).isInstanceOf(SinkException.class);
        handler.onEvent("h", 3, false); // REWIND_BATCH
        handler.onEvent("i", 4, true);
        assertThat(sink.taken()).isEqualTo("abcdefghi");
    }

    @Test
    void aSinkThatFailsThoughItHasTakenAllLeavesNoMessageAndNamesNone() throws Exception {
        BatchingHandler<String> handler = handler(CONFIG);
        sink.script.add(RecordingSink.failAfter(3));
        assertThatThrownBy(() -> handler.onEvent("abc", 7, true)).isInstanceOfSatisfying(SinkException.class, e -> {
            assertThat(e.messages()).isZero();
            assertThat(e.firstSequence()).isEqualTo(-1);
            assertThat(e.lastSequence()).isEqualTo(-1);
        });
        handler.onEvent("abc", 7, true);
        assertThat(sink.taken()).isEqualTo("abc");
        assertThat(sink.ends).isEqualTo(1);
    }

    @Test
    void aRewindDoesNotSendAgainWhatWasTaken() throws Exception {
        BatchingHandler<String> handler = handler(CONFIG);
        handler.onEvent("0123456789", 0, false); // full, taken
        sink.script.add(RecordingSink.failAfter(0));
        assertThatThrownBy(() -> handler.onEvent("a", 1, true)).isInstanceOf(SinkException.class);
        handler.onBatchStart(2, 2);
        handler.onEvent("0123456789", 0, false);
        handler.onEvent("a", 1, true);
        assertThat(sink.taken()).isEqualTo("0123456789a");
    }

    @Test
    void skippingKeepsWhatWasNotTakenForTheNextAttempt() throws Exception {
        BatchingHandler<String> handler = handler(CONFIG);
        sink.script.add(RecordingSink.failAfter(1));
        assertThatThrownBy(() -> handler.onEvent("abc", 0, true)).isInstanceOf(SinkException.class);
        // SKIP: the processor goes on; the batch was offered, and goes out as it is before the next
        handler.onEvent("def", 1, true);
        assertThat(sink.batches).containsExactly("abc", "def");
        assertThat(sink.taken()).isEqualTo("abcdef");

        sink.script.addAll(List.of(RecordingSink.failAfter(0), RecordingSink.failAfter(0)));
        assertThatThrownBy(() -> handler.onEvent("g", 2, true)).isInstanceOf(SinkException.class);
        assertThatThrownBy(() -> handler.onEvent("lost", 3, true)).isInstanceOf(SinkException.class);
        assertThat(handler.pendingMessages()).isEqualTo(1);
        handler.onShutdown();
        assertThat(sink.taken()).isEqualTo("abcdefg");
    }

    @Test
    void pendingMessagesCanBeDiscarded() throws Exception {
        BatchingHandler<String> handler = handler(CONFIG);
        handler.onEvent("ab", 0, false);
        sink.script.add(RecordingSink.failAfter(3));
        assertThatThrownBy(() -> handler.onEvent("cd", 1, true)).isInstanceOf(SinkException.class);
        assertThat(handler.discardPending())
                .as("the first one was taken in full")
                .isEqualTo(1);
        assertThat(handler.discardedMessages()).isEqualTo(1);
        handler.onEvent("ef", 2, true);
        assertThat(sink.taken()).isEqualTo("abcef");
        handler.onEvent("g", 3, false);
        assertThat(handler.discardPending()).isEqualTo(1);
        assertThat(handler.discardedMessages()).isEqualTo(2);
    }

    @Test
    void theEndOfTheBatchIsOwedUntilItSucceeds() throws Exception {
        BatchingHandler<String> handler = handler(CONFIG);
        sink.endFailures.add(new IOException("force"));
        assertThatThrownBy(() -> handler.onEvent("a", 0, true))
                .isInstanceOfSatisfying(SinkException.class, e -> {
                    assertThat(e.messages()).isZero();
                    assertThat(e.firstSequence()).isEqualTo(-1);
                    assertThat(e.lastSequence()).isEqualTo(-1);
                })
                .hasMessageContaining("end of the batch");
        assertThat(handler.takenSequence()).isEqualTo(-1);
        handler.onEvent("a", 0, true);
        assertThat(sink.ends).isEqualTo(1);
        assertThat(sink.taken()).isEqualTo("a");
        assertThat(handler.takenSequence()).isZero();

        // A full batch was sent, the last event skipped: the end is owed all the same.
        handler.onEvent("0123456789", 1, false);
        handler.onBatchEnd(2);
        assertThat(sink.ends).isEqualTo(2);
    }

    @Test
    void aSinkThatTakesNothingIsWaitedForUpToTheTimeOut() throws Exception {
        long[] now = {Long.MAX_VALUE - 500};
        BatchingHandler<String> handler =
                handler(CONFIG.sinkIdle(NoOpIdleStrategy.INSTANCE, 1_000).clock(() -> now[0] += 100));
        sink.script.addAll(List.of(0, 0, 0, 1, 0, 0, 0));
        handler.onEvent("ab", 0, true);
        assertThat(sink.taken()).isEqualTo("ab");
        for (int i = 0; i < 100; i++) {
            sink.script.add(0);
        }
        assertThatThrownBy(() -> handler.onEvent("c", 1, true))
                .isInstanceOf(SinkException.class)
                .hasMessageContaining("took nothing for 1000 ns");
        sink.script.clear();
        handler.onEvent("c", 1, true);
        assertThat(sink.taken()).isEqualTo("abc");
    }

    @Test
    void anInterruptEndsTheWaitAndStaysSet() {
        BatchingHandler<String> handler =
                handler(CONFIG.sinkIdle(NoOpIdleStrategy.INSTANCE, TimeUnit.HOURS.toNanos(1)));
        for (int i = 0; i < 100; i++) {
            sink.script.add(0);
        }
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> handler.onEvent("c", 0, true)).hasMessageContaining("interrupted");
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aSinkThatBreaksTheContractIsReported() throws Exception {
        BatchSink bad = batch -> batch.buffer().limit(batch.buffer().limit() - 1);
        BatchingHandler<String> handler = new BatchingHandler<>(RecordingSink::encode, bad, CONFIG);
        assertThatThrownBy(() -> handler.onEvent("abc", 0, true)).hasMessageContaining("moved the buffer's limit");
        BatchSink back = batch -> batch.buffer().position(batch.buffer().position() == 0 ? 2 : 1);
        BatchingHandler<String> other = new BatchingHandler<>(RecordingSink::encode, back, CONFIG);
        assertThatThrownBy(() -> other.onEvent("abc", 0, true)).hasMessageContaining("position back");
    }

    @Test
    void whatASinkTookBeforeItThrewAnErrorIsNotSentTwice() throws Exception {
        StringBuilder taken = new StringBuilder();
        int[] sends = {0};
        BatchSink failing = batch -> {
            ByteBuffer buffer = batch.buffer();
            int send = ++sends[0];
            for (int i = 0; i < 2 && buffer.hasRemaining(); i++) {
                taken.append((char) buffer.get());
            }
            if (send == 2) {
                throw new StackOverflowError("deep");
            }
        };
        BatchingHandler<String> handler = new BatchingHandler<>(RecordingSink::encode, failing, CONFIG);
        assertThatThrownBy(() -> handler.onEvent("abcdefgh", 0, true)).isInstanceOf(StackOverflowError.class);
        assertThat(handler.pendingMessages()).isEqualTo(1);
        handler.onShutdown();
        assertThat(taken).hasToString("abcdefgh");
    }

    @Test
    void whatIsLeftAtTheEndIsReported() {
        BatchingHandler<String> handler = handler(CONFIG);
        sink.script.addAll(List.of(RecordingSink.failAfter(0), RecordingSink.failAfter(0)));
        assertThatThrownBy(() -> handler.onEvent("a", 0, true)).isInstanceOf(SinkException.class);
        assertThatThrownBy(handler::onShutdown).hasMessageContaining("messages are left at the end");
        assertThat(handler.pendingMessages()).isEqualTo(1);
        handler.onShutdown();
        assertThat(sink.taken()).isEqualTo("a");
    }

    @Test
    void theSinkHearsOfTheEndThoughMessagesAreLeft() {
        BatchSink failing = new BatchSink() {
            @Override
            public void send(Batch batch) throws IOException {
                throw new IOException("no send");
            }

            @Override
            public void onShutdown() throws IOException {
                throw new IOException("no shutdown");
            }
        };
        BatchingHandler<String> handler = new BatchingHandler<>(RecordingSink::encode, failing, CONFIG);
        assertThatThrownBy(() -> handler.onEvent("a", 0, true)).isInstanceOf(SinkException.class);
        assertThatThrownBy(handler::onShutdown)
                .hasMessageContaining("messages are left at the end")
                .satisfies(thrown -> assertThat(thrown.getCause().getSuppressed())
                        .singleElement()
                        .satisfies(end -> assertThat(end).hasMessage("no shutdown")));
    }

    @Test
    void theSinkHearsOfIdlenessAndOfTheEnd() throws Exception {
        BatchingHandler<String> handler = handler(CONFIG);
        handler.onTimeout(0);
        assertThat(sink.idles).isEqualTo(1);
        handler.close();
        assertThat(sink.closed).isTrue();
        BatchSink failing = new BatchSink() {
            @Override
            public void send(Batch batch) {}

            @Override
            public void onIdle() throws IOException {
                throw new IOException("idle");
            }
        };
        BatchingHandler<String> other = new BatchingHandler<>(RecordingSink::encode, failing, CONFIG);
        assertThatThrownBy(() -> other.onTimeout(0)).hasMessageContaining("idle");
    }

    @Test
    void badInputIsNamedAtTheCall() {
        BatchingConfig config = BatchingConfig.defaults();
        assertThatThrownBy(() -> config.bufferSize(0)).hasMessage("bufferSize must be from 1 to 536870912, but was 0");
        assertThatThrownBy(() -> config.bufferSize(-1))
                .hasMessageContaining("bufferSize must be from 1 to 536870912, but was -1");
        assertThatThrownBy(() -> config.bufferSize(Integer.MAX_VALUE)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> config.maxMessages(0)).hasMessage("maxMessages must be from 1 to 1048576, but was 0");
        assertThatThrownBy(() -> config.header(0, batch -> {})).hasMessage("header must be from 1 to 65536, but was 0");
        assertThatThrownBy(() -> config.sendOversizeAlone(0))
                .hasMessage("maxMessageLength must be from 1 to 536870912, but was 0");
        assertThatThrownBy(() -> config.sinkIdle(NoOpIdleStrategy.INSTANCE, -1))
                .hasMessage("timeoutNanos must be 0 or more, but was -1");
        assertThatThrownBy(() -> handler(CONFIG.header(10, batch -> {})))
                .hasMessage("header must be shorter than the buffer of 10 bytes, but was 10 bytes long");
        sink.maxBatchLength = 9;
        assertThatThrownBy(() -> handler(CONFIG))
                .hasMessage("the longest batch must be at most 9 bytes long for this sink, but was 10");
        assertThatThrownBy(() -> handler(CONFIG.bufferSize(5).sendOversizeAlone(10)))
                .hasMessage("the longest batch must be at most 9 bytes long for this sink, but was 10");
    }

    @Test
    @SuppressWarnings("NullAway") // on purpose
    void nullsAreRefused() {
        assertThatThrownBy(() -> new BatchingHandler<String>(RecordingSink::encode, null, CONFIG))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("sink must not be null");
        assertThatThrownBy(() -> new BatchingHandler<String>(null, sink, CONFIG))
                .hasMessage("encoder must not be null");
        assertThatThrownBy(() -> new BatchingHandler<String>(RecordingSink::encode, sink, null))
                .hasMessage("config must not be null");
    }

    /**
     * Random events, limits, failures, policies and discards, beside a model: see {@link ModelDevice} and {@link HandlerProgram}. A step
     * is an event.
     */
    @Test
    void everyMessageArrivesOnceOrIsGivenUpAndWhatArrivedIsEndedWhateverFails() throws Exception {
        Map<ModelDevice.Seen, Integer> seen = new EnumMap<>(ModelDevice.Seen.class);
        RandomPrograms.Totals totals = RandomPrograms.of(seed -> SeededProgram.of(seed, 40), program -> {
                    HandlerProgram.run(program, seen);
                    return program.size();
                })
                .budget("io.sluice.model.steps", 2_000 * 40)
                .from(0)
                .run();
        ModelDevice.requireSeen(totals, seen);
    }

    @Test
    void aHandlerThatStartsOnASecondRingSendsItsEventsFromTheFirstOn() throws Exception {
        BatchingHandler<String> handler = handler(CONFIG);
        handler.onStart();
        handler.onEvent("a", 0, false);
        handler.onEvent("b", 1, true);
        handler.onShutdown();
        handler.onStart();
        assertThat(handler.takenSequence()).isEqualTo(-1);
        handler.onEvent("c", 0, true);
        assertThat(handler.takenSequence()).isZero();
        handler.onEvent("c", 0, true); // RETRY_EVENT
        handler.onEvent("d", 1, true);
        assertThat(sink.taken()).isEqualTo("abcd");
        assertThat(sink.sequences).containsExactly(List.of(0L, 1L), List.of(0L), List.of(1L));
    }

    @Test
    void whatAFailingSinkHasLeftOfTheRingBeforeGoesOutFirst() throws Exception {
        BatchingHandler<String> handler = handler(CONFIG);
        handler.onStart();
        handler.onEvent("ab", 7, false);
        sink.script.addAll(List.of(RecordingSink.failAfter(1), RecordingSink.failAfter(1)));
        assertThatThrownBy(() -> handler.onEvent("cd", 8, true)).isInstanceOf(SinkException.class);
        assertThatThrownBy(handler::onShutdown).hasMessageContaining("messages are left at the end");
        handler.onStart();
        assertThat(handler.pendingMessages()).isEqualTo(2);
        sink.script.add(RecordingSink.failAfter(0));
        assertThatThrownBy(() -> handler.onEvent("e", 0, true))
                .as("it names the ring before")
                .isInstanceOfSatisfying(
                        SinkException.class, e -> assertThat(e.lastSequence()).isEqualTo(8));
        handler.onEvent("e", 0, true); // RETRY_EVENT
        assertThat(sink.taken()).isEqualTo("abcde");
        assertThat(handler.takenSequence()).isZero();
    }

    /** One of two sinks makes a new connection, on which nothing has arrived; then the other one fails. */
    @Test
    void whatANewConnectionHasNotGotIsNamedAndCountedThoughAnotherSinkFails() throws Exception {
        Queue<BatchSink> calls = new ArrayDeque<>();
        calls.add(batch -> batch.buffer().position(2));
        calls.add(batch -> batch.rewindTo(0));
        BatchSink stream = batch -> Objects.requireNonNull(calls.poll()).send(batch);
        sink.script.addAll(List.of(3, RecordingSink.failAfter(0)));
        BatchingHandler<String> handler =
                new BatchingHandler<>(RecordingSink::encode, new CompositeSink(List.of(stream, sink)), CONFIG);
        handler.onEvent("ab", 0, false);
        handler.onEvent("cd", 1, false);
        assertThatThrownBy(() -> handler.onEvent("ef", 2, true))
                .isInstanceOfSatisfying(SinkException.class, e -> {
                    assertThat(e.firstSequence()).isZero();
                    assertThat(e.messages()).isEqualTo(3);
                })
                .hasMessageContaining("3 of 3 messages");
        calls.add(batch -> batch.buffer().position(2));
        calls.add(batch -> batch.buffer().position(1));
        assertThatThrownBy(() -> handler.onEvent("ef", 2, true))
                .as("the move back of before allows no other")
                .hasMessageContaining("its position back");
        assertThat(handler.discardPending()).isEqualTo(2);
    }

    @Test
    void afterANewConnectionAndAFailureInOneSendAllMessagesAreGivenUp() throws Exception {
        Queue<BatchSink> calls = new ArrayDeque<>();
        calls.add(batch -> batch.buffer().position(2));
        calls.add(batch -> {
            batch.rewindTo(0);
            throw new IOException("planned");
        });
        BatchSink stream = batch -> Objects.requireNonNull(calls.poll()).send(batch);
        BatchingHandler<String> handler = new BatchingHandler<>(RecordingSink::encode, stream, CONFIG);
        handler.onEvent("ab", 0, false);
        assertThatThrownBy(() -> handler.onEvent("cd", 1, true)).isInstanceOf(SinkException.class);
        assertThat(handler.discardPending()).isEqualTo(2);
        assertThat(handler.discardedMessages()).isEqualTo(2);
    }

    @Test
    void anIdleStrategyThatNobodySignalsIsRefused() {
        for (SignalledIdle idle : List.of(SignalledIdle.exact(), SignalledIdle.timed())) {
            assertThatThrownBy(() -> BatchingConfig.defaults().sinkIdle(idle, Duration.ofSeconds(1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("idle must be a strategy that wakes by itself, since nobody signals who waits for a"
                            + " sink, but was " + idle);
        }
    }

    @Test
    void aBatchDescribesItsMessages() throws Exception {
        BatchSink checking = batch -> {
            assertThat(batch.messages()).isEqualTo(2);
            assertThat(batch.offset(0)).isZero();
            assertThat(batch.length(0)).isEqualTo(2);
            assertThat(batch.offset(1)).isEqualTo(2);
            assertThat(batch.length(1)).isEqualTo(3);
            assertThat(batch.length()).isEqualTo(5);
            assertThat(batch.id()).isPositive();
            assertThatThrownBy(() -> batch.offset(2)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> batch.length(-1)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> batch.sequence(2)).isInstanceOf(IndexOutOfBoundsException.class);
            ByteBuffer buffer = batch.buffer();
            assertThat(buffer.isDirect()).isTrue();
            assertThat(buffer.remaining()).isEqualTo(5);
            buffer.position(5);
        };
        BatchingHandler<String> handler = new BatchingHandler<>(RecordingSink::encode, checking, CONFIG);
        handler.onEvent("ab", 7, false);
        handler.onEvent("cde", 9, true);
        assertThat(handler.takenSequence()).isEqualTo(9);
    }

    private BatchingHandler<String> handler(BatchingConfig config) {
        return new BatchingHandler<>(RecordingSink::encode, sink, config);
    }
}
