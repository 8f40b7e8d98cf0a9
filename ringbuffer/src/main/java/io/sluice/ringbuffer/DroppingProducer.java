package io.sluice.ringbuffer;

import static io.sluice.ringbuffer.TranslatorCall.NONE;

import io.sluice.core.check.Check;
import java.time.Duration;

/**
 * Publishes to a ring that may be full, by dropping events.
 *
 * <p><em>Drop newest</em> publishes what fits and drops what does not. A full ring never holds up its thread. A dropped event is
 * filled into an event beside the ring and shown to a {@link DropHandler}. It is counted in {@link #dropped}, in
 * {@code RingMonitor.dropped}, and as a JFR event {@code io.sluice.Drop}.
 *
 * <p><em>Drop oldest</em> asks the consumers to drop the oldest event, and waits until they have, for a limited time. Each consumer
 * does so before its next event. A consumer that is handling that very event finishes it first. The consumers show and count the
 * events that they drop: see {@link RingBufferBuilder#shedding}. An event that finds no room in time is refused. Its request stays:
 * consumers may drop the oldest event afterwards, for the next event.
 *
 * <p>Belongs to the thread of the producer that it wraps. While there is room it costs no more than the producer's own {@code
 * try} forms. Nothing allocates.
 *
 * @param <E> the events' type
 */
public abstract sealed class DroppingProducer<E> implements AutoCloseable {
    final AbstractProducer<E> producer;

    DroppingProducer(AbstractProducer<E> producer) {
        this.producer = producer;
    }

    /**
     * A producer that drops what does not fit.
     *
     * @param producer one of this library's producers, to be used through the new one only from now on
     * @param spare an event of the caller's, in no slot of the ring, for what is dropped; on a ring of bytes a slot as long as the
     *     ring's, of {@link ByteSlots#one}
     * @param handler told what was dropped
     * @param <E> the events' type
     * @return the producer in its new form
     * @throws IllegalArgumentException if the producer's ring was not built by {@code RingBufferBuilder}, or if the spare is in a
     *     slot of the ring, or has fewer bytes than one. All slots are looked at for it, once
     */
    public static <E> DroppingProducer<E> dropNewest(Producer<E> producer, E spare, DropHandler<? super E> handler) {
        AbstractProducer<E> own = own(producer);
        checkSpare(own.ring, Check.notNull(spare, "spare"));
        return new Newest<>(own, spare, Check.notNull(handler, "handler"));
    }

    private static void checkSpare(ObjectRing<?> ring, Object spare) {
        for (int i = 0; i < ring.slots.length; i++) {
            if (ring.slots[i] == spare) { // plain: only the ring makes what an abort puts in meanwhile
                throw new IllegalArgumentException(
                        "spare must be in no slot of ring " + ring.name + ", but was in slot " + i);
            }
        }
        if (ring.slots[0] instanceof ByteSlots own
                && spare instanceof ByteSlots other
                && other.length() < own.length()) {
            throw new IllegalArgumentException("spare must be of " + own.length() + " bytes or more, as a slot of ring "
                    + ring.name + ", but was of " + other.length());
        }
    }

    /**
     * A producer that has the oldest events dropped for new ones.
     *
     * @param producer a producer of a ring built with {@link RingBufferBuilder#shedding}, to be used through the new one only
     *     from now on
     * @param timeoutNanos how long to wait for the consumers to drop, in nanoseconds, by the producer's idle strategy; 0 only to
     *     ask, so that there may be room for the next event
     * @param <E> the events' type
     * @return the producer in its new form
     * @throws IllegalArgumentException if the producer's ring was not built by {@code RingBufferBuilder} or does not shed, or if
     *     the time is negative
     */
    public static <E> DroppingProducer<E> dropOldest(Producer<E> producer, long timeoutNanos) {
        AbstractProducer<E> own = own(producer);
        Check.inRange(timeoutNanos, 0, Long.MAX_VALUE, "timeoutNanos");
        return new Oldest<>(own, OldestDropper.of(own, timeoutNanos));
    }

    /**
     * As {@link #dropOldest(Producer, long)}.
     *
     * @param producer as there
     * @param timeout how long to wait for the consumers to drop, 0 only to ask
     * @param <E> the events' type
     * @return the producer in its new form
     * @throws IllegalArgumentException as there
     */
    public static <E> DroppingProducer<E> dropOldest(Producer<E> producer, Duration timeout) {
        return dropOldest(producer, Check.nanos(timeout, "timeout"));
    }

    private static <E> AbstractProducer<E> own(Producer<E> producer) {
        if (!(Check.notNull(producer, "producer") instanceof AbstractProducer<E> own)) {
            throw new IllegalArgumentException("producer must be one of RingBuffer.producer, but was a "
                    + producer.getClass().getName());
        }
        return own;
    }

    /**
     * Publishes an event, or drops one. Drop newest never waits.
     *
     * @param translator fills the event; for one that is dropped as the newest it is given the sequence -1
     * @return the sequence; {@link Producer#FULL} if it was dropped as the newest; {@link Producer#TIMED_OUT} or {@link
     *     Producer#INTERRUPTED} if not every consumer made room in time, and this one is not published; {@link Producer#CLOSED} or
     *     {@link Producer#FAILED} if the ring has ended, which drops nothing
     * @throws IllegalStateException if its wait could never end: for a consumer that the calling thread runs, for an open claim of
     *     its own, or for a consumer that has ended while the ring runs on. It asks for nothing if that holds when it begins to wait
     */
    public long publishEvent(EventTranslator<? super E> translator) {
        return publish(TranslatorCall.plain(), translator, NONE, NONE, NONE, 0, 0);
    }

