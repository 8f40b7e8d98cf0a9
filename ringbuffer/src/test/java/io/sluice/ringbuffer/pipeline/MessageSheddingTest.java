package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.pipeline.MessageNotes.PAYLOAD;
import static io.sluice.ringbuffer.pipeline.MessageNotes.abort;
import static io.sluice.ringbuffer.pipeline.MessageNotes.offer;
import static io.sluice.ringbuffer.pipeline.MessageNotes.ringOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.FailurePolicy;
import io.sluice.core.State;
import io.sluice.ringbuffer.DropOldestRequest;
import io.sluice.ringbuffer.DroppingMessageProducer;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.monitor.RingMonitor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Consumers that drop the oldest messages for a publisher: whole ones, and each is told once. */
@Timeout(60)
class MessageSheddingTest {
    private static final MessageKey TYPE = (type, buffer, offset, length) -> type;

    private final List<String> shed = new ArrayList<>();

    private RingBuffer<Messages> ring(boolean single, int bytes) {
        return ringOf(single, bytes).shedding(this::note).build();
    }

    private void note(String consumer, Messages messages, long sequence) {
        MessageNotes.checkBytes(messages.buffer(), messages.offset(sequence), messages.length(sequence));
        shed.add(consumer + " " + messages.type(sequence) + "@" + sequence);
    }

    private static DropOldestRequest<Messages> request(RingBuffer<Messages> ring) {
        return FollowedRing.of(ring).dropOldest();
    }

    private static long offerDropping(DroppingMessageProducer producer, int type, int length) {
        return producer.offer(type, PAYLOAD, 0, length);
    }

