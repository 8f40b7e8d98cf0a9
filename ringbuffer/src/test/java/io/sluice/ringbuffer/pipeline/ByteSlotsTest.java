package io.sluice.ringbuffer.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.sluice.core.FailurePolicy.Action;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.ClaimAbortedException;
import io.sluice.ringbuffer.DroppingProducer;
import io.sluice.ringbuffer.EventTranslatorLong;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.RingClosedException;
import io.sluice.ringbuffer.RingFailedException;
import io.sluice.ringbuffer.Rings;
import io.sluice.ringbuffer.SlotTranslator;
import io.sluice.ringbuffer.StalledClaimDetector;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A ring of bytes as its users see it: the layout, handlers, translators, keys, and what is refused. */
@Timeout(60)
class ByteSlotsTest {
    private static final SlotTranslator FILL = (buffer, offset, sequence) -> buffer.putLong(offset, 7 * sequence);

    private static RingBuffer<ByteSlots> ring(boolean single, int length, int capacity) {
        RingBufferBuilder<ByteSlots> builder = RingBufferBuilder.bytes(length).capacity(capacity);
        return (single ? builder.singleProducer() : builder).build();
    }

    private static void exhaust(List<EventProcessor> processors) {
        int work;
        do {
            work = 0;
            for (EventProcessor processor : processors) {
                work += processor.doWork();
            }
        } while (work > 0);
    }

    // the layout

    @ParameterizedTest
    @CsvSource({"8, 16", "9, 32", "24, 32", "25, 64", "56, 64", "57, 128", "120, 128", "121, 192", "65536, 65600"})
    void aSlotHasItsStampBesideItAndAPayloadOfUpTo56BytesNeverLeavesTheLineOfItsStamp(int length, int stride) {
        ByteSlots slots = ring(true, length, 4).get(0);
        assertThat(slots.length()).isEqualTo(length);
        assertThat(slots.offset(1) - slots.offset(0)).isEqualTo(stride);
        assertThat(slots.offset(4)).isEqualTo(slots.offset(0));
        assertThat(slots.buffer().capacity()).isEqualTo(4 * stride);
        for (int sequence = 0; sequence < 4; sequence++) {
            int offset = slots.offset(sequence);
            assertThat(offset % 8).isZero();
            if (length <= 56) {
                assertThat((offset - 8) / 64).isEqualTo((offset + length - 1) / 64);
            }
        }
        AtomicBuffer buffer = slots.buffer();
        assertThat(buffer.byteBuffer().alignmentOffset(buffer.wrapAdjustment(), 64))
                .as("begins at a cache line")
                .isZero();
    }

