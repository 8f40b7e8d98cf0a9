package io.sluice.aeron;

import static io.sluice.aeron.Harness.DECODER;
import static io.sluice.aeron.Harness.ENCODER;
import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.STREAM;
import static org.assertj.core.api.Assertions.assertThat;

import io.aeron.driver.ThreadingMode;
import io.sluice.core.RunnerAgent;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.EventTranslator;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.PollHandler;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Counts the bytes that a message allocates on its way from ring to ring; a control that allocates on purpose must be seen. */
@Tag("once")
class AllocationTest {
    private static final int MESSAGES = 50_000;
    private static final int CHUNK = 50;

    /** On a quick machine dozens of rounds are over before the compiler has seen that an object does not escape. */
    private static final int ROUNDS = 60;

    /** Rounds of long messages by UDP take seconds each. */
    private static final long LONGEST_NANOS = 60_000_000_000L;

    /** Less than a byte in a hundred messages; anything that a message allocates is at least 16 bytes. */
    private static final long NOISE = MESSAGES / 100;

    /** The ways of a message, by an exclusive publication or by one that senders share. Frames are of 1,408 bytes at most. */
    enum By {
        IPC_EXCLUSIVE(false, false),
        IPC_CONCURRENT(false, true),
        UDP_EXCLUSIVE(true, false),
        UDP_CONCURRENT(true, true);

        final boolean udp;
        final boolean concurrent;

        By(boolean udp, boolean concurrent) {
            this.udp = udp;
            this.concurrent = concurrent;
        }
    }

    private static final EventTranslator<long[]> FILL = (event, sequence) -> event[0] = sequence;
    private static final EventTranslator<ByteSlots> FILL_SLOT =
            (slots, sequence) -> slots.buffer().putLong(slots.offset(sequence), sequence);

    private final List<Throwable> errors = new ArrayList<>();

    @ParameterizedTest
    @EnumSource
    void aMessageOfOneFrameAllocatesNothing(By by) throws Exception {
        assertThat(ofObjects(by, ENCODER, ROUNDS)).isLessThan(NOISE);
    }

    @ParameterizedTest
    @EnumSource
    void aMessageOfSeveralFragmentsAllocatesNothing(By by) throws Exception {
        EventEncoder<long[]> longOnes = EventEncoder.fixed(2_000, (event, buffer, offset) -> {
            buffer.putLong(offset, event[0]);
        });
        assertThat(ofObjects(by, longOnes, ROUNDS)).isLessThan(NOISE);
    }

    @ParameterizedTest
    @EnumSource
    void aMessageOfASlotAllocatesNothing(By by) throws Exception {
        RingBuffer<ByteSlots> from =
                RingBufferBuilder.bytes(56).capacity(64).singleProducer().build();
        RingBuffer<ByteSlots> to =
                RingBufferBuilder.bytes(56).capacity(64).singleProducer().build();
        Producer<ByteSlots> producer = from.producer();
        assertThat(allocated(
                        by,
                        from,
                        to,
                        SlotMessages.whole(),
                        RingSink.waiting(to.producer(), SlotMessages.whole()),
                        () -> producer.publishEvent(FILL_SLOT),
                        ROUNDS))
                .isLessThan(NOISE);
    }