    /** Messages of 5 sequences each on a ring of 32. A message at 30 would cross the end: it begins at 32. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConsumerDropsTheRecordsThatAPublisherNeedsTheRoomOf(boolean single) {
        RingBuffer<Messages> ring = ring(single, 256);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        MessageNotes first = new MessageNotes();
        MessageNotes second = new MessageNotes();
        pipeline.handleEventsWith(pipeline.consumer("first", first)).then(pipeline.consumer("second", second));
        List<EventProcessor> run = pipeline.startProcessors();
        MessageProducer plain = MessageProducer.of(ring);
        DroppingMessageProducer producer = DroppingMessageProducer.dropOldest(plain, 0);
        for (int type = 1; type <= 6; type++) {
            assertThat(offerDropping(producer, type, 32)).isEqualTo((type - 1) * 5L);
        }
        assertThat(offerDropping(producer, 7, 32)).isEqualTo(Producer.TIMED_OUT);
        assertThat(request(ring).asked()).as("with the padding").isEqualTo(4);
        run.forEach(processor -> assertThat(processor.doWork()).isPositive());
        assertThat(shed).containsExactly("first 1@0", "second 1@0");
        assertThat(run.get(1).sequence().get()).isEqualTo(4);
        assertThat(offerDropping(producer, 7, 32)).isEqualTo(32);
        assertThat(offerDropping(producer, 8, 8)).isEqualTo(Producer.TIMED_OUT);
        assertThat(request(ring).asked()).as("within the record at 5").isEqualTo(6);
        run.forEach(processor -> assertThat(processor.doWork()).isPositive());
        assertThat(run.get(1).sequence().get()).as("the whole record").isEqualTo(9);
        assertThat(offerDropping(producer, 8, 8)).isEqualTo(37);
        request(ring).ask(31); // as another publisher: padding is the last record
        run.forEach(Rings::exhaust);
        List<String> dropped = List.of("1@0", "2@5", "3@10", "4@15", "5@20", "6@25");
        assertThat(shed.stream().filter(one -> one.startsWith("first")).map(one -> one.substring(6)))
                .isEqualTo(dropped);
        assertThat(shed.stream().filter(one -> one.startsWith("second")).map(one -> one.substring(7)))
                .isEqualTo(dropped);
        assertThat(first.messages()).containsExactly("7@32", "8@37!");
        assertThat(second.calls).isEqualTo(first.calls);
        RingMonitor monitor = RingMonitor.of(ring);
        assertThat(monitor.consumer(0).shed()).isEqualTo(6);
        assertThat(monitor.consumer(1).shed()).isEqualTo(6);
        assertThat(monitor.dropped()).isZero();
    }

    /** Random lengths, padding and aborted claims, and consumers of all kinds that only drop, or handle a little. */
    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false", "false, true"})
    void overManyLapsEachConsumerHandlesOrDropsEachMessageOnce(boolean single, boolean tracked) throws Exception {
        Map<String, List<String>> seen = new LinkedHashMap<>();
        Map<String, List<String>> handled = new LinkedHashMap<>();
        RingBuffer<Messages> ring = (tracked ? ringOf(single, 256).trackClaims() : ringOf(single, 256))
                .shedding((consumer, messages, sequence) -> {
                    MessageNotes.checkBytes(messages.buffer(), messages.offset(sequence), messages.length(sequence));
                    seen.get(consumer).add(messages.type(sequence) + "@" + sequence);
                })
                .build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        SplittableRandom random = new SplittableRandom(5);
        List<ControlledMessageHandler.Action> actions = List.of(ControlledMessageHandler.Action.values());
        List<NewConsumer<Messages>> consumers = new ArrayList<>();
        for (String name : List.of("first", "second", "even", "odd", "worker", "controlled", "poller")) {
            seen.put(name, new ArrayList<>());
            handled.put(name, new ArrayList<>());
            MessageHandler notes = (type, buffer, offset, length, sequence, endOfBatch) -> {
                MessageNotes.checkBytes(buffer, offset, length);
                seen.get(name).add(type + "@" + sequence);
                handled.get(name).add(type + "@" + sequence);
            };
            ControlledMessageHandler controlled = (type, buffer, offset, length, sequence, endOfBatch) -> {
                ControlledMessageHandler.Action action = actions.get(random.nextInt(4));
                if (action != ControlledMessageHandler.Action.ABORT) {
                    notes.onMessage(type, buffer, offset, length, sequence, endOfBatch);
                }
                return action;
            };
            consumers.add(pipeline.consumer(name, name.equals("controlled") ? controlled : notes));
        }
        pipeline.handleEventsWith(consumers.get(0)).then(consumers.get(1));
        pipeline.handleEventsPartitionedBy(TYPE, consumers.get(2), consumers.get(3));
        pipeline.handleEventsWithWorkerPool(consumers.get(4));
        pipeline.handleEventsWith(consumers.get(5));
        EventPoller<Messages> poller = pipeline.poller("poller");
        MessageHandler polled = (type, buffer, offset, length, sequence, endOfBatch) -> {
            seen.get("poller").add(type + "@" + sequence);
            handled.get("poller").add(type + "@" + sequence);
        };
        List<EventProcessor> run = pipeline.startProcessors();
        MessageProducer plain = MessageProducer.of(ring);
        DroppingMessageProducer producer = DroppingMessageProducer.dropOldest(plain, 0);
        List<String> all = new ArrayList<>();
        long next = 0;
        for (int type = 1; type <= 3_000; type++) {
            int length = random.nextInt(33);
            int units = 1 + (length + 7) / 8;
            int left = 32 - (int) (next % 32);
            long begin = next + (units > left ? left : 0);
            long result;
            while ((result = offerDropping(producer, type, length)) == Producer.TIMED_OUT) {
                assertThat(request(ring).asked()).isEqualTo(begin + units - 1 - 32);
                for (EventProcessor one : run) {
                    one.doWork();
                    one.doWork();
                }
                poller.poll(polled::onEvent, 1);
            }
            assertThat(result).isEqualTo(begin);
            all.add(type + "@" + result);
            next = begin + units;
            long open = random.nextInt(6) == 0 ? plain.tryClaim(7, 16) : Producer.FULL;
            if (open >= 0) {
                plain.abort(open);
                next = open + 3;
            }
        }
        for (int i = 0; i < 200; i++) {
            run.forEach(EventProcessor::doWork);
            poller.poll(polled::onEvent, 1);
        }
        for (String name : List.of("first", "second", "worker", "controlled", "poller")) {
            assertThat(seen.get(name)).as(name).isEqualTo(all);
            assertThat(handled.get(name).size())
                    .as("some are dropped by " + name)
                    .isBetween(1, 2_999);
        }
        assertThat(handled.get("first")).containsAll(handled.get("second"));
        assertThat(seen.get("even"))
                .isEqualTo(all.stream().filter(one -> isEven(one)).toList());
        assertThat(seen.get("odd"))
                .isEqualTo(all.stream().filter(one -> !isEven(one)).toList());
        RingMonitor monitor = RingMonitor.of(ring);
        for (int i = 0; i < monitor.consumers(); i++) {
            String name = monitor.consumer(i).name();
            assertThat(monitor.consumer(i).shed())
                    .as(name)
                    .isEqualTo(seen.get(name).size() - handled.get(name).size());
        }
    }

    private static boolean isEven(String message) {
        return Integer.parseInt(message.substring(0, message.indexOf('@'))) % 2 == 0;
    }

