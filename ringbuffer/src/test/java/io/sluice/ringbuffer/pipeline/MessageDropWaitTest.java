package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.pipeline.MessageNotes.PAYLOAD;
import static io.sluice.ringbuffer.pipeline.MessageNotes.ringOf;
import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.State;
import io.sluice.ringbuffer.DroppingMessageProducer;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.monitor.RingMonitor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Publishers of messages that wait until consumers have dropped the oldest. */
@Timeout(60)
class MessageDropWaitTest {
    private final List<String> shed = new ArrayList<>();

    private RingBufferBuilder<Messages> shedding(boolean single, int bytes) {
        return ringOf(single, bytes)
                .shedding((consumer, messages, sequence) ->
                        shed.add(consumer + " " + messages.type(sequence) + "@" + sequence));
    }

    private static long asked(RingBuffer<Messages> ring) {
        return FollowedRing.of(ring).dropOldest().asked();
    }

    private static long offer(DroppingMessageProducer producer, int type, int length) {
        return producer.offer(type, PAYLOAD, 0, length);
    }

    /** Messages of four sequences each, until there is no room for another. The types are those from 1 on. */
    private static int fill(MessageProducer producer) {
        int type = 1;
        while (producer.offer(type, PAYLOAD, 0, 24) >= 0) {
            type++;
        }
        return type - 1;
    }

    /** Does something with each step of a wait. */
    private record Within(Runnable step) implements IdleStrategy {
        @Override
        public void idle(int workCount) {
            idle();
        }

        @Override
        public void idle() {
            step.run();
        }

        @Override
        public void reset() {}
    }

