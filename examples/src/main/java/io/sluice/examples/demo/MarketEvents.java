package io.sluice.examples.demo;

import io.sluice.core.SignalledIdle;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.MarketEvent;
import io.sluice.examples.ordered.OrderedWorkers;
import io.sluice.ringbuffer.EventTranslator;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.RingBufferBuilder;
import io.sluice.ringbuffer.pipeline.EventHandler;
import org.jspecify.annotations.Nullable;

/** A ring of events: a message is decoded once, into its slot. Its number is its sequence. */
final class MarketEvents implements MarketRing<MarketEvent> {
    private final int capacity;
    private final RingBuffer<MarketEvent> ring;

    /**
     * Makes the ring.
     *
     * @param capacity its slots, a power of two
     */
    MarketEvents(int capacity) {
        this.capacity = capacity;
        ring = RingBufferBuilder.of(MarketEvent::new)
                .capacity(capacity)
                .singleProducer()
                .consumersIdle(SignalledIdle::exact)
                .build();
    }

    @Override
    public RingBuffer<MarketEvent> ring() {
        return ring;
    }

    @Override
    public int mostMessages() {
        return capacity;
    }

    @Override
    public RingFill fill() {
        return new RingFill(capacity, 1, "slots");
    }

    @Override
    public EventHandler<MarketEvent> handler(EventHandler<MarketEvent> stage) {
        return stage;
    }

    @Override
    public Feeder feeder() {
        return new EventFeeder(ring.producer());
    }

    @Override
    public OrderedWorkers<MarketEvent, RiskOutcome> riskWorkers(int workers, RiskLedger ledger) {
        return new OrderedWorkers<>(ring, workers, RiskCheck::check, ledger::accept);
    }

    /** One object fills all events, so that nothing is allocated for each. */
    private static final class EventFeeder implements Feeder, EventTranslator<MarketEvent> {
        private final Producer<MarketEvent> producer;
        private @Nullable FeedReader reader;
        private long dueNanos;

        EventFeeder(Producer<MarketEvent> producer) {
            this.producer = producer;
        }

        @Override
        public void publish(FeedReader from, long due) {
            reader = from;
            dueNanos = due;
            producer.publishEvent(this);
        }

        @Override
        public void translateTo(MarketEvent event, long sequence) {
            if (reader == null) {
                event.end();
                return;
            }
            reader.copyTo(event);
            event.dueNanos(dueNanos);
        }

        @Override
        public long publishEnd() {
            reader = null;
            return producer.publishEvent(this);
        }

        @Override
        public Producer<MarketEvent> producer() {
            return producer;
        }

        @Override
        public void close() {
            producer.close();
        }
    }
}
