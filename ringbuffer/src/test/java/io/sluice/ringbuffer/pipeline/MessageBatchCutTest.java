package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.pipeline.MessageNotes.offer;
import static io.sluice.ringbuffer.pipeline.MessageNotes.ringOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.FailurePolicies;
import io.sluice.core.FailurePolicy;
import io.sluice.ringbuffer.DropOldestRequest;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A publisher asks for room while a consumer is within a batch of messages: the batch ends before what is to be dropped. */
@Timeout(60)
class MessageBatchCutTest {
    private static final MessageKey TYPE = (type, buffer, offset, length) -> type;

    private final List<String> shed = new ArrayList<>();

    private RingBuffer<Messages> ring(boolean single, int bytes) {
        return ringOf(single, bytes)
                .shedding((consumer, messages, sequence) ->
                        shed.add(consumer + " " + messages.type(sequence) + "@" + sequence))
                .build();
    }

    private static DropOldestRequest<Messages> request(RingBuffer<Messages> ring) {
        return FollowedRing.of(ring).dropOldest();
    }

    /** Asks for room, as a publisher on another thread would, while it is inside a message. */
    private static class Asking extends MessageNotes {
        final RingBuffer<Messages> ring;
        final long at;
        final long asks;

        Asking(RingBuffer<Messages> ring, long at, long asks) {
            this.ring = ring;
            this.at = at;
            this.asks = asks;
        }

