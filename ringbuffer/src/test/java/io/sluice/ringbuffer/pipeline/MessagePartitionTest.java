package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.pipeline.MessageNotes.abort;
import static io.sluice.ringbuffer.pipeline.MessageNotes.offer;
import static io.sluice.ringbuffer.pipeline.MessageNotes.ringOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.State;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A stage whose handlers divide the messages among themselves by key. */
@Timeout(60)
class MessagePartitionTest {
    @SuppressWarnings("StaticAssignmentOfThrowable") // to be recognized
    private static final RuntimeException PLANNED = new IllegalArgumentException("planned");

    private static final MessageKey TYPE = (type, buffer, offset, length) -> type;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachHandlerGetsItsKeysInOrder(boolean single) {
        RingBuffer<Messages> ring = ringOf(single, 1024).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        MessageNotes zero = new MessageNotes();
        MessageNotes one = new MessageNotes();
        MessageNotes two = new MessageNotes();
        MessageNotes last = new MessageNotes();
        pipeline.handleEventsPartitionedBy(TYPE, zero, one, two).then(last);
        List<EventProcessor> run = pipeline.startProcessors();
        MessageProducer producer = MessageProducer.of(ring);
        offer(producer, 3, 8);
        offer(producer, 1, 0);
        offer(producer, 4, 16);
        abort(producer, 24);
        offer(producer, 6, 32);
        offer(producer, 1, 8);
        offer(producer, 3, 0);
        assertThat(run.get(0).doWork()).isEqualTo(3);
        assertThat(run.get(1).doWork()).isEqualTo(3);
        assertThat(run.get(3).doWork()).as("behind all of them").isZero();
        assertThat(run.get(2).doWork()).as("no message of its own").isEqualTo(1);
        assertThat(zero.calls).containsExactly("start 18/18", "3@0", "6@10", "3@17!", "end 17");
        assertThat(one.calls).containsExactly("start 16/16", "1@2", "4@3", "1@15!", "end 17");
        assertThat(two.calls).isEmpty();
        assertThat(run.get(2).sequence().get()).isEqualTo(17);
        assertThat(run.get(3).doWork()).isEqualTo(6);
        assertThat(last.messages()).containsExactly("3@0", "1@2", "4@3", "6@10", "1@15", "3@17!");
        ring.close();
    }

    /** Random lengths, with padding at each end of the ring and claims that were aborted. */
    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false", "false, true"})
    void overManyLapsEachMessageHasOneHandlerAndEachHandlerAsksOnceForItsKey(boolean single, boolean tracked) {
        RingBuffer<Messages> ring = (tracked ? ringOf(single, 256).trackClaims() : ringOf(single, 256)).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Map<Integer, Integer> asked = new TreeMap<>();
        MessageKey key = (type, buffer, offset, length) -> {
            MessageNotes.checkBytes(buffer, offset, length);
            asked.merge(type, 1, Integer::sum);
            return type;
        };
        MessageNotes even = new MessageNotes();
        MessageNotes odd = new MessageNotes();
        pipeline.handleEventsPartitionedBy(key, even, odd);
        List<EventProcessor> run = pipeline.startProcessors();
        MessageProducer producer = MessageProducer.of(ring);
        SplittableRandom random = new SplittableRandom(7);
        List<List<String>> expected = List.of(new ArrayList<>(), new ArrayList<>());
        int type = 0;
        for (int round = 0; round < 500; round++) {
            for (int i = random.nextInt(4); i > 0; i--) {
                if (random.nextInt(5) == 0) {
                    abort(producer, random.nextInt(33));
                } else {
                    type++;
                    expected.get(type % 2).add(type + "@" + offer(producer, type, random.nextInt(33)));
                }
            }
            run.forEach(Rings::exhaust);
            assertThat(run)
                    .allSatisfy(processor -> assertThat(processor.sequence().get())
                            .isEqualTo(ring.cursor().get()));
        }
        assertThat(even.messages()).map(call -> call.replace("!", "")).isEqualTo(expected.get(0));
        assertThat(odd.messages()).map(call -> call.replace("!", "")).isEqualTo(expected.get(1));
        assertThat(asked)
                .hasSize(type)
                .allSatisfy((message, times) -> assertThat(times).isEqualTo(2));
        for (MessageNotes notes : List.of(even, odd)) {
            for (int i = 0; i < notes.calls.size(); i++) {
                boolean last = notes.calls.get(i).endsWith("!");
                assertThat(i + 1 < notes.calls.size() && notes.calls.get(i + 1).startsWith("end"))
                        .as("%s ends its batch", notes.calls.get(i))
                        .isEqualTo(last);
            }
        }
    }

