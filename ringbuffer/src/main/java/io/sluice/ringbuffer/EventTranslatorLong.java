package io.sluice.ringbuffer;

/**
 * Fills a claimed event from a {@code long}, without boxing. Called by the publishing thread, between claim and publication.
 * If it throws, the whole claim is aborted, nothing is delivered, and the exception reaches the caller of {@code publishEvent}.
 * It must not close its producer, nor publish or abort the claim that it fills: see {@link Producer#close} and {@link
 * Producer#publish(long, long)}.
 *
 * @param <E> the events' type
 */
@FunctionalInterface
public interface EventTranslatorLong<E> {
    /**
     * Fills an event.
     *
     * @param event the event in its slot, with whatever the slot held before
     * @param sequence the slot's sequence
     * @param value the argument
     */
    void translateTo(E event, long sequence, long value);
}
