package io.sluice.aeron;

import io.sluice.core.RunnerAgent;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.nio.file.Path;

/**
 * A sender in a process of its own: the directory, the first number, and a channel if it is to say how far it has sent. It sends numbers until
 * it is killed.
 */
final class SenderChild {
    private SenderChild() {}

    public static void main(String[] arguments) throws Exception {
        long next = Long.parseLong(arguments[1]);
        try (AeronLink link = AeronLink.external(Path.of(arguments[0]), Throwable::printStackTrace)
                .start()) {
            String channel = arguments.length > 2 ? arguments[2] : Harness.IPC;
            long said = arguments.length > 2 ? next : Long.MAX_VALUE;
            AeronSender<long[]> sender = AeronSender.<long[]>builder(link, channel, Harness.STREAM, Harness.ENCODER)
                    .firstNumber(next)
                    .build();
            RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                    .capacity(256)
                    .singleProducer()
                    .build();
            Pipeline<long[]> pipeline = Pipeline.on(ring);
            pipeline.handleEventsWith(pipeline.batchConsumer("out", sender));
            RunnerAgent out = pipeline.startInvoked();
            Producer<long[]> producer = ring.producer();
            System.out.println("ready");
            while (Child.isWanted()) {
                if (producer.tryPublishEvent((event, sequence, v) -> event[0] = v, next) >= 0) {
                    next++;
                }
                out.doWork();
                link.doWork();
                if (sender.position() >= said) {
                    System.out.println("sent " + sender.position());
                    said = sender.position() + 20;
                }
            }
            ring.close();
            sender.close();
        }
    }
}
