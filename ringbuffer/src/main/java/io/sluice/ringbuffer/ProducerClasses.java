package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import java.lang.invoke.MethodHandle;

/*
 * One producer class for each class of events. A producer's caller fills an event that the type system knows as E, and the
 * compiler of Java has put a cast there, for which the JVM reads the head of the event: a read of a line that the producer was
 * about to write and nothing else, and that is far away in a large ring. It holds up the stores behind it: 25 to 40 ns an event
 * of an open loop on a Zen 5. So the slots are an array of the events' own class, and the producer's class knows it as a
 * constant: where it is inlined into its caller, the compiler knows the event's class from the array, and leaves the cast out.
 */
final class ProducerClasses {
    private static final ClassCopies SINGLE =
            new ClassCopies(PlainSingleProducer.class, SingleProducer.class, ObjectRing.class, Sequence.class);
    private static final ClassCopies REMEMBERING =
            new ClassCopies(RememberingProducer.class, SingleProducer.class, ObjectRing.class, Sequence.class);
    private static final ClassCopies MULTI =
            new ClassCopies(PlainMultiProducer.class, MultiProducer.class, MultiProducerRing.class);

    private ProducerClasses() {}

    @SuppressWarnings("unchecked") // each constructor makes a producer for the ring's type of events
    static <E> SingleProducer<E> single(ObjectRing<E> ring, Sequence cursor) {
        ClassCopies classes = ring.slots.length < RememberingProducer.FEWEST_SLOTS ? SINGLE : REMEMBERING;
        MethodHandle constructor = classes.constructorFor(ring.slots.getClass());
        try {
            return (SingleProducer<E>) constructor.invokeExact((Object) ring, (Object) cursor);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new IllegalStateException("a producer's constructor threw a checked exception", t);
        }
    }

    @SuppressWarnings("unchecked") // as above
    static <E> MultiProducer<E> multi(MultiProducerRing<E> ring) {
        MethodHandle constructor = MULTI.constructorFor(ring.slots.getClass());
        try {
            return (MultiProducer<E>) constructor.invokeExact((Object) ring);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw new IllegalStateException("a producer's constructor threw a checked exception", t);
        }
    }
}
