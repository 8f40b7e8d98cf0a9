package io.sluice.perf.batching;

import io.sluice.batching.BatchSink;
import io.sluice.batching.BatchStatistics;
import io.sluice.batching.BatchingConfig;
import io.sluice.batching.BatchingHandler;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.Pipeline;
import org.agrona.concurrent.BusySpinIdleStrategy;

/**
 * The number of messages a second that get through a device that takes {@value #SEND_NANOS} ns a send and buffers of
 * {@value Bathtub#BUFFER} bytes, when there is always a next one: each sent by itself, and in smart batches.
 */
final class Sustained {
    static final long SEND_NANOS = 10_000;
    static final int MESSAGE = 64;

    private static final int CAPACITY = 1024;

    private Sustained() {}

    /**
     * The rates that were reached.
     *
     * @param serial messages a second, one a send
     * @param smart messages a second in batches
     * @param fullShare the share of batches that were full
     */
    record Result(double serial, double smart, double fullShare) {
        double ratio() {
            return smart / serial;
        }
    }

    private static final class Slot {
        private long value;
    }

    /** Measures both, for so long each. */
    static Result measure(long nanos) {
        Device alone = new Device(SEND_NANOS);
        long start = System.nanoTime();
        long now = start;
        while (now - start < nanos) {
            now = alone.send();
        }
        double serial = alone.sends() * 1e9 / (now - start);

        Device device = new Device(SEND_NANOS);
        BatchStatistics statistics = new BatchStatistics();
        BatchSink sink = batch -> {
            device.send();
            batch.buffer().position(batch.buffer().limit());
        };
        byte[] payload = new byte[MESSAGE - Long.BYTES];
        BatchingHandler<Slot> handler = new BatchingHandler<>(
                (slot, buffer, offset) -> {
                    buffer.putLong(offset, slot.value);
                    buffer.put(offset + Long.BYTES, payload, 0, payload.length);
                    return MESSAGE;
                },
                sink,
                BatchingConfig.defaults().bufferSize(Bathtub.BUFFER).statistics(statistics));
        RingBuffer<Slot> ring = RingBufferBuilder.of(Slot::new)
                .capacity(CAPACITY)
                .singleProducer()
                .consumersIdle(() -> BusySpinIdleStrategy.INSTANCE)
                .build();
        try (Pipeline<Slot> pipeline = Pipeline.on(ring)) {
            pipeline.handleEventsWith(handler);
            pipeline.start();
            long last;
            long begin = System.nanoTime();
            try (Producer<Slot> producer = ring.producer()) {
                do {
                    last = producer.publishEvent((slot, sequence, value) -> slot.value = value, 1L);
                } while ((last & 255) != 0 || System.nanoTime() - begin < nanos);
            }
            pipeline.awaitHandled(last, Long.MAX_VALUE);
            long end = System.nanoTime();
            return new Result(
                    serial,
                    (last + 1) * 1e9 / (end - begin),
                    statistics.snapshot().fullShare());
        }
    }
}
