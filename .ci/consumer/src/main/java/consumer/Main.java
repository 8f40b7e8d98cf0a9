package consumer;

import io.sluice.ringbuffer.pipeline.Pipeline;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import java.util.concurrent.TimeUnit;

/** Sends 1,000 numbers through two consumers, and prints their sum and how it was started. */
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
        System.out.println(seen[0] + " seen, sum " + sum[0] + ", " + (Main.class.getModule().isNamed() ? "module" : "class")
                + " path");
    }
}
