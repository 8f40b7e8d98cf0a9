package io.sluice.aeron;

import io.sluice.backpressure.nak.LifeSigns;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.nio.file.Path;
import org.agrona.concurrent.SystemNanoClock;

/**
 * A receiver in a process of its own: the directory, and its id if it is to say signs of life. It says what it hears, and the last number
 * now and then.
 */
final class ReceiverChild {
    private ReceiverChild() {}

    public static void main(String[] arguments) throws Exception {
        RingBuffer<long[]> ring = RingBufferBuilder.of(() -> new long[1])
                .capacity(256)
                .singleProducer()
                .build();
        EventPoller<long[]> poller = Pipeline.on(ring).poller("in");
        Heard heard = new Heard();
        try (AeronLink link = AeronLink.external(Path.of(arguments[0]), Throwable::printStackTrace)
                .start()) {
            RingSink<long[]> sink = RingSink.waiting(ring.producer(), Harness.DECODER);
            AeronReceiver.Builder builder = AeronReceiver.builder(link, Harness.IPC, Harness.STREAM, sink, heard);
            if (arguments.length > 1) {
                builder.lifeSigns(new LifeSigns(
                        sink.fillSource(ring, poller.consumer()),
                        AeronNakTransport.atReceiver(link, Harness.IPC, Harness.NAKS, Harness.NAK_STREAM),
                        SystemNanoClock.INSTANCE,
                        Harness.NAK_STREAM,
                        Long.parseLong(arguments[1]),
                        20_000_000));
            }
            AeronReceiver receiver = builder.build();
            long[] last = {0, 0};
            int told = 0;
            long saidAt = 0;
            System.out.println("ready");
            while (Child.isWanted()) {
                receiver.doWork();
                link.doWork();
                poller.poll(
                        (event, sequence, endOfBatch) -> {
                            if (last[0] != 0 && event[0] != last[0] + 1) {
                                System.out.println("broken: " + event[0] + " behind " + last[0]);
                            }
                            last[0] = event[0];
                        },
                        Integer.MAX_VALUE);
                for (; told < heard.all.size(); told++) {
                    System.out.println(heard.all.get(told));
                }
                if (System.nanoTime() - saidAt > 10_000_000) {
                    saidAt = System.nanoTime();
                    System.out.println("last " + last[0]);
                }
            }
            receiver.close();
        }
    }
}
