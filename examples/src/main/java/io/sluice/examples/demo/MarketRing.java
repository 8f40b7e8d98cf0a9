package io.sluice.examples.demo;

import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.MarketEvent;
import io.sluice.examples.ordered.OrderedWorkers;
import io.sluice.ringbuffer.Producer;
import io.sluice.ringbuffer.RingBuffer;
import io.sluice.ringbuffer.pipeline.EventHandler;
import org.jspecify.annotations.Nullable;

/**
 * The ring of an exchange: of events, or of their bytes. The stages are the same on both.
 *
 * @param <E> what the ring hands over
 */
interface MarketRing<E> {
    /** The ring, for one producer. */
    RingBuffer<E> ring();

    /** As many messages as may be in the ring at once, or more; a power of two. */
    int mostMessages();

    /** Takes samples of how full it is. */
    RingFill fill();

    /** A handler on this ring for a stage of messages, which are numbered from 0 on. */
    EventHandler<E> handler(EventHandler<MarketEvent> stage);

    /** Opens the one producer. */
    Feeder feeder();

    /**
     * Threads that check the risk of each message.
     *
     * @param workers how many
     * @param ledger takes what they found
     */
    OrderedWorkers<E, RiskOutcome> riskWorkers(int workers, RiskLedger ledger);

    /** Publishes the messages of a reader. For one thread. */
    interface Feeder extends AutoCloseable {
        /** Publishes the reader's current message; waits for room. */
        void publish(FeedReader reader, long dueNanos);

        /** Publishes the mark that follows the last message; gives the sequence to wait for. */
        long publishEnd();

        /** The producer of events, for a feed that is paced; null if it publishes bytes. */
        @Nullable
        Producer<MarketEvent> producer();

        @Override
        void close();
    }
}