        @Override
        public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch)
                throws Exception {
            super.onMessage(type, buffer, offset, length, sequence, endOfBatch);
            if (sequence == at) {
                request(ring).ask(asks);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBatchEndsBeforeTheNextMessageThatIsToBeDropped(boolean single) {
        RingBuffer<Messages> ring = ring(single, 1024);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        Asking books = new Asking(ring, 3, 6);
        MessageNotes behind = new MessageNotes();
        pipeline.handleEventsWith(pipeline.consumer("books", books)).then(pipeline.consumer("behind", behind));
        List<EventProcessor> run = pipeline.startProcessors();
        MessageProducer producer = MessageProducer.of(ring);
        offer(producer, 1, 16);
        offer(producer, 2, 8);
        offer(producer, 3, 24); // 5 to 8
        offer(producer, 4, 0);
        offer(producer, 5, 8);
        assertThat(run.get(0).doWork()).isEqualTo(2);
        assertThat(run.get(0).sequence().get()).isEqualTo(4);
        assertThat(shed).isEmpty();
        run.forEach(Rings::exhaust);
        assertThat(books.calls)
                .containsExactly("start 12/12", "1@0", "2@3", "end 4", "start 3/3", "4@9", "5@10!", "end 11");
        assertThat(behind.messages()).as("it had not begun").containsExactly("4@9", "5@10!");
        assertThat(shed).containsExactly("books 3@5", "behind 1@0", "behind 2@3", "behind 3@5");
        for (int type = 6; type <= 8; type++) {
            offer(producer, type, 8);
        }
        books.calls.clear();
        assertThat(run.get(0).doWork()).as("the request is over").isEqualTo(3);
        assertThat(books.calls).containsExactly("start 6/6", "6@12", "7@14", "8@16!", "end 17");
    }

    /** Its upstream drops what follows while it is inside its last message: then it looks whether there is more. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBatchThatGrowsTakesInNothingThatItsUpstreamHasDropped(boolean single) {
        RingBuffer<Messages> ring = ring(single, 1024);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        MessageProducer producer = MessageProducer.of(ring);
        List<EventProcessor> run = new ArrayList<>();
        MessageNotes first = new MessageNotes();
        MessageNotes growing = new MessageNotes() {
            @Override
            public boolean extendsBatch() {
                return true;
            }

            @Override
            public void onMessage(
                    int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch)
                    throws Exception {
                super.onMessage(type, buffer, offset, length, sequence, endOfBatch);
                if (type == 1) {
                    offer(producer, 3, 8);
                    offer(producer, 4, 8);
                    request(ring).ask(4);
                    Rings.exhaust(run.get(0));
                }
            }
        };
        pipeline.handleEventsWith(pipeline.consumer("first", first)).then(pipeline.consumer("growing", growing));
        run.addAll(pipeline.startProcessors());
        offer(producer, 1, 8);
        offer(producer, 2, 8);
        run.get(0).doWork();
        run.forEach(Rings::exhaust);
        assertThat(growing.calls).containsExactly("start 4/4", "1@0", "end 1", "start 2/2", "4@6!", "end 7");
        assertThat(shed).containsExactly("first 3@4", "growing 2@2", "growing 3@4");
    }

    /** In a stage divided by key. What was committed is done; the end of the batch fails, and all of it is to come again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRewindOfACutBatchEndsWhereItWasCut(boolean single) {
        RingBuffer<Messages> ring = ring(single, 1024);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        List<String> calls = new ArrayList<>();
        ControlledMessageHandler commits = new ControlledMessageHandler() {
            private boolean failed;

            @Override
            public Action onMessage(
                    int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
                calls.add(type + "@" + sequence + (endOfBatch ? "!" : ""));
                if (type == 2) {
                    request(ring).ask(4);
                }
                return Action.COMMIT;
            }

            @Override
            public void onBatchEnd(long sequence) {
                calls.add("end " + sequence);
                if (!failed) {
                    failed = true;
                    throw new IllegalStateException("planned");
                }
            }
        };
        pipeline.handleEventsPartitionedBy(
                TYPE,
                pipeline.consumer("even", commits)
                        .onFailure(FailurePolicies.rewindBatch(
                                1, (cause, sequence, attempt) -> {}, FailurePolicy.Action.HALT)),
                pipeline.consumer("odd", new MessageNotes()));
        EventProcessor run = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        for (int type : new int[] {2, 1, 4, 1, 6}) {
            offer(producer, type, 8);
        }
        assertThat(run.doWork()).isEqualTo(1);
        assertThat(run.sequence().get()).isEqualTo(3);
        Rings.exhaust(run);
        assertThat(calls).containsExactly("2@0", "end 3", "end 3", "6@8!", "end 9");
        assertThat(shed).containsExactly("even 4@4");
    }

    /** A message that a handler is working on is not dropped, also if it comes again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMessageThatIsRewoundComesAgainThoughItMayBeDropped(boolean single) {
        RingBuffer<Messages> ring = ring(single, 1024);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        List<String> calls = new ArrayList<>();
        ControlledMessageHandler fails = new ControlledMessageHandler() {
            private boolean failed;

            @Override
            public void onBatchStart(long size, long available) {
                calls.add("start " + size);
            }

            @Override
            public Action onMessage(
                    int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
                calls.add(type + "@" + sequence);
                if (type == 2 && !failed) {
                    failed = true;
                    request(ring).ask(4);
                    throw new IllegalStateException("planned");
                }
                return type == 1 ? Action.COMMIT : Action.CONTINUE;
            }
        };
        pipeline.handleEventsWith(pipeline.consumer("fails", fails)
                .onFailure(
                        FailurePolicies.rewindBatch(1, (cause, sequence, attempt) -> {}, FailurePolicy.Action.HALT)));
        EventProcessor run = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        for (int type = 1; type <= 4; type++) {
            offer(producer, type, 8);
        }
        Rings.exhaust(run);
        assertThat(calls).containsExactly("start 8", "1@0", "2@2", "start 6", "2@2", "start 2", "4@6");
        assertThat(shed).containsExactly("fails 3@4");
    }

    /** What it was cut off is to be dropped, and told as such. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingBehindTheCutCanBeFinished(boolean single) {
        RingBuffer<Messages> ring = ring(single, 1024);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        List<String> refusals = new ArrayList<>();
        Asking books = new Asking(ring, 2, 4) {
            @Override
            public void onBatchEnd(long sequence) {
                try {
                    pipeline.consumer(this).finish(4);
                    refusals.add("none");
                } catch (IllegalArgumentException e) {
                    refusals.add(e.getMessage());
                }
            }
        };
        pipeline.handleEventsWith(pipeline.consumer("books", books).finishesEvents());
        EventProcessor run = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        for (int type = 1; type <= 3; type++) {
            offer(producer, type, 8);
        }
        Rings.exhaust(run);
        assertThat(refusals).containsExactly("sequence must be from 0 to 3, but was 4");
        assertThat(shed).containsExactly("books 3@4");
    }
}