    /** The record of own messages has room for so many and no more. */
    @Test
    void aBatchOfShortMessagesIsNoLongerThanItsKeysAreKept() {
        RingBuffer<Messages> ring = ringOf(true, 1 << 16).build(); // a quarter of it are 2048 sequences
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        MessageNotes all = new MessageNotes();
        pipeline.handleEventsPartitionedBy(TYPE, all);
        EventProcessor run = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        for (int i = 0; i < 2_000; i++) {
            offer(producer, 1, 0);
        }
        assertThat(run.doWork()).isEqualTo(1024);
        assertThat(run.doWork()).isEqualTo(976);
        assertThat(ring.state()).isEqualTo(State.RUNNING);
        assertThat(all.messages()).hasSize(2_000);
    }

    // failures

    /** Calls of the handler of even types, of messages at 0, 2, 4, 6, 8, 10 of types 2, 1, 4, 1, 6, 1. */
    private static List<String> calls(FailurePolicy<Messages> policy, MessageKey key, MessageNotes handler) {
        RingBuffer<Messages> ring = ringOf(true, 1024).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring).errorHandler(told -> {});
        pipeline.handleEventsPartitionedBy(
                key,
                pipeline.consumer("handler", handler).onFailure(policy),
                pipeline.consumer("other", new MessageNotes()));
        EventProcessor run = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        for (int type : new int[] {2, 1, 4, 1, 6, 1}) {
            offer(producer, type, 8);
        }
        Rings.exhaust(run);
        handler.calls.add("at " + run.sequence().get() + " " + ring.state());
        ring.close();
        return handler.calls;
    }

    /** Throws as often as told at a message. */
    private static MessageNotes failing(long at, int times) {
        int[] left = {times};
        return new MessageNotes() {
            @Override
            public void onMessage(
                    int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch)
                    throws Exception {
                super.onMessage(type, buffer, offset, length, sequence, endOfBatch);
                if (sequence == at && left[0]-- > 0) {
                    throw PLANNED;
                }
            }
        };
    }

    @Test
    void everyPolicyAtAMessage() {
        assertThat(calls(FailurePolicies.skip((cause, sequence, attempt) -> {}), TYPE, failing(4, 1)))
                .containsExactly("start 12/12", "2@0", "4@4", "6@8!", "end 11", "at 11 RUNNING");
        assertThat(calls(
                        FailurePolicies.retryEvent(2, (cause, sequence, attempt) -> {}, Action.HALT),
                        TYPE,
                        failing(8, 2)))
                .containsExactly("start 12/12", "2@0", "4@4", "6@8!", "6@8!", "6@8!", "end 11", "at 11 RUNNING");
        assertThat(calls(
                        FailurePolicies.rewindBatch(2, (cause, sequence, attempt) -> {}, Action.HALT),
                        TYPE,
                        failing(4, 1)))
                .containsExactly(
                        "start 12/12", "2@0", "4@4", "start 12/12", "2@0", "4@4", "6@8!", "end 11", "at 11 RUNNING");
        assertThat(calls(FailurePolicies.halt(), TYPE, failing(4, 1)))
                .containsExactly("start 12/12", "2@0", "4@4", "at -1 FAILED");
        assertThat(calls(
                        FailurePolicies.rewindBatch(1, (cause, sequence, attempt) -> {}, Action.SKIP),
                        TYPE,
                        failing(8, 5)))
                .as("bounded")
                .containsExactly(
                        "start 12/12",
                        "2@0",
                        "4@4",
                        "6@8!",
                        "start 12/12",
                        "2@0",
                        "4@4",
                        "6@8!",
                        "end 11",
                        "at 11 RUNNING");
    }

    @ParameterizedTest
    @EnumSource(Action.class)
    void whatTheKeyThrowsGoesToThePolicyWithItsMessage(Action action) {
        List<String> told = new ArrayList<>();
        int[] left = {1};
        MessageKey key = (type, buffer, offset, length) -> {
            if (type == 4 && left[0]-- > 0) {
                throw PLANNED;
            }
            return type;
        };
        List<String> calls = calls(
                (cause, event, sequence, attempt) -> {
                    told.add(cause.getMessage() + " " + (event == null ? "none" : event.type(sequence)) + " at "
                            + sequence + "/" + attempt);
                    return action;
                },
                key,
                new MessageNotes());
        assertThat(told).containsExactly("planned 4 at 4/1");
        switch (action) {
            case SKIP -> assertThat(calls).containsExactly("start 12/12", "2@0", "6@8!", "end 11", "at 11 RUNNING");
            case RETRY_EVENT, REWIND_BATCH ->
                assertThat(calls).containsExactly("start 12/12", "2@0", "4@4", "6@8!", "end 11", "at 11 RUNNING");
            case HALT -> assertThat(calls).containsExactly("at -1 FAILED");
        }
    }

    /** The keys of a batch are read before any of its messages is handed over: their failures are none of the handler's. */
    @ParameterizedTest
    @ValueSource(longs = {0, 4, 8})
    void aKeyThatIsReadAgainCostsTheHandlerNoneOfItsRetries(long failsAt) {
        boolean[] failed = {false};
        MessageKey key = (type, buffer, offset, length) -> {
            if (type == 6 && !failed[0]) {
                failed[0] = true;
                throw PLANNED;
            }
            return type;
        };
        List<String> told = new ArrayList<>();
        List<String> calls = calls(
                FailurePolicies.retryEvent(
                        1, (cause, sequence, attempt) -> told.add(sequence + "/" + attempt), Action.HALT),
                key,
                failing(failsAt, 1));
        assertThat(told).containsExactly("8/1", failsAt + "/1");
        assertThat(calls).endsWith("end 11", "at 11 RUNNING");
    }

    @Test
    void failuresAtTheEdgesOfABatchGoToThePolicyWithoutAMessage() {
        List<String> told = new ArrayList<>();
        MessageNotes handler = new MessageNotes() {
            @Override
            public void onBatchStart(long size, long available) {
                super.onBatchStart(size, available);
                throw PLANNED;
            }

            @Override
            public void onBatchEnd(long sequence) throws Exception {
                super.onBatchEnd(sequence);
                throw PLANNED;
            }
        };
        assertThat(calls(
                        (cause, event, sequence, attempt) -> {
                            told.add((event == null ? "none" : "message") + " at " + sequence + "/" + attempt);
                            return attempt == 1 ? Action.RETRY_EVENT : Action.SKIP;
                        },
                        TYPE,
                        handler))
                .containsExactly(
                        "start 12/12", "start 12/12", "2@0", "4@4", "6@8!", "end 11", "end 11", "at 11 RUNNING");
        assertThat(told).containsExactly("none at 0/1", "none at 0/2", "none at 11/1", "none at 11/2");
    }

    // time-outs, and bad input

    @Test
    void batchesWithoutAnOwnMessagePutOffNothingThatAHandlerOwes() {
        RingBuffer<Messages> ring = ringOf(true, 1024).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        MessageNotes owing = new MessageNotes() {
            @Override
            public long timeoutAfterNanos() {
                return calls.isEmpty() || calls.get(calls.size() - 1).startsWith("timeout") ? Long.MAX_VALUE : 0;
            }
        };
        pipeline.handleEventsPartitionedBy(TYPE, owing, new MessageNotes());
        EventProcessor run = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        offer(producer, 2, 8);
        assertThat(run.doWork()).isEqualTo(1);
        offer(producer, 1, 8);
        assertThat(run.doWork()).isEqualTo(1);
        offer(producer, 1, 8);
        assertThat(run.doWork()).isEqualTo(1);
        assertThat(owing.calls).containsExactly("start 2/2", "2@0!", "end 1", "timeout 1");
    }

    @Test
    void aKeyThatCannotBeAskedForAMessageIsRefusedAndNothingIsDeclared() {
        RingBuffer<Messages> ring = ringOf(false, 256).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        MessageNotes first = new MessageNotes();
        MessageNotes second = new MessageNotes();
        assertThatThrownBy(() -> pipeline.handleEventsPartitionedBy(event -> 0, first, second))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(
                        "key of a ring of messages must be a MessageKey, since a message is known by its"
                                + " sequence, but was a " + MessagePartitionTest.class.getName());
        assertThat(pipeline.consumers()).isEmpty();
        assertThatThrownBy(() -> TYPE.applyAsLong(ring.get(0)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("must be asked for with its sequence");
        pipeline.handleEventsPartitionedBy(TYPE, first, second); // both are free still
        assertThat(pipeline.consumers()).hasSize(2);
    }
}