    @Test
    void eachByteOfASlotIsItsOwn() throws Exception {
        for (boolean single : new boolean[] {true, false}) {
            for (int length : new int[] {8, 11, 56, 57, 200}) {
                RingBuffer<ByteSlots> ring = ring(single, length, 8);
                EventPoller<ByteSlots> poller = Pipeline.on(ring).poller("reader");
                Producer<ByteSlots> producer = ring.producer();
                for (int i = 0; i < 40; i++) {
                    SlotTranslator whole =
                            (buffer, offset, sequence) -> buffer.setMemory(offset, length, (byte) sequence);
                    producer.publishEvent(whole);
                    if (i % 8 == 7) {
                        List<Long> seen = new ArrayList<>();
                        SlotHandler read = (buffer, offset, bytes, sequence, endOfBatch) -> {
                            for (int at = 0; at < bytes; at++) {
                                assertThat(buffer.getByte(offset + at)).isEqualTo((byte) sequence);
                            }
                            seen.add(sequence);
                        };
                        assertThat(poller.poll(read::onEvent, 100)).isEqualTo(8);
                        assertThat(seen)
                                .containsExactly(i - 7L, i - 6L, i - 5L, i - 4L, i - 3L, i - 2L, i - 1L, (long) i);
                    }
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void anEmptyRingHandsOutNothingHoweverFewSlotsItHas(int capacity) throws Exception {
        for (boolean single : new boolean[] {true, false}) {
            RingBuffer<ByteSlots> ring = ring(single, 8, capacity);
            EventPoller<ByteSlots> poller = Pipeline.on(ring).poller("reader");
            List<Long> seen = new ArrayList<>();
            SlotHandler read = (buffer, offset, length, sequence, endOfBatch) -> seen.add(buffer.getLong(offset));
            Producer<ByteSlots> producer = ring.producer();
            for (int i = 0; i < 3 * capacity; i++) {
                assertThat(poller.poll(read::onEvent, 100)).isZero();
                producer.publishEvent(FILL);
                assertThat(poller.poll(read::onEvent, 100)).isEqualTo(1);
            }
            assertThat(seen)
                    .isEqualTo(LongStream.range(0, 3L * capacity)
                            .mapToObj(i -> 7 * i)
                            .toList());
        }
    }

    // who uses it

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void handlersTranslatorsAndClaimsSeeTheSameSlots(boolean single) {
        RingBuffer<ByteSlots> ring = ring(single, 16, 8);
        Pipeline<ByteSlots> pipeline = Pipeline.on(ring);
        List<String> seen = new ArrayList<>();
        SlotHandler first = (buffer, offset, length, sequence, endOfBatch) ->
                seen.add(length + " bytes, " + sequence + ": " + buffer.getLong(offset) + (endOfBatch ? "!" : ""));
        BatchHandler<ByteSlots> second = (slots, lo, hi) -> {
            for (long sequence = lo; sequence <= hi; sequence++) {
                ByteSlots one = slots.get(sequence);
                seen.add(sequence + " again: " + one.buffer().getLong(one.offset(sequence)));
            }
            return hi;
        };
        pipeline.handleEventsWith(pipeline.consumer("first", first).batchLimit(2))
                .thenBatches(second);
        List<EventProcessor> processors = pipeline.startProcessors();
        Producer<ByteSlots> producer = ring.producer();
        producer.publishEvent(FILL);
        EventTranslatorLong<ByteSlots> withLong =
                (slots, sequence, value) -> slots.buffer().putLong(slots.offset(sequence), value);
        producer.publishEvent(withLong, 40);
        exhaust(processors);
        long hi = producer.next(3);
        for (long sequence = hi - 2; sequence <= hi; sequence++) {
            ByteSlots slots = producer.get(sequence);
            slots.buffer().putLong(slots.offset(sequence), 10 * sequence);
        }
        producer.publish(hi - 2, hi - 2);
        producer.abort(hi - 1, hi - 1);
        producer.publish(hi, hi);
        exhaust(processors);
        assertThat(seen)
                .containsExactly(
                        "16 bytes, 0: 0",
                        "16 bytes, 1: 40!",
                        "0 again: 0",
                        "1 again: 40",
                        "16 bytes, 2: 20!",
                        "2 again: 20",
                        "16 bytes, 4: 40!",
                        "4 again: 40");
    }

    @Test
    void keysAreReadFromEachSlotAndClearersEmptyEach() {
        RingBuffer<ByteSlots> ring = ring(true, 16, 8);
        Pipeline<ByteSlots> pipeline = Pipeline.on(ring);
        List<Long> even = new ArrayList<>();
        List<Long> odd = new ArrayList<>();
        SlotHandler evens = (buffer, offset, length, sequence, endOfBatch) -> even.add(buffer.getLong(offset));
        SlotHandler odds = (buffer, offset, length, sequence, endOfBatch) -> odd.add(buffer.getLong(offset));
        SlotKey key = (buffer, offset) -> buffer.getLong(offset);
        SlotClearer clearer = (buffer, offset, length) -> buffer.setMemory(offset, length, (byte) 0x55);
        pipeline.handleEventsPartitionedBy(key, evens, odds);
        pipeline.clearEventsWith(clearer);
        List<EventProcessor> processors = pipeline.startProcessors();
        Producer<ByteSlots> producer = ring.producer();
        for (int i = 0; i < 20; i++) {
            producer.publishEvent(FILL);
            exhaust(processors);
            ByteSlots slots = ring.get(i);
            assertThat(slots.buffer().getLong(slots.offset(i))).isEqualTo(0x5555555555555555L);
        }
        assertThat(even).containsExactly(0L, 14L, 28L, 42L, 56L, 70L, 84L, 98L, 112L, 126L);
        assertThat(odd).containsExactly(7L, 21L, 35L, 49L, 63L, 77L, 91L, 105L, 119L, 133L);
    }

    @Test
    void aClearerEmptiesNothingThatIsRetained() {
        RingBuffer<ByteSlots> ring = RingBufferBuilder.bytes(8)
                .capacity(8)
                .retain(2)
                .singleProducer()
                .build();
        Pipeline<ByteSlots> pipeline = Pipeline.on(ring);
        SlotHandler nothing = (buffer, offset, length, sequence, endOfBatch) -> {};
        SlotClearer clearer = (buffer, offset, length) -> buffer.putLong(offset, -1);
        pipeline.handleEventsWith(nothing);
        pipeline.clearEventsWith(clearer);
        List<EventProcessor> processors = pipeline.startProcessors();
        Producer<ByteSlots> producer = ring.producer();
        for (int last = 0; last < 20; last++) {
            producer.publishEvent(FILL);
            exhaust(processors);
            for (int sequence = Math.max(0, last - 3); sequence <= last; sequence++) {
                ByteSlots slots = ring.get(sequence);
                assertThat(slots.buffer().getLong(slots.offset(sequence)))
                        .as("%d of %d", sequence, last)
                        .isEqualTo(sequence <= last - 2 ? -1 : 7L * sequence);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConsumerThatIsParkedIsWokenByAPublication(boolean single) throws Exception {
        RingBufferBuilder<ByteSlots> builder =
                RingBufferBuilder.bytes(8).capacity(8).consumersIdle(() -> SignalledIdle.exact(0));
        RingBuffer<ByteSlots> ring = (single ? builder.singleProducer() : builder).build();
        Pipeline<ByteSlots> pipeline = Pipeline.on(ring);
        CountDownLatch handled = new CountDownLatch(1);
        SlotHandler counts = (buffer, offset, length, sequence, endOfBatch) -> handled.countDown();
        pipeline.handleEventsWith(counts);
        List<Thread> threads = new ArrayList<>();
        pipeline.threads(task -> {
            threads.add(new Thread(task));
            return threads.get(0);
        });
        pipeline.start();
        Rings.await("a parked consumer", () -> threads.get(0).getState() == Thread.State.WAITING);
        ring.producer().publishEvent(FILL);
        assertThat(handled.await(20, TimeUnit.SECONDS)).isTrue();
        ring.close();
    }

    @Test
    void workersShareSlotsAndAHandlerThatThrowsNeitherWedgesNorSpins() {
        RingBuffer<ByteSlots> ring = ring(false, 8, 4);
        Pipeline<ByteSlots> pipeline = Pipeline.on(ring);
        List<Long> done = new ArrayList<>();
        int[] failures = {0};
        SlotHandler one = (buffer, offset, length, sequence, endOfBatch) -> {
            if (sequence == 2 && failures[0]++ < 3) {
                throw new IllegalStateException("planned");
            }
            done.add(buffer.getLong(offset));
        };
        SlotHandler two = (buffer, offset, length, sequence, endOfBatch) -> done.add(buffer.getLong(offset));
        pipeline.onFailure((cause, slots, sequence, attempt) -> {
            assertThat(slots).isSameAs(ring.get(sequence));
            return Action.RETRY_EVENT;
        });
        pipeline.handleEventsWithWorkerPool(one, two);
        List<EventProcessor> processors = pipeline.startProcessors();
        Producer<ByteSlots> producer = ring.producer();
        for (int i = 0; i < 12; i++) {
            producer.publishEvent(FILL);
            exhaust(processors);
        }
        assertThat(done).hasSize(12).contains(14L);
        assertThat(failures[0]).isEqualTo(4);
    }

    @Test
    void whatIsDroppedIsFilledIntoASlotOfNoRing() {
        RingBuffer<ByteSlots> ring = ring(true, 8, 1);
        Pipeline.on(ring).poller("slow");
        List<Long> dropped = new ArrayList<>();
        DroppingProducer<ByteSlots> producer = DroppingProducer.dropNewest(
                ring.producer(),
                ByteSlots.one(8),
                slots -> dropped.add(slots.buffer().getLong(slots.offset(0))));
        EventTranslatorLong<ByteSlots> withLong =
                (slots, sequence, value) -> slots.buffer().putLong(slots.offset(sequence), value);
        producer.publishEvent(withLong, 1);
        producer.publishEvent(withLong, 2);
        assertThat(dropped).containsExactly(2L);
        assertThat(ring.get(0).buffer().getLong(ring.get(0).offset(0))).isEqualTo(1);
    }

    // open claims

    /** What the late owner still writes reaches no slot of the ring any more: not even a lap later. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anOwnerWhoseClaimWasAbortedInItsSteadWritesIntoNoSlotOfTheRing(boolean single) throws Exception {
        RingBufferBuilder<ByteSlots> builder =
                RingBufferBuilder.bytes(8).capacity(2).trackClaims();
        RingBuffer<ByteSlots> ring = (single ? builder.singleProducer() : builder).build();
        EventPoller<ByteSlots> poller = Pipeline.on(ring).poller("reader");
        Producer<ByteSlots> slow = ring.producer();
        long sequence = slow.next();
        ByteSlots own = slow.get(sequence);
        Thread other = new Thread(() -> StalledClaimDetector.of(ring).look(0).abort());
        other.start();
        other.join(20_000);
        own.buffer().putLong(own.offset(sequence), -1);
        assertThatThrownBy(() -> slow.publish(sequence)).isInstanceOf(ClaimAbortedException.class);
        for (int i = 0; i < 6; i++) {
            slow.publishEvent(FILL);
            own.buffer().putLong(own.offset(sequence), -1);
            long expected = 7L * (i + 1);
            SlotHandler read = (buffer, offset, length, at, end) ->
                    assertThat(buffer.getLong(offset)).isEqualTo(expected);
            assertThat(poller.poll(read::onEvent, 8)).isEqualTo(i == 0 ? 2 : 1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aClaimWhoseThreadHasEndedIsAbortedAndOneOfALivingThreadIsNot(boolean single) throws Exception {
        RingBuffer<ByteSlots> ring = ring(single, 8, 4);
        EventPoller<ByteSlots> poller = Pipeline.on(ring).poller("reader");
        Producer<ByteSlots> lost = ring.producer();
        CountDownLatch claimed = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Thread owner = new Thread(() -> {
            lost.next(2);
            claimed.countDown();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        owner.start();
        assertThat(claimed.await(20, TimeUnit.SECONDS)).isTrue();
        StalledClaimDetector detector = StalledClaimDetector.of(ring);
        assertThatThrownBy(() -> detector.look(0).abort()).isInstanceOf(IllegalStateException.class);
        end.countDown();
        owner.join(20_000);
        assertThat(StalledClaimDetector.of(ring).look(0).abort()).isEqualTo(2);
        ring.producer().publishEvent(FILL);
        List<Long> seen = new ArrayList<>();
        SlotHandler read = (buffer, offset, length, sequence, endOfBatch) -> seen.add(buffer.getLong(offset));
        assertThat(poller.poll(read::onEvent, 8)).isEqualTo(3);
        assertThat(seen).containsExactly(14L);
    }

    /** Each producer goes on where the last one of the ring has ended, also where that left a claim open. */
    @Test
    void producersFollowEachOtherOnARingForOneAtATime() throws Exception {
        RingBuffer<ByteSlots> ring = ring(true, 8, 4);
        EventPoller<ByteSlots> poller = Pipeline.on(ring).poller("reader");
        List<Long> seen = new ArrayList<>();
        SlotHandler read = (buffer, offset, length, sequence, endOfBatch) -> seen.add(buffer.getLong(offset));
        for (int i = 0; i < 5; i++) {
            try (Producer<ByteSlots> producer = ring.producer()) {
                producer.publishEvent(FILL);
                producer.next(); // left open
            }
            assertThat(ring.cursor().get()).isEqualTo(2 * i + 1);
            assertThat(poller.poll(read::onEvent, 8)).isEqualTo(2);
        }
        assertThat(seen).containsExactly(0L, 14L, 28L, 42L, 56L);
        assertThat(ring.leftover().isNone()).isTrue();
    }

    // what is refused

    @ParameterizedTest
    @ValueSource(ints = {Integer.MIN_VALUE, -8, 0, 7, 65_537, Integer.MAX_VALUE})
    void aSlotLengthOutOfItsRange(int length) {
        assertThatThrownBy(() -> RingBufferBuilder.bytes(length))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("slotLength must be from 8 to 65536, but was " + length);
        assertThatThrownBy(() -> ByteSlots.one(length))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("length must be from 8 to 65536, but was " + length);
    }

    @ParameterizedTest
    @CsvSource({"8, 134217728, 67108864", "56, 33554432, 16777216", "65536, 32768, 16384"})
    void moreBytesThanOneBufferHolds(int length, int capacity, int most) {
        assertThatThrownBy(
                        () -> RingBufferBuilder.bytes(length).capacity(capacity).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("capacity must be from 1 to " + most + " with slots of " + length
                        + " bytes, so that all take less than 2 GiB, but was " + capacity);
    }

    @Test
    void anOffsetOutsideTheBuffer() {
        ByteSlots slots = ring(true, 8, 2).get(0);
        for (int offset : new int[] {-1, Integer.MIN_VALUE, 25, 32, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> slots.buffer().putLong(offset, 1)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void aClosedAndAFailedRing() throws Exception {
        RingBuffer<ByteSlots> ring = ring(true, 8, 2);
        Producer<ByteSlots> producer = ring.producer();
        ring.close();
        assertThatThrownBy(() -> producer.publishEvent(FILL))
                .isInstanceOf(RingClosedException.class)
                .hasMessageContaining("must be RUNNING");
        RingBuffer<ByteSlots> failing = ring(false, 8, 2);
        Pipeline<ByteSlots> pipeline = Pipeline.on(failing).errorHandler(report -> {});
        SlotHandler fails = (buffer, offset, length, sequence, endOfBatch) -> {
            throw new java.io.IOException("planned");
        };
        pipeline.handleEventsWith(fails);
        List<EventProcessor> processors = pipeline.startProcessors();
        Producer<ByteSlots> late = failing.producer();
        late.publishEvent(FILL);
        exhaust(processors);
        assertThat(failing.state()).isEqualTo(State.FAILED);
        assertThatThrownBy(() -> late.publishEvent(FILL)).isInstanceOf(RingFailedException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theBufferLivesOnBehindTheEndOfTheRing(boolean single) {
        RingBuffer<ByteSlots> ring = ring(single, 8, 4);
        Producer<ByteSlots> producer = ring.producer();
        producer.publishEvent(FILL);
        long sequence = producer.publishEvent(FILL);
        ByteSlots slots = producer.get(sequence);
        AtomicBuffer buffer = slots.buffer();
        int at = slots.offset(sequence);
        producer.close();
        ring.close();
        assertThat(buffer.getLong(at)).isEqualTo(7 * sequence);
        buffer.putLong(at, 5);
        assertThat(buffer.getLongVolatile(at)).isEqualTo(5);
    }

    @Test
    void slotsWithoutASequence() {
        SlotKey key = (buffer, offset) -> 1;
        SlotClearer clearer = (buffer, offset, length) -> {};
        assertThatThrownBy(() -> key.applyAsLong(ByteSlots.one(8)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("must be asked for with its sequence");
        assertThatThrownBy(() -> clearer.clear(ByteSlots.one(8)))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("must be cleared with its sequence");
    }

    /** Who closes the ring's buffer can not read or write by it any more; publications go on. */
    @Test
    void aBufferThatAUserHasClosedRefusesAccessAndTheRingGoesOn() throws Exception {
        RingBuffer<ByteSlots> ring = ring(true, 8, 4);
        EventPoller<ByteSlots> poller = Pipeline.on(ring).poller("reader");
        Producer<ByteSlots> producer = ring.producer();
        producer.publish(producer.next());
        ((AutoCloseable) ring.get(0).buffer()).close();
        assertThatThrownBy(() -> producer.publishEvent(FILL)).isInstanceOf(IllegalStateException.class);
        producer.publish(producer.next());
        List<Long> seen = new ArrayList<>();
        assertThat(poller.poll((slots, sequence, endOfBatch) -> seen.add(sequence), 8))
                .isEqualTo(3);
        assertThat(seen).as("the one that was not filled is aborted").containsExactly(0L, 2L);
    }

    // costs

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("once")
    void nothingIsAllocatedForASlot(boolean single) {
        RingBuffer<ByteSlots> ring = ring(single, 24, 64);
        Pipeline<ByteSlots> pipeline = Pipeline.on(ring);
        long[] sum = {0};
        SlotHandler first = (buffer, offset, length, sequence, endOfBatch) -> sum[0] += buffer.getLong(offset);
        SlotHandler second = (buffer, offset, length, sequence, endOfBatch) -> sum[0] -= buffer.getLong(offset);
        pipeline.handleEventsPartitionedBy((SlotKey) (buffer, offset) -> buffer.getLong(offset), first, second);
        List<EventProcessor> processors = pipeline.startProcessors();
        Producer<ByteSlots> producer = ring.producer();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 5 && least > 1_000; attempt++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 20_000; i++) {
                producer.publishEvent(FILL);
                long hi = producer.tryNext(2);
                producer.publish(hi - 1, hi - 1);
                producer.abort(hi, hi);
                for (int j = 0; j < processors.size(); j++) {
                    processors.get(j).doWork();
                }
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isLessThanOrEqualTo(1_000);
    }

    // without a flag

    @Test
    @Tag("once")
    void aProgramThatIsStartedWithoutAnyOptionPrintsNoWarning(@TempDir Path folder) throws Exception {
        assertThat(PlainJava.output(folder, Program.class)).isEqualTo("sum 3499860000");
    }

    /** What a user starts with {@code java -cp}. */
    static final class Program {
        private Program() {}

        public static void main(String[] arguments) throws Exception {
            long sum = 0;
            for (boolean single : new boolean[] {true, false}) {
                RingBuffer<ByteSlots> ring = ring(single, 56, 256);
                long[] handled = {0};
                SlotHandler adds =
                        (buffer, offset, length, sequence, endOfBatch) -> handled[0] += buffer.getLong(offset);
                try (Pipeline<ByteSlots> pipeline = Pipeline.on(ring)) {
                    pipeline.handleEventsWith(adds);
                    pipeline.start();
                    Producer<ByteSlots> producer = ring.producer();
                    for (int i = 0; i < (single ? 10_000 : 30_000); i++) {
                        producer.publishEvent(FILL);
                    }
                    pipeline.drain(TimeUnit.SECONDS.toNanos(20));
                }
                sum += handled[0];
            }
            System.out.println("sum " + sum);
        }
    }
}
