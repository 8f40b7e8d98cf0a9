package io.sluice.examples.demo;

import io.sluice.core.SignalledIdle;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.MarketEvent;
import io.sluice.examples.ordered.OrderedWorkers;
import io.sluice.ringbuffer.MessageProducer;
import io.sluice.ringbuffer.Messages;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventHandler;
import io.sluice.ringbuffer.pipeline.MessageHandler;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** A ring of messages of different lengths: each is encoded into a claim, and each stage decodes it for itself, into one object. */
final class MarketMessages implements MarketRing<Messages> {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final int bytes;
    private final RingBuffer<Messages> ring;

    /**
     * Makes the ring.
     *
     * @param bytes how large it is, a power of two
     */
    MarketMessages(int bytes) {
        this.bytes = bytes;
        ring = RingBufferBuilder.messages(bytes)
                .singleProducer()
                .consumersIdle(SignalledIdle::exact)
                .build();
    }

    @Override
    public RingBuffer<Messages> ring() {
        return ring;
    }

    @Override
    public int mostMessages() {
        return bytes / MarketRecord.SHORTEST;
    }

    @Override
    public RingFill fill() {
        return new RingFill(ring.capacity(), Messages.ALIGNMENT, "bytes");
    }

    @Override
    public EventHandler<Messages> handler(EventHandler<MarketEvent> stage) {
        return new Decoder(stage);
    }

    @Override
    public Feeder feeder() {
        return new MessageFeeder(MessageProducer.of(ring));
    }

    @Override
    public OrderedWorkers<Messages, RiskOutcome> riskWorkers(int workers, RiskLedger ledger) {
        throw new UnsupportedOperationException(
                "a risk check must run on a ring of events, but was asked for on one of bytes");
    }

    private final class MessageFeeder implements Feeder {
        private final MessageProducer producer;
        private final MarketEvent event = new MarketEvent();
        private long number;

        MessageFeeder(MessageProducer producer) {
            this.producer = producer;
        }

        @Override
        public void publish(FeedReader reader, long dueNanos) {
            reader.copyTo(event);
            event.dueNanos(dueNanos);
            publish();
        }

        @Override
        public long publishEnd() {
            event.end();
            return publish();
        }

        private long publish() {
            long sequence;
            do {
                sequence = producer.claim(MarketRecord.type(event), MarketRecord.length(event), PATIENCE_NANOS);
            } while (sequence == Producer.TIMED_OUT);
            if (sequence == Producer.FAILED) {
                ring.drain(0); // throws what the ring failed of
            }
            if (sequence < 0) {
                throw new IllegalStateException(
                        "the ring must take messages until the feed ends, but says " + Producer.resultName(sequence));
            }
            MarketRecord.write(event, number++, producer.buffer(), producer.offset(sequence));
            producer.commit(sequence);
            return sequence;
        }

        @Override
        public @Nullable Producer<MarketEvent> producer() {
            return null;
        }

        @Override
        public void close() {
            producer.close();
        }
    }

    /** Hands messages to a stage, which gets their numbers as their sequences. */
    private static final class Decoder implements MessageHandler {
        private final EventHandler<MarketEvent> stage;
        private final MarketEvent event = new MarketEvent();
        private long number = -1;

        Decoder(EventHandler<MarketEvent> stage) {
            this.stage = stage;
        }

        @Override
        public void onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch)
                throws Exception {
            number = MarketRecord.read(type, buffer, offset, length, event);
            stage.onEvent(event, number, endOfBatch);
        }

        @Override
        public boolean extendsBatch() {
            return stage.extendsBatch();
        }

        @Override
        public void onBatchStart(long size, long available) {
            stage.onBatchStart(size, available);
        }

        @Override
        public void onBatchEnd(long sequence) throws Exception {
            stage.onBatchEnd(number);
        }

        @Override
        public void onTimeout(long sequence) {
            stage.onTimeout(number);
        }

        @Override
        public long timeoutAfterNanos() {
            return stage.timeoutAfterNanos();
        }

        @Override
        public void onStart() {
            stage.onStart();
        }

        @Override
        public void onShutdown() {
            stage.onShutdown();
        }
    }
}
