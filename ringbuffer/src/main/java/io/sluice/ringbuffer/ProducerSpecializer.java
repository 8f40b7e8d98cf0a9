package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.ringbuffer.specialize.HiddenClassSpecializer;
import java.lang.invoke.MethodHandles;

/*
 * One producer class for each class of events. A producer's caller fills an event that the type system knows as E. The compiler of
 * Java has put a cast there, and for a cast the JVM reads the head of the event. The producer was only about to write that line,
 * which is far away in a large ring. The read holds up the stores behind it: 25 to 40 ns an event of an open loop on a Zen 5.
 *
 * So the slots are an array of the events' own class, and the producer's class knows that class as a constant. Where the producer is
 * inlined into its caller, the compiler knows the event's class from the array, and leaves the cast out.
 */
final class ProducerSpecializer {
    private static final HiddenClassSpecializer SINGLE = new HiddenClassSpecializer(
            MethodHandles.lookup(),
            CursorReadingProducer.class,
            arguments -> new CursorReadingProducer<>((ObjectRing<?>) arguments[0], (Sequence) arguments[1]),
            ObjectRing.class,
            Sequence.class);
    private static final HiddenClassSpecializer REMEMBERING = new HiddenClassSpecializer(
            MethodHandles.lookup(),
            CachedCursorProducer.class,
            arguments -> new CachedCursorProducer<>((ObjectRing<?>) arguments[0], (Sequence) arguments[1]),
            ObjectRing.class,
            Sequence.class);
    private static final HiddenClassSpecializer MULTI = new HiddenClassSpecializer(
            MethodHandles.lookup(),
            PlainMultiProducer.class,
            arguments -> new PlainMultiProducer<>(
                    (ObjectRing<?>) arguments[0], (Sequence) arguments[1], (Stamps) arguments[2]),
            ObjectRing.class,
            Sequence.class,
            Stamps.class);

    private ProducerSpecializer() {}

    @SuppressWarnings("unchecked") // each makes a producer for the ring's type of events
    static <E> SingleProducer<E> single(ObjectRing<E> ring, Sequence cursor) {
        HiddenClassSpecializer classes = ring.capacity < CachedCursorProducer.FEWEST_SLOTS ? SINGLE : REMEMBERING;
        return (SingleProducer<E>) classes.make(ring.slots.getClass(), ring, cursor);
    }

    @SuppressWarnings("unchecked") // as above
    static <E> MultiProducer<E> multi(ObjectRing<E> ring, Sequence claims, Stamps stamps) {
        return (MultiProducer<E>) MULTI.make(ring.slots.getClass(), ring, claims, stamps);
    }
}
