package io.sluice.ringbuffer;

/**
 * Told of each event that a consumer sheds because a publisher asked for room. See {@link RingBufferBuilder#shedding}.
 *
 * @param <E> the events' type
 */
@FunctionalInterface
public interface ShedHandler<E> {
    /**
     * A consumer drops an event instead of handling it. Called on the consumer's thread, before the slot is given away. An exception
     * of this handler goes to the consumer's failure policy, as from the event's handler; from a poller, to the caller of the poll.
     *
     * @param consumer the name of the consumer
     * @param event the event, valid only during the call
     * @param sequence its sequence
     */
    void onShed(String consumer, E event, long sequence);
}
