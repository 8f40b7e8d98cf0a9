package io.sluice.ringbuffer;

/**
 * Fills a claimed event from two {@code long} arguments, without boxing: a price and a quantity, for instance. Called by the publishing
 * thread, between claim and publication. If it throws, the whole claim is aborted, nothing is delivered, and the exception reaches the
 * caller of {@code publishEvent}. It must not close its producer, nor publish or abort the claim that it fills: see {@link Producer#close}
 * and {@link Producer#publish(long, long)}.
 *
 * @param <E> the events' type
 */
@FunctionalInterface
public interface EventTranslatorTwoLongs<E> {
    /**
     * Fills an event.
     *
     * @param event the event in its slot, with whatever the slot held before
     * @param sequence the slot's sequence
     * @param first the first argument
     * @param second the second argument
     */
    void translateTo(E event, long sequence, long first, long second);
}
