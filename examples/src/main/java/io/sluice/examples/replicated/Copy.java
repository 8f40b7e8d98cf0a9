package io.sluice.examples.replicated;

import io.aeron.Publication;
import io.sluice.aeron.AeronLink;
import io.sluice.aeron.AeronReceiver;
import io.sluice.aeron.ReceiverListener;
import io.sluice.aeron.RingSink;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.Pipeline;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The side that follows. It asks for the messages that it has missed, and hands each value on once, in order. It knows the number of the
 * last one, from which a later copy goes on. An agent: one thread runs it.
 */
public final class Copy implements Agent, AutoCloseable {
    private static final long ASK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final LongConsumer values;
    private final RingBuffer<long[]> ring;
    private final EventPoller<long[]> poller;
    private final AeronReceiver receiver;
    private final AeronLink link;
    private final String channel;
    private Publication requests;
    private final UnsafeBuffer request = new UnsafeBuffer(new byte[2 * Long.BYTES]);
    private long last;
    private long missingTo;
    private long askedAt;
    private boolean askNow;

    /**
     * Begins behind a message.
     *
     * @param link what it receives by; the caller runs it on the same thread
     * @param channel the channel of all streams
     * @param last the number of the last message that was handled before, 0 for none
     * @param values gets the values
     */
    public Copy(AeronLink link, String channel, long last, LongConsumer values) {
        this.last = last;
        this.values = values;
        this.link = link;
        this.channel = channel;
        requests = link.aeron().addPublication(channel, Source.REQUESTS);
        ring = RingBufferBuilder.of(() -> new long[2])
                .name("copy")
                .capacity(256)
                .singleProducer()
                .build();
        poller = Pipeline.on(ring).poller("copy");
        receiver = AeronReceiver.builder(
                        link,
                        channel,
                        Source.LIVE,
                        RingSink.waiting(ring.producer(), (event, buffer, offset, length, number) -> {
                            event[0] = buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
                            event[1] = number;
                        }),
                        new Missing())
                .oneSender(last + 1)
                .fillGapsFrom(channel, Source.REPLAY)
                .build();
    }

    /** Remembers the missing numbers. */
    private final class Missing implements ReceiverListener {
        @Override
        public void onGap(int sessionId, long from, long to) {
            missingTo = to;
            askNow = true;
        }

        @Override
        public void onBadMessage(int sessionId, long number, Exception failure) {
            throw new IllegalStateException("message " + number + " must have 8 bytes, but cannot be read", failure);
        }
    }

    @Override
    public int doWork() {
        if (requests.isClosed() && link.isConnected()) {
            requests = link.aeron()
                    .addPublication(channel, Source.REQUESTS); // the link has lost its driver, and found one
        }
        int work = receiver.doWork();
        long before = last;
        poller.poll(
                (event, sequence, endOfBatch) -> {
                    values.accept(event[0]);
                    last = event[1];
                },
                Integer.MAX_VALUE);
        if (last > before) {
            askedAt = System.nanoTime(); // it comes: no need to ask again
        }
        if (missingTo > last && (askNow || System.nanoTime() - askedAt >= ASK_AGAIN_NANOS)) {
            request.putLong(0, last + 1);
            request.putLong(Long.BYTES, missingTo);
            if (requests.offer(request) > 0) {
                askNow = false;
                askedAt = System.nanoTime(); // asked again if it goes unheard
            }
        }
        return work;
    }

    /**
     * The number of the last message that was handed on.
     *
     * @return 0 for none
     */
    public long last() {
        return last;
    }

    /**
     * Whether a source is heard.
     *
     * @return true while a live session is there
     */
    public boolean isConnected() {
        return receiver.isConnected();
    }

    @Override
    public String roleName() {
        return "copy";
    }

    @Override
    public void close() {
        ring.close();
        receiver.close();
        requests.close();
    }
}
