package io.sluice.ringbuffer.pipeline;

import static io.sluice.ringbuffer.pipeline.MessageNotes.PAYLOAD;
import static io.sluice.ringbuffer.pipeline.MessageNotes.ringOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.State;
import io.sluice.core.bytes.SafeBuffer;
import io.sluice.ringbuffer.DroppingMessageProducer;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.StalledClaimDetector;
import io.sluice.ringbuffer.monitor.RingMonitor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Publishers of messages that drop the newest, or have consumers drop the oldest. */
@Timeout(60)
class MessageDropTest {
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

    // drop newest

    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false", "false, true"})
    void theNewestThatDoesNotFitIsShownAndCounted(boolean single, boolean tracked) throws Exception {
        RingBuffer<Messages> ring = (tracked ? ringOf(single, 256).trackClaims() : ringOf(single, 256)).build();
        EventPoller<Messages> poller = Pipeline.on(ring).poller("books");
        SafeBuffer text = SafeBuffer.allocate(40);
        text.putStringWithoutLengthAscii(0, "..a message");
        List<String> dropped = new ArrayList<>();
        DroppingMessageProducer producer =
                DroppingMessageProducer.dropNewest(MessageProducer.of(ring), (type, buffer, offset, length) -> {
                    assertThat(buffer).isSameAs(text);
                    dropped.add(type + " " + buffer.getStringWithoutLengthAscii(offset, length));
                });
        for (long i = 0; i < 32; i += 2) {
            assertThat(producer.offer(1, text, 2, 8)).isEqualTo(i);
        }
        assertThat(producer.offer(2, text, 2, 9)).isEqualTo(Producer.FULL);
        assertThat(producer.offer(3, text, 11, 0)).isEqualTo(Producer.FULL);
        assertThat(dropped).containsExactly("2 a message", "3 ");
        assertThat(producer.dropped()).isEqualTo(2);
        assertThat(RingMonitor.of(ring).dropped()).isEqualTo(2);
        assertThat(ring.cursor().get()).isEqualTo(31);
        poller.poll((messages, sequence, endOfBatch) -> {}, 4);
        assertThat(producer.offer(4, text, 2, 9)).isEqualTo(32);
        assertThat(producer.dropped()).isEqualTo(2);
        ring.close();
        assertThat(producer.offer(4, text, 2, 9)).isEqualTo(Producer.CLOSED);
        assertThat(RingMonitor.of(ring).dropped()).as("the end drops nothing").isEqualTo(2);
    }

    // misuse

    /** On a full ring each of these would wait, ask, or drop if it were not checked first. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void badInputClaimsNothingAndDropsNothing(boolean single) {
        RingBuffer<Messages> ring = shedding(single, 256).build();
        Pipeline.on(ring).poller("books");
        MessageProducer plain = MessageProducer.of(ring);
        List<Integer> shown = new ArrayList<>();
        List<DroppingMessageProducer> both = List.of(
                DroppingMessageProducer.dropOldest(plain, 0),
                DroppingMessageProducer.dropNewest(plain, (type, buffer, offset, length) -> shown.add(type)));
        SafeBuffer small = SafeBuffer.allocate(8);
        for (boolean full : new boolean[] {false, true}) {
            long before = full ? 4L * fill(plain) - 1 : -1;
            for (DroppingMessageProducer producer : both) {
                assertThatThrownBy(() -> producer.offer(0, small, 0, 8))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("type must be 1 or more, but was 0");
                assertThatThrownBy(() -> producer.offer(1, PAYLOAD, 0, 33))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("length must be from 0 to 32, but was 33");
                assertThatThrownBy(() -> producer.offer(1, PAYLOAD, 0, -1))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> producer.offer(1, small, 1, 8)).isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> producer.offer(1, small, -1, 8)).isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> producer.offer(1, null, 0, 8)).isInstanceOf(NullPointerException.class);
                assertThat(producer.dropped()).isZero();
            }
            assertThat(ring.cursor().get()).isEqualTo(before);
            assertThat(ring.leftover().openClaims()).isZero();
            assertThat(asked(ring)).isEqualTo(-1);
            assertThat(shown).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"true, false", "true, true", "false, false", "false, true"})
    void anOpenClaimOfItsOwnIsRefusedBeforeAnythingIsDropped(boolean single, boolean tracked) {
        RingBufferBuilder<Messages> builder = shedding(single, 64);
        RingBuffer<Messages> ring = (tracked ? builder.trackClaims() : builder).build();
        Pipeline.on(ring).poller("books");
        MessageProducer plain = MessageProducer.of(ring);
        DroppingMessageProducer oldest = DroppingMessageProducer.dropOldest(plain, Long.MAX_VALUE);
        DroppingMessageProducer newest =
                DroppingMessageProducer.dropNewest(plain, (type, buffer, offset, length) -> {});
        for (int i = 0; i < 3; i++) {
            plain.offer(1, PAYLOAD, 0, 8);
        }
        long open = plain.tryClaim(2, 8);
        assertThat(open).isEqualTo(6);
        for (DroppingMessageProducer one : List.of(oldest, newest)) {
            assertThatThrownBy(() -> offer(one, 3, 8))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("open");
        }
        assertThat(asked(ring)).isEqualTo(-1);
        assertThat(newest.dropped()).isZero();
        if (tracked) {
            assertThat(Objects.requireNonNull(StalledClaimDetector.of(ring).look(0))
                            .abort())
                    .isEqualTo(2);
        } else {
            plain.commit(open);
        }
        assertThat(offer(newest, 3, 8)).as("its claim is settled").isEqualTo(Producer.FULL);
        assertThat(offer(DroppingMessageProducer.dropOldest(plain, 0), 3, 8)).isEqualTo(Producer.TIMED_OUT);
        assertThat(asked(ring)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoRunsTheConsumerMayNotWaitForItAndDropsNothing(boolean single) throws Exception {
        RingBuffer<Messages> ring = shedding(single, 64).build();
        EventPoller<Messages> poller = Pipeline.on(ring).poller("books");
        MessageProducer plain = MessageProducer.of(ring);
        DroppingMessageProducer producer = DroppingMessageProducer.dropOldest(plain, Long.MAX_VALUE);
        poller.poll((messages, sequence, endOfBatch) -> {}, 1);
        while (plain.offer(1, PAYLOAD, 0, 8) >= 0) {}
        assertThatThrownBy(() -> offer(producer, 2, 8))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("runs its consumer books");
        assertThat(asked(ring)).isEqualTo(-1);
    }

    @Test
    void whatCannotDropTheOldestIsRefused() {
        MessageProducer plain =
                MessageProducer.of(ringOf(true, 64).name("keeps all").build());
        assertThatThrownBy(() -> DroppingMessageProducer.dropOldest(plain, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("producer must be of a ring built with shedding, but was of ring keeps all");
        MessageProducer sheds = MessageProducer.of(shedding(true, 64).build());
        assertThatThrownBy(() -> DroppingMessageProducer.dropOldest(sheds, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("timeoutNanos must be 0 or more");
        assertThatThrownBy(() -> DroppingMessageProducer.dropOldest(null, 0))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("producer");
        assertThatThrownBy(() -> DroppingMessageProducer.dropNewest(plain, null))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("handler");
        assertThatThrownBy(() -> DroppingMessageProducer.dropNewest(null, (type, buffer, offset, length) -> {}))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("producer");
    }

    // threads

    /** What a message says of itself: its type is its publisher, and each 8 bytes are its count. */
    private static long count(int type, DirectBuffer buffer, int offset, int length) {
        long count = buffer.getLong(offset);
        for (int at = 0; at < length; at += Long.BYTES) {
            if (buffer.getLong(offset + at) != count || length != lengthOf(count)) {
                throw new AssertionError("message " + count + " of " + type + " is not whole");
            }
        }
        return type * 1_000_000L + count;
    }

