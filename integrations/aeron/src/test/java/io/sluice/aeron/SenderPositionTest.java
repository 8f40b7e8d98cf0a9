package io.sluice.aeron;

import static io.sluice.aeron.Harness.IPC;
import static io.sluice.aeron.Harness.STREAM;
import static org.assertj.core.api.Assertions.assertThat;

import io.aeron.Subscription;
import io.sluice.core.RunnerAgent;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A sender counts a message before somebody can have it: else a NAK of a quick receiver would name a message that was not sent. */
@Tag("concurrency")
@Timeout(120)
class SenderPositionTest {
    private static final String CHANNEL = IPC + "|mtu=1408";

    /** Messages of a frame, and some of three fragments. */
    @ParameterizedTest
    @CsvSource({"8, 200000", "4000, 20000"})
    void whoHasAMessageFindsItCounted(int bytes, long messages) throws Exception {
        EventEncoder<long[]> encoder =
                EventEncoder.fixed(bytes, (event, buffer, offset) -> buffer.putLong(offset, event[0]));
        List<Throwable> errors = new CopyOnWriteArrayList<>();
        AtomicBoolean ended = new AtomicBoolean();
        try (AeronLink link =
                AeronLink.embedded(errors::add).driver(Harness::small).start()) {
            RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                    .capacity(256)
                    .singleProducer()
                    .build();
            AeronSender<long[]> sender =
                    AeronSender.<long[]>builder(link, CHANNEL, STREAM, encoder).build();
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith(pipeline.batchConsumer("out", sender));
            RunnerAgent out = pipeline.startInvoked();
            Producer<long[]> producer = ring.producer();
            Subscription subscription = link.aeron().addSubscription(CHANNEL, STREAM);
            Thread sending = new Thread(
                    () -> {
                        try {
                            for (long next = 1; !ended.get(); ) {
                                while (next <= messages
                                        && producer.tryPublishEvent((event, sequence, v) -> event[0] = v, next) >= 0) {
                                    next++;
                                }
                                out.doWork();
                                link.doWork();
                            }
                        } catch (Exception e) {
                            errors.add(e);
                        }
                    },
                    "sending");
            sending.start();
            long[] seen = {0, 0};
            while (seen[0] < messages
                    && errors.isEmpty()
                    && !Thread.currentThread().isInterrupted()) {
                subscription.poll(
                        (buffer, offset, length, header) -> {
                            seen[1] += sender.position() < header.reservedValue() ? 1 : 0;
                            seen[0] = header.reservedValue();
                        },
                        16);
            }
            ended.set(true);
            sending.join();
            ring.close();
            sender.close();
            assertThat(errors).isEmpty();
            assertThat(seen[0]).isEqualTo(messages);
            assertThat(seen[1]).as("messages that were not counted yet").isZero();
        }
    }
}
