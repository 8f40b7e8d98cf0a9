package consumer;

import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.pipeline.SlotHandler;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.SlotTranslator;
import java.util.concurrent.TimeUnit;

/** Sends 1,000 numbers through two consumers, and through a ring of bytes; prints their sums and how it was started. */
public final class Main {
    private static final class Number {
        long value;
    }

    private Main() {}

    public static void main(String[] arguments) {
        long[] seen = new long[1];
        long[] sum = new long[1];
        RingBuffer<Number> ring = RingBufferBuilder.of(Number::new).capacity(64).build();
        try (Pipeline<Number> pipeline = Pipeline.on(ring)) {
            pipeline.handleEventsWith((event, sequence, endOfBatch) -> seen[0]++)
                    .then((event, sequence, endOfBatch) -> sum[0] += event.value);
            pipeline.start();
            try (Producer<Number> producer = ring.producer()) {
                for (long i = 1; i <= 1000; i++) {
                    producer.publishEvent((event, sequence, value) -> event.value = value, i);
                }
            }
            pipeline.drain(TimeUnit.SECONDS.toNanos(30));
        }
        System.out.println(seen[0] + " seen, sum " + sum[0] + ", of bytes " + ofBytes() + ", " + (Main.class.getModule().isNamed() ? "module" : "class")
                + " path");
    }

    private static long ofBytes() {
        long[] sum = new long[1];
        RingBuffer<ByteSlots> ring =
                RingBufferBuilder.bytes(Long.BYTES).capacity(64).singleProducer().build();
        try (Pipeline<ByteSlots> pipeline = Pipeline.on(ring)) {
            SlotHandler adds = (buffer, offset, length, sequence, endOfBatch) -> sum[0] += buffer.getLong(offset);
            pipeline.handleEventsWith(adds);
            pipeline.start();
            SlotTranslator number = (buffer, offset, sequence) -> buffer.putLong(offset, sequence + 1);
            try (Producer<ByteSlots> producer = ring.producer()) {
                for (int i = 1; i <= 1000; i++) {
                    producer.publishEvent(number);
                }
            }
            pipeline.drain(TimeUnit.SECONDS.toNanos(30));
        }
        return sum[0];
    }
}