    /**
     * As {@link #publishEvent(EventTranslator)}.
     *
     * @param translator fills the event
     * @param a its argument
     * @param <A> its type
     * @return the sequence, or a result constant
     */
    public <A> long publishEvent(EventTranslatorOneArg<? super E, ? super A> translator, A a) {
        return publish(TranslatorCall.oneArg(), translator, a, NONE, NONE, 0, 0);
    }

    /**
     * As {@link #publishEvent(EventTranslator)}.
     *
     * @param translator fills the event
     * @param a its first argument
     * @param b its second argument
     * @param <A> the first one's type
     * @param <B> the second one's type
     * @return the sequence, or a result constant
     */
    public <A, B> long publishEvent(EventTranslatorTwoArg<? super E, ? super A, ? super B> translator, A a, B b) {
        return publish(TranslatorCall.twoArg(), translator, a, b, NONE, 0, 0);
    }

    /**
     * As {@link #publishEvent(EventTranslator)}.
     *
     * @param translator fills the event
     * @param a its first argument
     * @param b its second argument
     * @param c its third argument
     * @param <A> the first one's type
     * @param <B> the second one's type
     * @param <C> the third one's type
     * @return the sequence, or a result constant
     */
    public <A, B, C> long publishEvent(
            EventTranslatorThreeArg<? super E, ? super A, ? super B, ? super C> translator, A a, B b, C c) {
        return publish(TranslatorCall.threeArg(), translator, a, b, c, 0, 0);
    }

    /**
     * As {@link #publishEvent(EventTranslator)}, with a number and without boxing.
     *
     * @param translator fills the event
     * @param value its argument
     * @return the sequence, or a result constant
     */
    public long publishEvent(EventTranslatorLong<? super E> translator, long value) {
        return publish(TranslatorCall.oneLong(), translator, NONE, NONE, NONE, value, 0);
    }

    /**
     * As {@link #publishEvent(EventTranslator)}, with two numbers and without boxing.
     *
     * @param translator fills the event
     * @param first its first argument
     * @param second its second argument
     * @return the sequence, or a result constant
     */
    public long publishEvent(EventTranslatorTwoLongs<? super E> translator, long first, long second) {
        return publish(TranslatorCall.twoLongs(), translator, NONE, NONE, NONE, first, second);
    }

    abstract <T, A, B, C> long publish(
            TranslatorCall<? super E, T, A, B, C> call, T translator, A a, B b, C c, long first, long second);

    /**
     * How many events this producer has dropped as the newest. Its thread only; {@code RingMonitor.dropped} is for others.
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

    /** Drops the event that finds no room. */
    private static final class Newest<E> extends DroppingProducer<E> {
        private final E spare;
        private final DropHandler<? super E> handler;
        private long dropped;

        Newest(AbstractProducer<E> producer, E spare, DropHandler<? super E> handler) {
            super(producer);
            this.spare = spare;
            this.handler = handler;
        }

        @Override
        <T, A, B, C> long publish(
                TranslatorCall<? super E, T, A, B, C> call, T translator, A a, B b, C c, long first, long second) {
            long result = producer.fill(producer.tryClaimOne(translator), call, translator, a, b, c, first, second);
            if (result == Producer.FULL) {
                call.fill(spare, -1, translator, a, b, c, first, second);
                if (producer.isClosed()) {
                    throw TranslatorCall.closedWithin();
                }
                dropSpare();
            }
            return result;
        }

        private void dropSpare() {
            dropped++;
            producer.counters().dropped(1);
            producer.ring.recordDrop(1);
            handler.onDrop(spare);
        }

        @Override
        public long dropped() {
            return dropped;
        }
    }

    /** Asks the consumers to drop the oldest event where the newest finds no room, and waits until they have. */
    private static final class Oldest<E> extends DroppingProducer<E> {
        private final OldestDropper dropper;

        Oldest(AbstractProducer<E> producer, OldestDropper dropper) {
            super(producer);
            this.dropper = dropper;
        }

        @Override
        <T, A, B, C> long publish(
                TranslatorCall<? super E, T, A, B, C> call, T translator, A a, B b, C c, long first, long second) {
            long result = tryPublish(call, translator, a, b, c, first, second);
            if (result == Producer.FULL) {
                long since = System.nanoTime();
                while (result == Producer.FULL && (result = dropper.makeRoom(since, 1)) == 0) {
                    result = tryPublish(call, translator, a, b, c, first, second);
                }
            }
            return result;
        }

        private <T, A, B, C> long tryPublish(
                TranslatorCall<? super E, T, A, B, C> call, T translator, A a, B b, C c, long first, long second) {
            return producer.fill(tryClaim(translator), call, translator, a, b, c, first, second);
        }

        /** As the producer's own form. But a lack of room is not counted as a refusal yet: dropping the oldest may make some. */
        private long tryClaim(Object translator) {
            producer.checkMayFill(translator);
            long sequence = producer.claimFast(1);
            if (sequence < 0) {
                sequence =
                        producer.claimSlowNoInline(1, 0, AbstractProducer.LESS_ROOM, AbstractProducer.STEPS_NO_INLINE);
            }
            return sequence == AbstractProducer.LESS_ROOM ? Producer.FULL : sequence;
        }
    }
}
