package io.sluice.ringbuffer;

/**
 * Fills a claimed event from two arguments. Called by the publishing thread, between claim and publication.
 * If it throws, the whole claim is aborted, nothing is delivered, and the exception reaches the caller of {@code publishEvent}.
 * It must not close its producer, nor publish or abort the claim that it fills: see {@link Producer#close} and {@link
 * Producer#publish(long, long)}.
 *
 * @param <E> the events' type
 * @param <A> the type of the first argument
 * @param <B> the type of the second argument
 */
@FunctionalInterface
public interface EventTranslatorTwoArg<E, A, B> {
    /**
     * Fills an event.
     *
     * @param event the event in its slot, with whatever the slot held before
     * @param sequence the slot's sequence
     * @param a the first argument
     * @param b the second argument
     */
    void translateTo(E event, long sequence, A a, B b);
}