    /** On a thread of its own: who polls may not wait for room. */
    private static void poll(EventPoller<Messages> poller, MessageNotes notes, int limit) {
        try {
            Rings.onOwnThread(() -> {
                try {
                    poller.poll(notes::onEvent, limit);
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoHasNoTimeOnlyAsks(boolean single) throws Exception {
        RingBuffer<Messages> ring = shedding(single, 256).build();
        EventPoller<Messages> poller = Pipeline.on(ring).poller("books");
        MessageProducer plain = MessageProducer.of(ring);
        assertThat(fill(plain)).isEqualTo(8);
        RingMonitor monitor = RingMonitor.of(ring);
        assertThat(monitor.refused()).isEqualTo(1);
        DroppingMessageProducer producer = DroppingMessageProducer.dropOldest(plain, Duration.ZERO);
        assertThat(offer(producer, 9, 32)).isEqualTo(Producer.TIMED_OUT);
        assertThat(offer(producer, 9, 32)).isEqualTo(Producer.TIMED_OUT);
        assertThat(asked(ring)).isEqualTo(4);
        assertThat(monitor.sample().refused()).isEqualTo(3);
        assertThat(shed).isEmpty();
        poller.poll((messages, sequence, endOfBatch) -> {}, 1);
        assertThat(shed).as("the request stays").containsExactly("books 1@0", "books 2@4");
        assertThat(offer(producer, 9, 32)).isEqualTo(32);
        assertThat(monitor.sample().refused()).isEqualTo(3);
        assertThat(monitor.stalls()).isZero();
        assertThat(producer.dropped()).isZero();
    }

    /** A refusal is counted only where the time is over. The longest message at the end of the ring takes padding too. */
    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false", "false, true"})
    void whoWaitsPublishesInTheEnd(boolean single, boolean tracked) {
        List<EventPoller<Messages>> pollers = new ArrayList<>();
        MessageNotes notes = new MessageNotes();
        RingBufferBuilder<Messages> builder =
                shedding(single, 256).producersIdle(() -> new Within(() -> poll(pollers.get(0), notes, 1)));
        RingBuffer<Messages> ring = (tracked ? builder.trackClaims() : builder).build();
        pollers.add(Pipeline.on(ring).poller("books"));
        MessageProducer plain = MessageProducer.of(ring);
        DroppingMessageProducer producer = DroppingMessageProducer.dropOldest(plain, Rings.LONG);
        for (int type = 1; type <= 4; type++) {
            assertThat(offer(producer, type, 32)).isEqualTo(5L * (type - 1));
        }
        for (int type = 5; type <= 12; type++) {
            assertThat(offer(producer, type, 0)).isEqualTo(15L + type);
        }
        assertThat(offer(producer, 13, plain.maxLength()))
                .as("behind four of padding")
                .isEqualTo(32);
        assertThat(asked(ring)).isEqualTo(4);
        assertThat(offer(producer, 14, 0)).isEqualTo(37);
        assertThat(asked(ring)).isEqualTo(5);
        assertThat(offer(producer, 15, 0)).as("a whole record was dropped").isEqualTo(38);
        assertThat(offer(producer, 16, plain.maxLength())).isEqualTo(39);
        assertThat(asked(ring)).isEqualTo(11);
        RingMonitor monitor = RingMonitor.of(ring);
        assertThat(monitor.refused()).as("refused").isZero();
        assertThat(monitor.stalls()).isEqualTo(3);
        poll(pollers.get(0), notes, 1_000);
        assertThat(shed).containsExactly("books 1@0", "books 2@5", "books 3@10");
        assertThat(notes.messages()).hasSize(13).startsWith("4@15!", "5@20!").endsWith("15@38!", "16@39!");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anInterruptAndTheEndOfTheRingEndTheWait(boolean single) {
        RingBuffer<Messages> ring = shedding(single, 64).build();
        Pipeline.on(ring).poller("books");
        MessageProducer plain = MessageProducer.of(ring);
        DroppingMessageProducer producer = DroppingMessageProducer.dropOldest(plain, Long.MAX_VALUE);
        while (plain.offer(1, PAYLOAD, 0, 8) >= 0) {}
        long refused = RingMonitor.of(ring).refused();
        Thread.currentThread().interrupt();
        assertThat(offer(producer, 2, 8)).isEqualTo(Producer.INTERRUPTED);
        assertThat(Thread.interrupted()).isTrue();
        ring.close();
        assertThat(offer(producer, 2, 8)).isEqualTo(Producer.CLOSED);
        assertThat(RingMonitor.of(ring).refused()).isEqualTo(refused);
        assertThat(shed).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aFailedRingAndAClosedProducerRefuseMessagesAndDropNothing(boolean single) {
        RingBuffer<Messages> ring = shedding(single, 64).build();
        Pipeline<Messages> pipeline = Pipeline.on(ring).errorHandler(told -> {});
        MessageHandler fails = (type, buffer, offset, length, sequence, endOfBatch) -> {
            throw new IllegalStateException("planned");
        };
        pipeline.handleEventsWith(fails);
        EventProcessor run = pipeline.startProcessors().get(0);
        MessageProducer plain = MessageProducer.of(ring);
        DroppingMessageProducer producer = DroppingMessageProducer.dropOldest(plain, Long.MAX_VALUE);
        while (plain.offer(1, PAYLOAD, 0, 8) >= 0) {}
        run.doWork();
        assertThat(ring.state()).isEqualTo(State.FAILED);
        assertThat(offer(producer, 2, 8)).isEqualTo(Producer.FAILED);
        producer.close();
        assertThat(offer(producer, 2, 8)).isNegative();
        assertThat(asked(ring)).isEqualTo(-1);
    }

    /** Else it goes on waiting, and asks for room that it cannot use. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aProducerThatItsIdleStrategyClosesAsksNoFurther(boolean single) {
        AtomicReference<MessageProducer> waits = new AtomicReference<>();
        RingBuffer<Messages> ring = shedding(single, 64)
                .producersIdle(() -> new Within(() -> waits.get().close()))
                .build();
        Pipeline.on(ring).poller("books");
        MessageProducer plain = MessageProducer.of(ring);
        waits.set(plain);
        DroppingMessageProducer producer = DroppingMessageProducer.dropOldest(plain, Rings.LONG);
        while (plain.offer(1, PAYLOAD, 0, 8) >= 0) {}
        assertThat(offer(producer, 2, 8)).isEqualTo(Producer.CLOSED);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRingThatFailsDuringTheWaitEndsIt(boolean single) {
        AtomicReference<RingBuffer<Messages>> fails = new AtomicReference<>();
        RingBuffer<Messages> ring = shedding(single, 64)
                .producersIdle(
                        () -> new Within(() -> FollowedRing.of(fails.get()).fail(new IllegalStateException("planned"))))
                .build();
        fails.set(ring);
        Pipeline.on(ring).poller("books");
        MessageProducer plain = MessageProducer.of(ring);
        while (plain.offer(1, PAYLOAD, 0, 8) >= 0) {}
        DroppingMessageProducer producer = DroppingMessageProducer.dropOldest(plain, Rings.LONG);
        assertThat(offer(producer, 2, 8)).isEqualTo(Producer.FAILED);
    }

    /** Each time there is room, another producer is there first. What is tried again meanwhile is no refusal. */
    @Test
    void whoLosesTheRoomToOthersAgainAndAgainWaitsNoLongerThanItsTime() {
        AtomicBoolean making = new AtomicBoolean();
        RingBuffer<Messages> ring = shedding(false, 64)
                .producersIdle(() -> new Within(() -> making.set(true)))
                .build();
        MessageProducer rival = MessageProducer.of(ring);
        long[] consumed = {-1};
        ring.addGating(() -> {
            if (making.getAndSet(false)) {
                consumed[0] += 2;
                assertThat(rival.offer(2, PAYLOAD, 0, 8)).isNotNegative();
            }
            return consumed[0];
        });
        DroppingMessageProducer producer =
                DroppingMessageProducer.dropOldest(MessageProducer.of(ring), Duration.ofMillis(50));
        for (long i = 0; i < 4; i++) {
            assertThat(offer(producer, 1, 8)).isEqualTo(2 * i);
        }
        assertThat(offer(producer, 1, 8)).isEqualTo(Producer.TIMED_OUT);
        assertThat(consumed[0]).as("others had room").isGreaterThan(0);
        assertThat(RingMonitor.of(ring).refused()).isEqualTo(1);
    }
}
