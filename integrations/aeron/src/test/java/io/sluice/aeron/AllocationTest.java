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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Counts the bytes that a message allocates on its way from ring to ring; a control that allocates on purpose must be seen. */
@Tag("once")
class AllocationTest {
    private static final int MESSAGES = 50_000;
    private static final int CHUNK = 50;

    /** On a quick machine dozens of rounds are over before the compiler has seen that an object does not escape. */
    private static final int ROUNDS = 60;

    /** Less than a byte in a hundred messages; anything that a message allocates is at least 16 bytes. */
    private static final long NOISE = MESSAGES / 100;

    private static final EventTranslator<long[]> FILL = (event, sequence) -> event[0] = sequence;
    private static final EventTranslator<ByteSlots> FILL_SLOT =
            (slots, sequence) -> slots.buffer().putLong(slots.offset(sequence), sequence);

    private final List<Throwable> errors = new ArrayList<>();

    @Test
    void aMessageOfOneFrameAllocatesNothing() throws Exception {
        assertThat(ofObjects(IPC, ENCODER)).isLessThan(NOISE);
    }

    @Test
    void aMessageOfSeveralFragmentsAllocatesNothing() throws Exception {
        EventEncoder<long[]> longOnes = EventEncoder.fixed(2_000, (event, buffer, offset) -> {
            buffer.putLong(offset, event[0]);
        });
        assertThat(ofObjects(IPC + "|mtu=1408", longOnes)).isLessThan(NOISE);
    }

    @Test
    void aMessageOfASlotAllocatesNothing() throws Exception {
        RingBuffer<ByteSlots> from =
                RingBufferBuilder.bytes(56).capacity(64).singleProducer().build();
        RingBuffer<ByteSlots> to =
                RingBufferBuilder.bytes(56).capacity(64).singleProducer().build();
        Producer<ByteSlots> producer = from.producer();
        assertThat(allocated(
                        IPC,
                        from,
                        to,
                        SlotMessages.whole(),
                        RingSink.waiting(to.producer(), SlotMessages.whole()),
                        () -> producer.publishEvent(FILL_SLOT)))
                .isLessThan(NOISE);
    }

    @ParameterizedTest
    @CsvSource({"0, false", "60, false", "60, true", "3000, false"})
    void aMessageOfARingOfMessagesAllocatesNothing(int length, boolean dropping) throws Exception {
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
                        IPC + "|mtu=1408",
                        from,
                        to,
                        RingMessages.withType(),
                        sink,
                        () -> producer.offer(1, message, 0, length)))
                .isLessThan(NOISE);
        assertThat(sink.dropped()).isZero();
    }

    @Test
    void anAllocationIsSeen() throws Exception {
        byte[][] kept = new byte[1][];
        EventEncoder<long[]> allocating = EventEncoder.fixed(8, (event, buffer, offset) -> {
            kept[0] = new byte[1];
            buffer.putLong(offset, event[0]);
        });
        assertThat(ofObjects(IPC, allocating)).isGreaterThanOrEqualTo(16L * MESSAGES);
    }

    private long ofObjects(String channel, EventEncoder<long[]> encoder) throws Exception {
        RingBuffer<long[]> from = ring();
        RingBuffer<long[]> to = ring();
        Producer<long[]> producer = from.producer();
        return allocated(
                channel,
                from,
                to,
                encoder,
                RingSink.waiting(to.producer(), DECODER),
                () -> producer.publishEvent(FILL));
    }

    private static RingBuffer<long[]> ring() {
        return RingBufferBuilder.of(() -> new long[1])
                .capacity(64)
                .singleProducer()
                .build();
    }

    /** The least of several rounds, all on this thread but the driver, whose loop over its agents is not ours. */
    private <E> long allocated(
            String channel,
            RingBuffer<E> from,
            RingBuffer<E> to,
            EventEncoder<E> encoder,
            MessageSink sink,
            Runnable publish)
            throws Exception {
        try (AeronLink link = AeronLink.embedded(errors::add)
                .threads(ThreadingMode.SHARED)
                .driver(Harness::small)
                .start()) {
            AeronSender<E> sender =
                    AeronSender.<E>builder(link, channel, STREAM, encoder).build();
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
            for (int round = 0; round < ROUNDS && least >= NOISE; round++) { // the first ones load classes and warm up
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
