package io.sluice.ringbuffer;

import io.sluice.core.check.Check;
import java.time.Duration;
import org.agrona.DirectBuffer;

/**
 * Publishes to a ring of messages that may be full, by dropping messages, as {@link DroppingProducer} drops events.
 *
 * <p><em>Drop newest</em> publishes what fits and drops what does not. A full ring never holds up its thread. A dropped message is shown to
 * a {@link MessageDropHandler}. It is counted in {@link #dropped}, in {@code RingMonitor.dropped}, and as a JFR event {@code
 * io.sluice.Drop}.
 *
 * <p><em>Drop oldest</em> asks the consumers to drop the oldest messages, as many as take the room of the new one and its padding, and
 * waits until they have, for a limited time. They show and count what they drop: see {@link RingBufferBuilder#shedding}. A message that
 * finds no room in time is refused. Its request stays: consumers may drop afterwards, for the next message.
 *
 * <p>Belongs to the thread of the producer that it wraps. While there is room it costs no more than {@link MessageProducer#offer}. Nothing
 * allocates.
 */
public abstract sealed class DroppingMessageProducer implements AutoCloseable {
    final MessageProducer producer;

    DroppingMessageProducer(MessageProducer producer) {
        this.producer = Check.notNull(producer, "producer");
    }

    /**
     * A producer that drops what does not fit.
     *
     * @param producer to be used through the new one only from now on
     * @param handler told what was dropped
     * @return the producer in its new form
     */
    public static DroppingMessageProducer dropNewest(MessageProducer producer, MessageDropHandler handler) {
        return new Newest(producer, Check.notNull(handler, "handler"));
    }

    /**
     * A producer that has the oldest messages dropped for new ones.
     *
     * @param producer a producer of a ring built with {@link RingBufferBuilder#shedding}, to be used through the new one only from now on
     * @param timeoutNanos how long to wait for the consumers to drop, in nanoseconds, by the producer's idle strategy; 0 only to ask, so
     *     that there may be room for the next message
     * @return the producer in its new form
     * @throws IllegalArgumentException if the producer's ring does not shed, or if the time is negative
     */
    public static DroppingMessageProducer dropOldest(MessageProducer producer, long timeoutNanos) {
        AbstractProducer<Messages> own =
                Check.notNull(producer, "producer").claims().producer();
        Check.inRange(timeoutNanos, 0, Long.MAX_VALUE, "timeoutNanos");
        return new Oldest(producer, OldestDropper.of(own, timeoutNanos));
    }

    /**
     * As {@link #dropOldest(MessageProducer, long)}.
     *
     * @param producer as there
     * @param timeout how long to wait for the consumers to drop, 0 only to ask
     * @return the producer in its new form
     * @throws IllegalArgumentException as there
     */
    public static DroppingMessageProducer dropOldest(MessageProducer producer, Duration timeout) {
        return dropOldest(producer, Check.nanos(timeout, "timeout"));
    }

    /**
     * Publishes a message that is a part of a buffer, or drops one. Drop newest never waits.
     *
     * @param type the type that handlers get, 1 or more
     * @param buffer where it is; it is copied
     * @param offset where it begins there
     * @param length its bytes, from 0 to {@link MessageProducer#maxLength}
     * @return its sequence; {@link Producer#FULL} if it was dropped as the newest; {@link Producer#TIMED_OUT} or {@link
     *     Producer#INTERRUPTED} if not every consumer made room in time, and this one is not published; {@link Producer#CLOSED} or {@link
     *     Producer#FAILED} if the ring has ended, which drops nothing
     * @throws IllegalArgumentException if type or length is out of its range
     * @throws IndexOutOfBoundsException if the part is not within the buffer; then nothing is claimed, and nothing is dropped
     * @throws IllegalStateException as {@link MessageProducer#tryClaim}, or if its wait could never end: for a consumer that the calling
     *     thread runs, or for a consumer that has ended while the ring runs on. It asks for nothing if that holds when it begins to wait
     */
    public abstract long offer(int type, DirectBuffer buffer, int offset, int length);

    /**
     * How many messages this producer has dropped as the newest. Its thread only; {@code RingMonitor.dropped} is for others.
     *
     * @return 0 or more
     */
    public long dropped() {
        return 0;
    }

    /** Closes the producer. */
    @Override
    public void close() {
        producer.close();
    }

    /** Drops the message that finds no room. */
    private static final class Newest extends DroppingMessageProducer {
        private final MessageDropHandler handler;
        private long dropped;

        Newest(MessageProducer producer, MessageDropHandler handler) {
            super(producer);
            this.handler = handler;
        }

        @Override
        public long offer(int type, DirectBuffer buffer, int offset, int length) {
            long result = producer.offer(type, buffer, offset, length);
            if (result == Producer.FULL) {
                AbstractProducer<Messages> own = producer.claims().producer();
                dropped++;
                own.counters().dropped(1);
                own.ring.recordDrop(1);
                handler.onDrop(type, buffer, offset, length);
            }
            return result;
        }

        @Override
        public long dropped() {
            return dropped;
        }
    }

    /** Asks the consumers to drop the oldest messages where the newest finds no room, and waits until they have. */
    private static final class Oldest extends DroppingMessageProducer {
        private final OldestDropper dropper;

        Oldest(MessageProducer producer, OldestDropper dropper) {
            super(producer);
            this.dropper = dropper;
        }

        @Override
        public long offer(int type, DirectBuffer buffer, int offset, int length) {
            long result = producer.offerIfRoom(type, buffer, offset, length);
            if (result == Producer.FULL) {
                long since = System.nanoTime();
                int units = Messages.unitsOf(length);
                while (result == Producer.FULL && (result = dropper.makeRoom(since, units)) == 0) {
                    result = producer.offerIfRoom(type, buffer, offset, length);
                }
            }
            return result;
        }
    }
}