    @ParameterizedTest
    @CsvSource({
        "IPC_EXCLUSIVE, 0, false",
        "IPC_EXCLUSIVE, 60, false",
        "IPC_EXCLUSIVE, 60, true",
        "IPC_EXCLUSIVE, 2000, false",
        "IPC_CONCURRENT, 60, false",
        "IPC_CONCURRENT, 2000, false",
        "UDP_EXCLUSIVE, 60, false",
        "UDP_EXCLUSIVE, 2000, false",
        "UDP_CONCURRENT, 60, false",
        "UDP_CONCURRENT, 2000, false"
    })
    void aMessageOfARingOfMessagesAllocatesNothing(By by, int length, boolean dropping) throws Exception {
        RingBuffer<Messages> from =
                RingBufferBuilder.messages(1 << 18).singleProducer().build();
        RingBuffer<Messages> to =
                RingBufferBuilder.messages(1 << 18).singleProducer().build();
        MessageProducer producer = MessageProducer.of(from);
        UnsafeBuffer message = new UnsafeBuffer(ByteBuffer.allocateDirect(length));
        MessageRingSink sink = dropping
                ? MessageRingSink.droppingNewest(
                        MessageProducer.of(to), (type, buffer, offset, bytes, sequence, endOfBatch) -> {})
                : MessageRingSink.waiting(MessageProducer.of(to));
        assertThat(allocated(
                        by,
                        from,
                        to,
                        RingMessages.withType(),
                        sink,
                        () -> producer.offer(1, message, 0, length),
                        ROUNDS))
                .isLessThan(NOISE);
        assertThat(sink.dropped()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void anAllocationIsSeen(By by) throws Exception {
        byte[][] kept = new byte[1][];
        EventEncoder<long[]> allocating = EventEncoder.fixed(8, (event, buffer, offset) -> {
            kept[0] = new byte[1];
            buffer.putLong(offset, event[0]);
        });
        assertThat(ofObjects(by, allocating, 1)).isGreaterThanOrEqualTo(16L * MESSAGES);
    }

    private long ofObjects(By by, EventEncoder<long[]> encoder, int rounds) throws Exception {
        RingBuffer<long[]> from = ring();
        RingBuffer<long[]> to = ring();
        Producer<long[]> producer = from.producer();
        return allocated(
                by,
                from,
                to,
                encoder,
                RingSink.waiting(to.producer(), DECODER),
                () -> producer.publishEvent(FILL),
                rounds);
    }

    private static RingBuffer<long[]> ring() {
        return RingBufferBuilder.of(() -> new long[1])
                .capacity(64)
                .singleProducer()
                .build();
    }

    /** The least of several rounds, all on this thread but the driver, whose loop over its agents is not ours. */
    private <E> long allocated(
            By by,
            RingBuffer<E> from,
            RingBuffer<E> to,
            EventEncoder<E> encoder,
            MessageSink sink,
            Runnable publish,
            int rounds)
            throws Exception {
        try (AeronLink link = AeronLink.embedded(errors::add)
                .threads(ThreadingMode.SHARED)
                .driver(Harness::small)
                .start()) {
            // The receiver's window is as long as a chunk.
            // With a shorter one each chunk waits for a timer of the driver.
            String channel = by.udp ? Harness.udp().replace("64k", "1m") : IPC + "|mtu=1408";
            AeronSender.Builder<E> builder = AeronSender.builder(link, channel, STREAM, encoder);
            AeronSender<E> sender = (by.concurrent ? builder.concurrent() : builder).build();
            Pipeline<E> out = Pipeline.on(from);
            if (from.get(0) instanceof Messages) {
                out.handleEventsWith(handlerOf(from, sender));
            } else {
                out.handleEventsWith(out.batchConsumer("out", sender));
            }
            RunnerAgent sending = out.startInvoked();
            long[] handled = {0};
            EventPoller<E> poller = Pipeline.on(to).poller("in");
            PollHandler<E, RuntimeException> counts = (event, sequence, endOfBatch) -> handled[0]++;
            AeronReceiver receiver = AeronReceiver.builder(link, channel, STREAM, sink, new Heard())
                    .build();
            while (!sender.open() || !receiver.isConnected()) {
                link.doWork();
                receiver.doWork();
            }
            long least = Long.MAX_VALUE;
            Callable<Object> chunk =
                    () -> { // a method of its own, so that it is compiled as one, and not from the middle of a loop
                        long due = handled[0] + CHUNK;
                        for (int m = 0; m < CHUNK; m++) {
                            publish.run();
                        }
                        while (handled[0] < due) {
                            link.doWork();
                            sending.doWork();
                            receiver.doWork();
                            poller.poll(counts, Integer.MAX_VALUE);
                        }
                        return handled;
                    };
            long started = System.nanoTime();
            for (int round = 0; // the first ones load classes and warm up
                    round < rounds && least >= NOISE && System.nanoTime() - started < LONGEST_NANOS;
                    round++) {
                long before = allocatedBytes();
                for (int i = 0; i < MESSAGES; i += CHUNK) {
                    chunk.call();
                }
                least = Math.min(least, allocatedBytes() - before);
            }
            assertThat(receiver.missing() + receiver.bad()).isZero();
            assertThat(errors).isEmpty();
            from.close();
            to.close();
            receiver.close();
            sender.close();
            return least;
        }
    }

    @SuppressWarnings("unchecked") // its events are messages
    private static <E> EventHandler<E> handlerOf(RingBuffer<E> ring, AeronSender<E> sender) {
        return (EventHandler<E>) RingMessages.handler((RingBuffer<Messages>) ring, (AeronSender<Messages>) sender);
    }

    /** Reflection, since the module that this test is compiled into does not read the management modules. */
    private static long allocatedBytes() {
        try {
            return (long) COUNTER.invoke(THREADS, Thread.currentThread().getId());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    private static final Object THREADS;
    private static final Method COUNTER;

    static {
        try {
            THREADS = Class.forName("java.lang.management.ManagementFactory")
                    .getMethod("getThreadMXBean")
                    .invoke(null);
            COUNTER = Class.forName("com.sun.management.ThreadMXBean").getMethod("getThreadAllocatedBytes", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
