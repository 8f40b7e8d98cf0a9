package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.pipeline.MessageNotes.abort;
import static io.sluice.ringbuffer.pipeline.MessageNotes.offer;
import static io.sluice.ringbuffer.pipeline.MessageNotes.ringOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that a consumer finishes: no consumer behind it gets them. */
@Timeout(60)
class MessageFinishTest {
    private static final MessageKey TYPE = (type, buffer, offset, length) -> type;

    /** Finishes what has a type. */
    private static class Filter extends MessageNotes {
        final Pipeline<Messages> pipeline;
        final int finishes;

        Filter(Pipeline<Messages> pipeline, int finishes) {
            this.pipeline = pipeline;
            this.finishes = finishes;
        }

        @Override
        public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch)
                throws Exception {
            super.onMessage(type, buffer, offset, length, sequence, endOfBatch);
            if (type == finishes) {
                pipeline.consumer(this).finish(sequence);
            }
        }
    }

    private static List<String> plain(List<String> messages) {
        return messages.stream().map(call -> call.replace("!", "")).toList();
    }

    /** Lengths of all sizes, with padding and aborted claims among them. */
    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false", "false, true"})
    void noFollowerOfAnyKindGetsWhatIsFinished(boolean single, boolean tracked) throws Exception {
        RingBuffer<Messages> ring = (tracked ? ringOf(single, 256).trackClaims() : ringOf(single, 256)).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Filter filter = new Filter(pipeline, 2);
        MessageNotes between = new MessageNotes();
        MessageNotes worker = new MessageNotes();
        MessageNotes even = new MessageNotes();
        MessageNotes odd = new MessageNotes();
        MessageNotes last = new MessageNotes();
        List<String> controlled = new ArrayList<>();
        ControlledMessageHandler commits = (type, buffer, offset, length, sequence, endOfBatch) -> {
            controlled.add(type + "@" + sequence);
            return ControlledMessageHandler.Action.COMMIT;
        };
        Stage<Messages> filtered =
                pipeline.handleEventsWith(pipeline.consumer("filter", filter).finishesEvents());
        filtered.then(between).then(last);
        filtered.thenWorkerPool(worker);
        filtered.thenPartitionedBy(TYPE, even, odd);
        filtered.then(commits);
        EventPoller<Messages> poller = filtered.thenPoller("poller");
        List<EventProcessor> run = pipeline.startProcessors();
        MessageNotes polled = new MessageNotes();
        MessageProducer producer = MessageProducer.of(ring);
        SplittableRandom random = new SplittableRandom(3);
        List<String> all = new ArrayList<>();
        for (int round = 0; round < 300; round++) {
            for (int i = random.nextInt(4); i > 0; i--) {
                if (random.nextInt(5) == 0) {
                    abort(producer, random.nextInt(33));
                } else {
                    int type = 1 + random.nextInt(4);
                    all.add(type + "@" + offer(producer, type, random.nextInt(33)));
                }
            }
            run.forEach(Rings::exhaust);
            while (poller.poll(polled::onEvent, 100) > 0) {}
            assertThat(poller.sequence().get()).isEqualTo(ring.cursor().get());
        }
        List<String> left = all.stream().filter(one -> !one.startsWith("2")).toList();
        assertThat(plain(filter.messages())).isEqualTo(all);
        assertThat(plain(between.messages())).isEqualTo(left);
        assertThat(plain(last.messages())).isEqualTo(left);
        assertThat(plain(worker.messages())).isEqualTo(left);
        assertThat(controlled).isEqualTo(left);
        assertThat(plain(polled.messages())).isEqualTo(left);
        assertThat(plain(even.messages()))
                .isEqualTo(left.stream().filter(one -> one.startsWith("4")).toList());
        assertThat(plain(odd.messages()))
                .isEqualTo(left.stream().filter(one -> !one.startsWith("4")).toList());
        assertThat(ring.leftover().unhandled()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theLastMessageThatIsNotFinishedEndsTheBatch(boolean single) throws Exception {
        RingBuffer<Messages> ring = ringOf(single, 1024).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Filter filter = new Filter(pipeline, 2);
        MessageNotes behind = new MessageNotes() {
            @Override
            public long timeoutAfterNanos() {
                return calls.isEmpty() || calls.get(calls.size() - 1).startsWith("timeout") ? Long.MAX_VALUE : 0;
            }
        };
        Stage<Messages> filtered =
                pipeline.handleEventsWith(pipeline.consumer("filter", filter).finishesEvents());
        filtered.then(behind);
        EventPoller<Messages> poller = filtered.thenPoller("poller");
        List<EventProcessor> run = pipeline.startProcessors();
        MessageProducer producer = MessageProducer.of(ring);
        for (int type : new int[] {2, 1, 2, 3, 2}) {
            offer(producer, type, 8);
        }
        assertThat(run.get(0).doWork()).isEqualTo(5);
        assertThat(run.get(1).doWork()).isEqualTo(2);
        assertThat(behind.calls).containsExactly("start 8/8", "1@2", "3@6!", "end 9");
        offer(producer, 2, 8);
        assertThat(run.get(0).doWork()).isEqualTo(1);
        assertThat(run.get(1).doWork()).as("nothing of it is its own").isEqualTo(1);
        assertThat(behind.calls).endsWith("end 9", "timeout 9");
        assertThat(run.get(1).sequence().get()).isEqualTo(11);
        MessageNotes polled = new MessageNotes();
        assertThat(poller.poll(polled::onEvent, 100)).isEqualTo(12);
        assertThat(polled.calls).containsExactly("1@2", "3@6!");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatAWorkerFinishesIsPassedOverBehindItsStage(boolean single) {
        RingBuffer<Messages> ring = ringOf(single, 256).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Filter one = new Filter(pipeline, 2);
        Filter other = new Filter(pipeline, 3);
        MessageNotes behind = new MessageNotes();
        pipeline.handleEventsWithWorkerPool(
                        pipeline.consumer("one", one).batchLimit(1).finishesEvents(),
                        pipeline.consumer("other", other).batchLimit(1).finishesEvents())
                .then(behind);
        List<EventProcessor> run = pipeline.startProcessors();
        MessageProducer producer = MessageProducer.of(ring);
        for (int lap = 0; lap < 20; lap++) {
            behind.calls.clear();
            offer(producer, 2, 24);
            long kept = offer(producer, 2, 8);
            long alsoKept = offer(producer, 3, 16);
            offer(producer, 3, 0);
            for (int records = 0; records < 6; records++) { // padding is one too
                one.calls.clear();
                other.calls.clear();
                while (one.messages().isEmpty() && run.get(0).doWork() > 0) {}
                while (other.messages().isEmpty() && run.get(1).doWork() > 0) {}
            }
            Rings.exhaust(run.get(2));
            assertThat(plain(behind.messages())).containsExactly("2@" + kept, "3@" + alsoKept);
        }
    }

    @Test
    void aLapLaterAMarkMeansNothing() {
        RingBuffer<Messages> ring = ringOf(true, 64).build(); // 8 sequences
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Filter filter = new Filter(pipeline, 2);
        MessageNotes behind = new MessageNotes();
        pipeline.handleEventsWith(pipeline.consumer("filter", filter).finishesEvents())
                .then(behind);
        List<EventProcessor> run = pipeline.startProcessors();
        MessageProducer producer = MessageProducer.of(ring);
        for (int lap = 0; lap < 6; lap++) {
            for (int i = 0; i < 4; i++) {
                offer(producer, lap == 0 || lap == 3 ? 2 : 1, 8);
            }
            run.forEach(Rings::exhaust);
        }
        assertThat(plain(behind.messages()))
                .map(call -> Integer.parseInt(call.substring(2)) / 8)
                .containsExactly(1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 5, 5, 5, 5);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRewindTakesNoMarkBackAndEarlierMessagesCanBeFinishedLater(boolean single) {
        RingBuffer<Messages> ring = ringOf(single, 1024).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        List<String> calls = new ArrayList<>();
        MessageHandler filter = new MessageHandler() {
            private boolean failed;

            @Override
            public void onMessage(
                    int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
                calls.add(type + "@" + sequence);
                ConsumerHandle own = pipeline.consumer(this);
                if (type == 1) {
                    own.finish(failed ? 5 : 9); // ahead of where it is; behind what it finished before
                    own.finish(failed ? 5 : 9);
                } else if (type == 3 && !failed) {
                    failed = true;
                    throw new IllegalStateException("planned");
                } else if (type == 4) {
                    assertThatThrownBy(() -> own.finish(6)).isInstanceOf(IllegalArgumentException.class);
                    own.finish(0);
                }
            }
        };
        MessageNotes behind = new MessageNotes();
        pipeline.handleEventsWith(pipeline.consumer("filter", filter)
                        .finishesEvents()
                        .onFailure(FailurePolicies.rewindBatch(
                                1, (cause, sequence, attempt) -> {}, FailurePolicy.Action.HALT)))
                .then(behind);
        List<EventProcessor> run = pipeline.startProcessors();
        MessageProducer producer = MessageProducer.of(ring);
        offer(producer, 1, 16);
        offer(producer, 2, 8);
        offer(producer, 3, 24);
        offer(producer, 4, 32);
        run.forEach(Rings::exhaust);
        assertThat(calls).containsExactly("1@0", "2@3", "3@5", "1@0", "2@3", "3@5", "4@9");
        assertThat(behind.messages()).containsExactly("2@3!");
    }

    // misuse

    private static String refusal(Runnable finish) {
        try {
            finish.run();
            return "none";
        } catch (IllegalArgumentException | IllegalStateException e) {
            return e.getMessage();
        }
    }

    /** The ring has 32 sequences, and padding at 30 and 31. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSequenceAtWhichNoMessageOfTheBatchBeginsIsRefused(boolean single) {
        RingBuffer<Messages> ring = ringOf(single, 256).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        List<String> refusals = new ArrayList<>();
        MessageHandler filter = new MessageHandler() {
            @Override
            public void onMessage(
                    int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
                ConsumerHandle own = pipeline.consumer(this);
                if (type == 7) {
                    for (long event : new long[] {29, 31, 33, 34, 36, 37, 42}) {
                        refusals.add(event + ": " + refusal(() -> own.finish(event)));
                    }
                    own.finish(37);
                    refusals.add("39: " + refusal(() -> own.finish(39)));
                    refusals.add("35: " + refusal(() -> own.finish(35)));
                }
            }
        };
        MessageNotes behind = new MessageNotes();
        pipeline.handleEventsWith(pipeline.consumer("filter", filter).finishesEvents())
                .then(behind);
        List<EventProcessor> run = pipeline.startProcessors();
        MessageProducer producer = MessageProducer.of(ring);
        for (int i = 0; i < 6; i++) {
            offer(producer, 1, 32);
            run.forEach(Rings::exhaust);
        }
        behind.calls.clear();
        offer(producer, 7, 32);
        offer(producer, 1, 32);
        run.forEach(Rings::exhaust);
        assertThat(refusals)
                .containsExactly(
                        "29: sequence must be from 30 to 37, but was 29",
                        "31: sequence must be one that a handler was given, but 31 is within the record that begins at 30",
                        "33: sequence must be one that a handler was given, but 33 is within the record that begins at 32",
                        "34: sequence must be one that a handler was given, but 34 is within the record that begins at 32",
                        "36: sequence must be one that a handler was given, but 36 is within the record that begins at 32",
                        "37: none",
                        "42: sequence must be from 30 to 37, but was 42",
                        "39: sequence must be from 30 to 37, but was 39",
                        "35: sequence must be one that a handler was given, but 35 is within the record that begins at 32");
        assertThat(behind.messages()).containsExactly("7@32!");
    }

    @Test
    void whatWasCommittedIsBeforeTheBatch() {
        RingBuffer<Messages> ring = ringOf(true, 1024).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        List<String> refusals = new ArrayList<>();
        ControlledMessageHandler filter = new ControlledMessageHandler() {
            @Override
            public Action onMessage(
                    int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
                ConsumerHandle own = pipeline.consumer(this);
                for (long event = 0; event <= 4; event++) {
                    long at = event;
                    refusals.add(type + " " + at + ": " + refusal(() -> own.finish(at)));
                }
                return Action.COMMIT;
            }
        };
        pipeline.handleEventsWith(pipeline.consumer("filter", filter).finishesEvents())
                .then(new MessageNotes());
        EventProcessor run = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        offer(producer, 1, 8);
        offer(producer, 2, 8);
        Rings.exhaust(run);
        String within = ": sequence must be one that a handler was given, but ";
        assertThat(refusals)
                .containsExactly(
                        "1 0: none",
                        "1 1" + within + "1 is within the record that begins at 0",
                        "1 2: none",
                        "1 3" + within + "3 is within the record that begins at 2",
                        "1 4: sequence must be from 0 to 3, but was 4",
                        "2 0: sequence must be from 2 to 3, but was 0",
                        "2 1: sequence must be from 2 to 3, but was 1",
                        "2 2: none",
                        "2 3" + within + "3 is within the record that begins at 2",
                        "2 4: sequence must be from 2 to 3, but was 4");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aWorkerFinishesTheMessageThatItHasTakenAndNoOther(boolean single) {
        RingBuffer<Messages> ring = ringOf(single, 1024).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        List<String> refusals = new ArrayList<>();
        MessageHandler worker = new MessageHandler() {
            @Override
            public void onMessage(
                    int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
                for (long at : new long[] {sequence - 2, sequence + 1, sequence + 2, sequence}) {
                    refusals.add(
                            at + ": " + refusal(() -> pipeline.consumer(this).finish(at)));
                }
            }
        };
        MessageNotes behind = new MessageNotes();
        pipeline.handleEventsWithWorkerPool(pipeline.consumer("worker", worker).finishesEvents())
                .then(behind);
        List<EventProcessor> run = pipeline.startProcessors();
        MessageProducer producer = MessageProducer.of(ring);
        offer(producer, 1, 8);
        offer(producer, 1, 8);
        run.forEach(Rings::exhaust);
        assertThat(refusals)
                .containsExactly(
                        "-2: sequence must be from 0 to 0, but was -2",
                        "1: sequence must be from 0 to 0, but was 1",
                        "2: sequence must be from 0 to 0, but was 2",
                        "0: none",
                        "0: sequence must be from 2 to 2, but was 0",
                        "3: sequence must be from 2 to 2, but was 3",
                        "4: sequence must be from 2 to 2, but was 4",
                        "2: none");
        assertThat(behind.messages()).isEmpty();
    }

    @Test
    void whoMayFinishNothingIsToldWhy() {
        RingBuffer<Messages> ring = ringOf(false, 1024).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        List<String> refusals = new ArrayList<>();
        Filter allowed = new Filter(pipeline, 2);
        MessageHandler notAllowed = new MessageHandler() {
            @Override
            public void onMessage(
                    int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
                refusals.add(refusal(() -> pipeline.consumer(this).finish(sequence)));
                refusals.add(refusal(() -> pipeline.consumer(allowed).finish(sequence)));
            }
        };
        pipeline.handleEventsWith(pipeline.consumer("allowed", allowed).finishesEvents())
                .then(pipeline.consumer("notAllowed", notAllowed));
        List<EventProcessor> run = pipeline.startProcessors();
        offer(MessageProducer.of(ring), 1, 8);
        run.forEach(Rings::exhaust);
        refusals.add(refusal(() -> pipeline.consumer(allowed).finish(0)));
        assertThat(refusals)
                .containsExactly(
                        "finish(0) must be called by a consumer declared with finishesEvents(), but notAllowed was not declared so",
                        "finish(0) must be called within the handler of allowed, but was called from outside",
                        "finish(0) must be called within the handler of allowed, but was called from outside");
    }
}
