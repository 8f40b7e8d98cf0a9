package io.sluice.ringbuffer;

/**
 * Calls a translator of one shape, so that one body serves the translators of all shapes. It takes all arguments that any shape has, and
 * passes on those that its own shape has. It holds no state and is a constant where it is made: the compiler sees the translator through
 * it, and nothing is allocated.
 *
 * @param <E> the events' type
 * @param <T> the translator's type
 */
@FunctionalInterface
interface TranslatorCall<E, T, A, B, C> {
    /** Stands in for an argument that a translator does not take. */
    Object NONE = "none";

    void fill(E event, long sequence, T translator, A a, B b, C c, long first, long second);

    static <E> TranslatorCall<E, EventTranslator<? super E>, Object, Object, Object> plain() {
        return (event, sequence, translator, a, b, c, first, second) -> translator.translateTo(event, sequence);
    }

    static <E, A> TranslatorCall<E, EventTranslatorOneArg<? super E, ? super A>, A, Object, Object> oneArg() {
        return (event, sequence, translator, a, b, c, first, second) -> translator.translateTo(event, sequence, a);
    }

    static <E, A, B> TranslatorCall<E, EventTranslatorTwoArg<? super E, ? super A, ? super B>, A, B, Object> twoArg() {
        return (event, sequence, translator, a, b, c, first, second) -> translator.translateTo(event, sequence, a, b);
    }

    static <E, A, B, C>
            TranslatorCall<E, EventTranslatorThreeArg<? super E, ? super A, ? super B, ? super C>, A, B, C> threeArg() {
        return (event, sequence, translator, a, b, c, first, second) ->
                translator.translateTo(event, sequence, a, b, c);
    }

    static <E> TranslatorCall<E, EventTranslatorLong<? super E>, Object, Object, Object> oneLong() {
        return (event, sequence, translator, a, b, c, first, second) -> translator.translateTo(event, sequence, first);
    }

    static <E> TranslatorCall<E, EventTranslatorTwoLongs<? super E>, Object, Object, Object> twoLongs() {
        return (event, sequence, translator, a, b, c, first, second) ->
                translator.translateTo(event, sequence, first, second);
    }

    /** A translator has published or aborted the claim that it was filling, or a part of it. The part that it left open is published. */
    static IllegalStateException settledWithin(long lo, long hi) {
        return new IllegalStateException(
                "publish and abort must be called outside of the producer's own translators, but were called within one: sequences "
                        + lo + " to " + hi + " were settled there, in whole or in part");
    }

    /** A translator has closed its producer where there was no room, so nothing was claimed. */
    static IllegalStateException closedWithin() {
        return new IllegalStateException(
                "close must be called outside of the producer's own translators, but was called within one: the ring was full, and the event is dropped");
    }

    /** A translator has closed its producer. That has aborted the claim, and the slots may be others' by now. */
    static IllegalStateException closedWithin(long lo, long hi) {
        return new IllegalStateException(
                "close must be called outside of the producer's own translators, but was called within one: sequences "
                        + lo + " to " + hi + " were aborted, and not published");
    }
}
