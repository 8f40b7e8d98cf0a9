package io.sluice.ringbuffer;

/**
 * Publishes what fits and drops what does not: the policy <em>drop newest</em>. A full ring never holds up its thread. What is
 * dropped is filled all the same, into an event beside the ring, shown to a {@link DropHandler}, and counted: in {@link
 * #dropped}, in {@link RingMonitor#dropped}, and as a JFR event {@code io.sluice.Drop}.
 *
 * <p>Belongs to the thread of the producer that it wraps. While there is room it costs no more than the producer's own {@code
 * try} forms. Nothing allocates.
 *
 * @param <E> the events' type
 */
public final class DroppingProducer<E> implements AutoCloseable {
    private final AbstractProducer<E> producer;
    private final E spare;
    private final DropHandler<? super E> handler;

    private long dropped;

    private DroppingProducer(AbstractProducer<E> producer, E spare, DropHandler<? super E> handler) {
        this.producer = producer;
        this.spare = spare;
        this.handler = handler;
    }

    /**
     * A producer that drops what does not fit.
     *
     * @param producer one of this library's producers, to be used through the new one only from now on
     * @param spare an event of the caller's, in no slot of the ring, for what is dropped
     * @param handler told what was dropped
     * @param <E> the events' type
     * @return the producer in its new form
     * @throws IllegalArgumentException if the producer is of the caller's own making
     */
    public static <E> DroppingProducer<E> dropNewest(Producer<E> producer, E spare, DropHandler<? super E> handler) {
        if (!(Check.notNull(producer, "producer") instanceof AbstractProducer<E> own)) {
            throw new IllegalArgumentException(
                    "producer of " + producer.getClass() + ": allowed are those of RingBuffer.producer");
        }
        return new DroppingProducer<>(own, Check.notNull(spare, "spare"), Check.notNull(handler, "handler"));
    }

    /**
     * Publishes an event, or drops it. Never waits.
     *
     * @param translator fills the event; for one that is dropped it is given the sequence -1
     * @return the sequence; {@link Producer#FULL} if it was dropped; {@link Producer#CLOSED} or {@link Producer#FAILED} if the
     *     ring has ended, which drops nothing
     */
    public long publishEvent(EventTranslator<? super E> translator) {
        long result = producer.tryPublishEvent(translator);
        if (result == Producer.FULL) {
            translator.translateTo(spare, -1);
            drop();
        }
        return result;
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
        long result = producer.tryPublishEvent(translator, a);
        if (result == Producer.FULL) {
            translator.translateTo(spare, -1, a);
            drop();
        }
        return result;
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
        long result = producer.tryPublishEvent(translator, a, b);
        if (result == Producer.FULL) {
            translator.translateTo(spare, -1, a, b);
            drop();
        }
        return result;
    }

    /**
     * As {@link #publishEvent(EventTranslator)}, with a number and without boxing.
     *
     * @param translator fills the event
     * @param value its argument
     * @return the sequence, or a result constant
     */
    public long publishEvent(EventTranslatorLong<? super E> translator, long value) {
        long result = producer.tryPublishEvent(translator, value);
        if (result == Producer.FULL) {
            translator.translateTo(spare, -1, value);
            drop();
        }
        return result;
    }

    private void drop() {
        dropped++;
        producer.watch().dropped(1);
        RingJfr.dropped(producer.ring, 1);
        handler.onDrop(spare);
    }

    /**
     * How many events this producer has dropped. Its thread only; {@link RingMonitor#dropped} is for others.
     *
     * @return 0 or more
     */
    public long dropped() {
        return dropped;
    }

    /** Closes the producer. */
    @Override
    public void close() {
        producer.close();
    }
}