    private static int lengthOf(long count) {
        return (int) (8 + count % 8 * 8);
    }

    @Tag("concurrency")
    @Test
    void eachMessageOfTwoPublishersIsHandledOrDroppedOnceByEachConsumer() throws Exception {
        int count = 20_000;
        Map<String, List<Long>> seen = new ConcurrentHashMap<>();
        Map<String, Long> dropped = new ConcurrentHashMap<>();
        RingBuffer<Messages> ring = RingBufferBuilder.messages(512)
                .producersIdle(YieldingIdleStrategy::new)
                .consumersIdle(YieldingIdleStrategy::new)
                .shedding((consumer, messages, sequence) -> {
                    seen.get(consumer)
                            .add(count(
                                    messages.type(sequence),
                                    messages.buffer(),
                                    messages.offset(sequence),
                                    messages.length(sequence)));
                    dropped.merge(consumer, 1L, Long::sum);
                })
                .build();
        Pipeline<Messages> pipeline = Pipeline.on(ring);
        List<NewConsumer<Messages>> consumers = new ArrayList<>();
        for (String name : List.of("slow", "follower")) {
            seen.put(name, new ArrayList<>());
            dropped.put(name, 0L);
            MessageHandler handler = (type, buffer, offset, length, sequence, endOfBatch) -> {
                for (long i = name.equals("slow") ? sequence % 64 : 0; i > 0; i--) {
                    Thread.onSpinWait();
                }
                seen.get(name).add(count(type, buffer, offset, length));
            };
            consumers.add(pipeline.consumer(name, handler));
        }
        pipeline.handleEventsWith(consumers.get(0)).then(consumers.get(1));
        pipeline.start();
        List<Rings.Caller> publishers = new ArrayList<>();
        for (int type = 1; type <= 2; type++) {
            int own = type;
            publishers.add(new Rings.Caller(() -> {
                SafeBuffer message = SafeBuffer.allocate(64);
                try (DroppingMessageProducer producer =
                        DroppingMessageProducer.dropOldest(MessageProducer.of(ring), Rings.LONG)) {
                    for (long i = 0; i < count; i++) {
                        for (int at = 0; at < 64; at += Long.BYTES) {
                            message.putLong(at, i);
                        }
                        long result = producer.offer(own, message, 0, lengthOf(i));
                        if (result < 0) {
                            throw new AssertionError("message " + i + ": " + Producer.resultName(result));
                        }
                    }
                }
            }));
        }
        for (Rings.Caller one : publishers) {
            assertThat(one.result()).isNull();
        }
        assertThat(pipeline.drain(Rings.LONG).isNone()).isTrue();
        RingMonitor monitor = RingMonitor.of(ring);
        for (int i = 0; i < 2; i++) {
            assertThat(monitor.consumer(i).shed())
                    .isEqualTo(dropped.get(monitor.consumer(i).name()));
        }
        pipeline.close();
        assertThat(ring.state()).isEqualTo(State.CLOSED);
        List<Long> each = new ArrayList<>();
        for (long i = 0; i < count; i++) {
            each.add(i);
        }
        seen.forEach((name, all) -> {
            for (long type = 1; type <= 2; type++) {
                long own = type * 1_000_000;
                assertThat(all.stream()
                                .filter(one -> one / 1_000_000 * 1_000_000 == own)
                                .map(one -> one - own)
                                .toList())
                        .as(name)
                        .isEqualTo(each);
            }
        });
        assertThat(seen.get("follower")).isEqualTo(seen.get("slow"));
    }
}