    /** What it leaves for later is dropped in the end, for it never says that it is done. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatAControlledHandlerAbortsIsDropped(boolean single) {
        RingBuffer<Messages> ring = ring(single, 256);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        ControlledMessageHandler stuck =
                (type, buffer, offset, length, sequence, endOfBatch) -> ControlledMessageHandler.Action.ABORT;
        pipeline.handleEventsWith(pipeline.consumer("stuck", stuck));
        EventProcessor run = pipeline.startProcessors().get(0);
        DroppingMessageProducer producer = DroppingMessageProducer.dropOldest(MessageProducer.of(ring), 0);
        int type = 1;
        while (offerDropping(producer, type, 24) >= 0) {
            type++;
            assertThat(run.doWork()).isZero();
        }
        assertThat(run.doWork()).isPositive();
        assertThat(run.doWork()).isZero();
        assertThat(shed).containsExactly("stuck 1@0");
        assertThat(offerDropping(producer, type, 24)).isNotNegative();
    }

    /** A drop takes one cycle, however many messages there are; in a stage divided by key as many as it keeps the keys of. */
    @Test
    void aDropIsNotCutAtTheLimitOfABatchUnlessKeysAreToBeKept() {
        RingBuffer<Messages> ring = ring(true, 1 << 16);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(
                pipeline.consumer("one by one", new MessageNotes()).batchLimit(1));
        pipeline.handleEventsPartitionedBy(TYPE, pipeline.consumer("keys", new MessageNotes()));
        List<EventProcessor> run = pipeline.startProcessors();
        MessageProducer producer = MessageProducer.of(ring);
        for (int i = 0; i < 1_500; i++) {
            offer(producer, 1, 0);
        }
        request(ring).ask(1_399);
        run.forEach(one -> assertThat(one.doWork()).isPositive());
        assertThat(run.get(0).sequence().get()).isEqualTo(1_399);
        assertThat(run.get(1).sequence().get()).isEqualTo(1_023);
        run.forEach(Rings::exhaust);
        assertThat(ring.state()).isEqualTo(State.RUNNING);
        assertThat(shed).hasSize(2_800);
    }

    // who is told

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsFinishedOrAnothersIsNotToldAsDropped(boolean single) throws Exception {
        RingBuffer<Messages> ring = ring(single, 1024);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        MessageHandler filter = new MessageHandler() {
            @Override
            public void onMessage(
                    int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch) {
                if (type == 2) {
                    pipeline.consumer(this).finish(sequence);
                }
            }
        };
        Stage<Messages> filtered =
                pipeline.handleEventsWith(pipeline.consumer("filter", filter).finishesEvents());
        filtered.then(pipeline.consumer("behind", new MessageNotes()));
        filtered.thenPartitionedBy(
                TYPE, pipeline.consumer("even", new MessageNotes()), pipeline.consumer("odd", new MessageNotes()));
        filtered.thenWorkerPool(pipeline.consumer("worker", new MessageNotes()));
        EventPoller<Messages> poller = filtered.thenPoller("poller");
        List<EventProcessor> run = pipeline.startProcessors();
        MessageProducer producer = MessageProducer.of(ring);
        offer(producer, 1, 8);
        offer(producer, 2, 16);
        offer(producer, 4, 0);
        abort(producer, 8);
        offer(producer, 2, 24);
        Rings.exhaust(run.get(0));
        request(ring).ask(11);
        run.forEach(Rings::exhaust);
        assertThat(poller.poll((messages, sequence, endOfBatch) -> {}, 1)).isEqualTo(12);
        assertThat(shed)
                .containsExactly(
                        "behind 1@0",
                        "behind 4@5",
                        "even 4@5",
                        "odd 1@0",
                        "worker 1@0",
                        "worker 4@5",
                        "poller 1@0",
                        "poller 4@5");
        assertThat(run).allSatisfy(one -> assertThat(one.sequence().get()).isEqualTo(11));
    }

