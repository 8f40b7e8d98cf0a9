package io.sluice.ringbuffer;

import static io.sluice.ringbuffer.Rings.ring;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.ringbuffer.monitor.RingMonitor;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Drop newest: what fits is published, what does not is filled, shown, counted, and gone. */
class DroppingProducerTest {
    @TempDir
    Path folder;

    private final List<Long> dropped = new ArrayList<>();

    /** Nothing is claimed then; the caller is told all the same, and no counters stay with a producer that is closed. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTranslatorThatClosesItsProducerWhileTheRingIsFullIsTold(boolean single) {
        RingBuffer<long[]> ring = ring(single, 4);
        Pipeline.on(ring).poller("books");
        for (int i = 0; i < 3; i++) {
            Producer<long[]> own = ring.producer();
            while (i == 0 && own.tryPublishEvent((event, sequence) -> {}) >= 0) {}
            DroppingProducer<long[]> producer =
                    DroppingProducer.dropNewest(own, new long[1], event -> dropped.add(event[0]));
            assertThatThrownBy(() -> producer.publishEvent((event, sequence) -> producer.close()))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("close must be called outside of the producer's own translators,"
                            + " but was called within one: the ring was full, and the event is dropped");
            assertThat(producer.publishEvent((event, sequence) -> {})).isEqualTo(Producer.CLOSED);
        }
        assertThat(dropped).isEmpty();
        List<ProducerCounters> counters = new ArrayList<>();
        ((ObjectRing<long[]>) ring).forEachProducer(counters::add);
        assertThat(counters).as("one producer at a time").hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatDoesNotFitIsShownAndCountedInEveryForm(boolean single) throws Exception {
        RingBuffer<long[]> ring = ring(single, 4);
        EventPoller<long[]> poller = Pipeline.on(ring).poller("books");
        DroppingProducer<long[]> producer =
                DroppingProducer.dropNewest(ring.producer(), new long[1], event -> dropped.add(event[0]));
        for (long i = 0; i < 4; i++) {
            assertThat(producer.publishEvent((event, sequence, value) -> event[0] = value, 10 + i))
                    .isEqualTo(i);
        }
        long[] sequences = new long[1];
        assertThat(producer.publishEvent((event, sequence) -> {
                    event[0] = 20;
                    sequences[0] = sequence;
                }))
                .isEqualTo(Producer.FULL);
        assertThat(sequences[0]).isEqualTo(-1);
        assertThat(producer.publishEvent((event, sequence, value) -> event[0] = value, 21))
                .isEqualTo(Producer.FULL);
        Long boxed = 22L;
        EventTranslatorOneArg<long[], Long> one = (event, sequence, a) -> event[0] = a;
        assertThat(producer.publishEvent(one, boxed)).isEqualTo(Producer.FULL);
        EventTranslatorTwoArg<long[], Long, Long> two = (event, sequence, a, b) -> event[0] = a + b;
        assertThat(producer.publishEvent(two, boxed, 1L)).isEqualTo(Producer.FULL);
        assertThat(dropped).containsExactly(20L, 21L, 22L, 23L);
        assertThat(producer.dropped()).isEqualTo(4);
        RingMonitor monitor = RingMonitor.of(ring);
        assertThat(monitor.dropped()).isEqualTo(4);
        assertThat(monitor.refused()).isEqualTo(4);
        assertThat(monitor.published()).isEqualTo(4);
        List<Long> delivered = new ArrayList<>();
        poller.poll((event, sequence, endOfBatch) -> delivered.add(event[0]), 2);
        assertThat(producer.publishEvent(one, 30L)).isEqualTo(4);
        assertThat(producer.publishEvent(two, 30L, 1L)).isEqualTo(5);
        assertThat(producer.publishEvent((event, sequence) -> event[0] = 32)).isEqualTo(Producer.FULL);
        while (poller.poll((event, sequence, endOfBatch) -> delivered.add(event[0]), 10) > 0) {}
        assertThat(delivered).containsExactly(10L, 11L, 12L, 13L, 30L, 31L);
    }

    @Test
    void theEndOfTheRingDropsNothing() {
        RingBuffer<long[]> ring = ring(true, 4);
        Pipeline.on(ring).poller("books");
        DroppingProducer<long[]> producer =
                DroppingProducer.dropNewest(ring.producer(), new long[1], event -> dropped.add(event[0]));
        ring.close();
        assertThat(producer.publishEvent((event, sequence) -> event[0] = 1)).isEqualTo(Producer.CLOSED);
        assertThat(dropped).isEmpty();
        assertThat(producer.dropped()).isZero();
        producer.close();
    }

    @Test
    void whatTheHandlerThrowsReachesTheCallerAndTheEventStaysDropped() {
        RingBuffer<long[]> ring = ring(true, 1);
        Pipeline.on(ring).poller("books");
        IllegalStateException planned = new IllegalStateException("as planned");
        DroppingProducer<long[]> producer = DroppingProducer.dropNewest(ring.producer(), new long[1], event -> {
            throw planned;
        });
        producer.publishEvent((event, sequence) -> event[0] = 1);
        assertThatThrownBy(() -> producer.publishEvent((event, sequence) -> event[0] = 2))
                .isSameAs(planned);
        assertThat(producer.dropped()).isEqualTo(1);
        assertThat(RingMonitor.of(ring).published()).isEqualTo(1);
    }

    @Test
    @Tag("once")
    void aDropIsRecordedAndAllocatesNothingWhereItIsNot() throws Exception {
        RingBuffer<long[]> ring = Rings.ringBuilder(true, 4).name("orders").build();
        Pipeline.on(ring).poller("books");
        DroppingProducer<long[]> producer = DroppingProducer.dropNewest(ring.producer(), new long[1], event -> {});
        int[] published = {0};
        assertThat(Allocated.least(() -> {
                    for (int i = 0; i < 1_000; i++, published[0]++) {
                        producer.publishEvent((event, sequence, value) -> event[0] = value, i);
                    }
                }))
                .isZero();
        assertThat(producer.dropped()).isEqualTo(published[0] - 4);
        Path file = folder.resolve("drop.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("io.sluice.Drop");
            recording.start();
            producer.publishEvent((event, sequence) -> event[0] = 1);
            recording.stop();
            recording.dump(file);
        }
        assertThat(RecordingFile.readAllEvents(file))
                .extracting(event ->
                        event.getString("ring") + " " + event.getString("slowest") + " " + event.getLong("events"))
                .containsExactly("orders books 1");
    }

    /** The event that is dropped would be written over one that is published. */
    @ParameterizedTest
    @CsvSource({
        "true, false, false", "false, false, false", "true, true, false", "false, true, false",
        "true, false, true", "false, false, true", "true, true, true", "false, true, true"
    })
    void anEventOfTheRingsOwnIsNoSpare(boolean single, boolean tracked, boolean bytes) throws Exception {
        RingBufferBuilder<Object> builder = Words.ring(bytes, 1).capacity(4).name("orders");
        if (single) {
            builder.singleProducer();
        }
        RingBuffer<Object> ring = (tracked ? builder.trackClaims() : builder).build();
        EventPoller<Object> poller = Pipeline.on(ring).poller("books");
        Producer<Object> plain = ring.producer();
        for (long sequence = 0; sequence < 4; sequence++) {
            Object own = ring.get(sequence);
            assertThatThrownBy(() -> DroppingProducer.dropNewest(plain, own, event -> {}))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("spare must be in no slot of ring orders, but was in slot " + (bytes ? 0 : sequence));
        }
        Object spare = bytes ? ByteSlots.one(8) : new long[1];
        DroppingProducer<Object> producer =
                DroppingProducer.dropNewest(plain, spare, event -> dropped.add(Words.get(event, -1, 0)));
        EventTranslatorLong<Object> translator = (event, sequence, value) -> Words.set(event, sequence, 0, value);
        for (long number : new long[] {0, 1, 2, 3, 99}) {
            producer.publishEvent(translator, number);
        }
        List<Long> delivered = new ArrayList<>();
        poller.poll((event, sequence, endOfBatch) -> delivered.add(Words.get(event, sequence, 0)), 10);
        assertThat(delivered).containsExactly(0L, 1L, 2L, 3L);
        assertThat(dropped).containsExactly(99L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aSpareOfFewerBytesThanASlotIsRefused(boolean tracked) {
        RingBufferBuilder<ByteSlots> builder =
                RingBufferBuilder.bytes(56).capacity(4).name("orders");
        RingBuffer<ByteSlots> ring = (tracked ? builder.trackClaims() : builder).build();
        assertThatThrownBy(() -> DroppingProducer.dropNewest(ring.producer(), ByteSlots.one(8), event -> {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("spare must be of 56 bytes or more, as a slot of ring orders, but was of 8");
        DroppingProducer.dropNewest(ring.producer(), ByteSlots.one(56), event -> {});
        DroppingProducer.dropNewest(ring.producer(), ByteSlots.one(64), event -> {});
    }

    @Test
    void badInputIsRefused() {
        RingBuffer<long[]> ring = ring(false, 4);
        Producer<?> foreign = (Producer<?>) Proxy.newProxyInstance(
                Producer.class.getClassLoader(), new Class<?>[] {Producer.class}, (proxy, method, arguments) -> null);
        assertThatThrownBy(() -> refuse(foreign))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must be one of RingBuffer.producer");
        assertThatThrownBy(() -> DroppingProducer.dropNewest(ring.producer(), null, event -> {}))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("spare must not be null");
        assertThatThrownBy(() -> DroppingProducer.dropNewest(ring.producer(), new long[1], null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("handler must not be null");
    }

    @SuppressWarnings("unchecked") // it is refused before an event is touched
    private static void refuse(Producer<?> foreign) {
        DroppingProducer.dropNewest((Producer<Object>) foreign, new Object(), event -> {});
    }
}
