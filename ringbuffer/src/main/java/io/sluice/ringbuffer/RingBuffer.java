package io.sluice.ringbuffer;

/**
 * A ring of pre-allocated events. A producer claims slots, fills them and publishes them; consumers follow.
 *
 * <p>A {@link RingBufferBuilder} makes rings. A ring without consumers is never full: producers overwrite the oldest events. Consumers are
 * declared by a {@code Pipeline}, or by {@link Ring#addGating}, before the first claim.
 *
 * @param <E> the events' type
 */
public interface RingBuffer<E> extends Ring {
    /**
     * The event in a slot. Not checked: the caller owns the sequence by a claim, or has seen it available.
     *
     * @param sequence the slot's sequence, 0 or more
     * @return the event
     */
    E get(long sequence);

    /**
     * A producer for one publishing thread. A ring with a single producer hands out one at a time: close it to get another.
     * Locks; call it once and keep the producer.
     *
     * @return a producer
     * @throws IllegalStateException if the ring has a single producer and that is in use, or is being made
     * @throws IllegalArgumentException if the producers' idle strategy is one that has to be signalled
     * @throws NullPointerException if the supplier of producers' idle strategies gives null
     * @throws RingClosedException if the ring is draining or closed
     * @throws RingFailedException if the ring has failed
     * @throws UnsupportedOperationException on a ring of messages, which gets its producers from {@link MessageProducer#of}
     */
    Producer<E> producer();
}