    /** It is called by the consumer's thread, for a message of its batch: so that one may be finished too. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatAConsumerDropsItMayFinishForThoseBehindIt(boolean worker) {
        ConsumerHandle[] self = new ConsumerHandle[1];
        RingBuffer<Messages> ring = ringOf(true, 1024)
                .shedding((consumer, messages, sequence) -> {
                    note(consumer, messages, sequence);
                    if (consumer.equals("self")) {
                        self[0].finish(sequence);
                    }
                })
                .build();
        Pipeline<Messages> pipeline = Pipeline.on(ring).errorHandler(told -> {});
        NewConsumer<Messages> consumer =
                pipeline.consumer("self", new MessageNotes()).finishesEvents();
        NewConsumer<Messages> behind = pipeline.consumer("behind", new MessageNotes());
        if (worker) {
            pipeline.handleEventsWithWorkerPool(consumer).then(behind);
        } else {
            pipeline.handleEventsWith(consumer).then(behind);
        }
        self[0] = consumer.handle();
        List<EventProcessor> run = pipeline.startProcessors();
        MessageProducer producer = MessageProducer.of(ring);
        offer(producer, 1, 16);
        offer(producer, 2, 16);
        request(ring).ask(4);
        run.forEach(Rings::exhaust);
        assertThat(ring.state()).isEqualTo(State.RUNNING);
        assertThat(shed).containsExactly("self 1@0", "self 2@3");
    }

    // failures, and what is owed

    @ParameterizedTest
    @EnumSource(FailurePolicy.Action.class)
    void whatTheShedHandlerThrowsGoesToThePolicy(FailurePolicy.Action action) {
        List<String> told = new ArrayList<>();
        RingBuffer<Messages> ring = ringOf(true, 1024)
                .shedding((consumer, messages, sequence) -> {
                    note(consumer, messages, sequence);
                    if (sequence == 3 && told.isEmpty()) {
                        throw new IllegalStateException("planned");
                    }
                })
                .build();
        Pipeline<Messages> pipeline = Pipeline.on(ring).errorHandler(failure -> {});
        MessageNotes books = new MessageNotes();
        pipeline.handleEventsWith(pipeline.consumer("books", books).onFailure((cause, event, sequence, attempt) -> {
            told.add(cause.getMessage() + " " + event.type(sequence) + " at " + sequence + "/" + attempt);
            return action;
        }));
        EventProcessor run = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        for (int type = 1; type <= 4; type++) {
            offer(producer, type, 16);
        }
        request(ring).ask(7);
        Rings.exhaust(run);
        assertThat(told).containsExactly("planned 2 at 3/1");
        RingMonitor monitor = RingMonitor.of(ring);
        if (action == FailurePolicy.Action.HALT) {
            assertThat(shed).containsExactly("books 1@0", "books 2@3");
            assertThat(ring.state()).isEqualTo(State.FAILED);
            assertThat(run.sequence().get()).isEqualTo(-1);
            assertThat(monitor.consumer(0).shed()).isEqualTo(1);
            return;
        }
        assertThat(shed)
                .isEqualTo(
                        action == FailurePolicy.Action.SKIP
                                ? List.of("books 1@0", "books 2@3", "books 3@6")
                                : List.of("books 1@0", "books 2@3", "books 2@3", "books 3@6"));
        assertThat(books.messages()).containsExactly("4@9!");
        assertThat(monitor.consumer(0).shed()).isEqualTo(3);
    }

    @Test
    void whatTheShedHandlerThrowsComesOutOfThePollAndItsMessageComesAgain() throws Exception {
        boolean[] failed = {false};
        RingBuffer<Messages> ring = ringOf(false, 1024)
                .shedding((consumer, messages, sequence) -> {
                    note(consumer, messages, sequence);
                    if (sequence == 3 && !failed[0]) {
                        failed[0] = true;
                        throw new IllegalStateException("planned");
                    }
                })
                .build();
        EventPoller<Messages> poller = Pipeline.on(ring).poller("books");
        MessageProducer producer = MessageProducer.of(ring);
        for (int type = 1; type <= 3; type++) {
            offer(producer, type, 16);
        }
        request(ring).ask(4);
        MessageNotes books = new MessageNotes();
        assertThatThrownBy(() -> poller.poll(books::onEvent, 100)).hasMessage("planned");
        assertThat(poller.sequence().get()).isEqualTo(2);
        assertThat(poller.poll(books::onEvent, 100)).isEqualTo(6);
        assertThat(shed).containsExactly("books 1@0", "books 2@3", "books 2@3");
        assertThat(books.calls).containsExactly("3@6!");
        assertThat(RingMonitor.of(ring).consumer(0).shed()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void batchesThatAreDroppedPutOffNothingThatAHandlerOwes(boolean worker) {
        RingBuffer<Messages> ring = ring(false, 1024);
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        MessageNotes owing = new MessageNotes() {
            @Override
            public long timeoutAfterNanos() {
                return calls.isEmpty() || calls.get(calls.size() - 1).startsWith("timeout") ? Long.MAX_VALUE : 0;
            }
        };
        if (worker) {
            pipeline.handleEventsWithWorkerPool(owing);
        } else {
            pipeline.handleEventsWith(owing);
        }
        EventProcessor run = pipeline.startProcessors().get(0);
        MessageProducer producer = MessageProducer.of(ring);
        offer(producer, 2, 8);
        assertThat(run.doWork()).isEqualTo(1);
        for (int i = 0; i < 2; i++) {
            request(ring).ask(offer(producer, 1, 8));
            assertThat(run.doWork()).isEqualTo(1);
        }
        assertThat(owing.calls).containsExactly("start " + (worker ? 1 : 2) + "/2", "2@0!", "end 1", "timeout 1");
        assertThat(shed).hasSize(2);
    }
}
