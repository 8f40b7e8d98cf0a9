package io.sluice.examples.replicated;

import io.sluice.aeron.AeronLink;
import io.sluice.aeron.AeronSender;
import io.sluice.aeron.SendResult;
import io.sluice.batching.journal.JournalException;
import io.sluice.batching.journal.JournalReader;
import io.sluice.core.RunnerAgent;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Sends a range of a journal's records once more, with their numbers, as fast as they are taken. */
final class Replay implements AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final JournalReader reader;
    private final RingBuffer<long[]> ring;
    private final Producer<long[]> producer;
    private final AeronSender<long[]> sender;
    private final RunnerAgent out;
    private final long to;
    private boolean held; // a record was read and has no room yet
    private boolean read;
    private long movedAt = System.nanoTime();

    Replay(AeronLink link, String channel, Path folder, long from, long to) throws JournalException {
        this.to = to;
        reader = JournalReader.follow(folder, from);
        sender = AeronSender.<long[]>builder(link, channel, Source.REPLAY, Source.ENCODER)
                .firstNumber(from)
                .build();
        ring = RingBufferBuilder.of(() -> new long[1])
                .name("replay")
                .capacity(256)
                .singleProducer()
                .build();
        Pipeline<long[]> pipeline = Pipeline.on(ring);
        pipeline.handleEventsWith(pipeline.batchConsumer("replay", sender));
        producer = ring.producer();
        out = pipeline.startInvoked();
    }

    int doWork() throws Exception {
        while (!read && (held || reader.next())) {
            long value = reader.buffer().getLong(reader.payloadOffset());
            held = producer.tryPublishEvent((event, sequence, v) -> event[0] = v, value) < 0;
            if (held) {
                break;
            }
            read = reader.sequence() == to;
        }
        int work = out.doWork();
        if (work > 0) {
            movedAt = System.nanoTime();
        }
        return work;
    }

    /** All was sent, or nobody has taken anything for long: the copy that asked is gone, or asks again. */
    boolean isDone() {
        return (read && ring.leftover().unhandled() == 0) || System.nanoTime() - movedAt > PATIENCE_NANOS;
    }

    long sent() {
        return sender.count(SendResult.SENT);
    }

    @Override
    public void close() {
        ring.close();
        sender.close();
        reader.close();
    }
}
