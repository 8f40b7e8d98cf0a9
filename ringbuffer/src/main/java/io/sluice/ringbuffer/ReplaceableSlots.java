package io.sluice.ringbuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The slots of a ring that tracks claims. A thread that aborts a claim on its owner's behalf puts another event into the slot, while
 * the owner may be reading it. The owner reads the event first, and then whether its claim is still open: if so, nobody else has
 * that event.
 */
final class ReplaceableSlots {
    private static final VarHandle EVENT = MethodHandles.arrayElementVarHandle(Object[].class);

    private final Object[] events;

    ReplaceableSlots(Object[] slots) {
        events = slots;
    }

    /** The event of a slot; to be followed by a look whether the claim is still open. */
    Object event(long sequence) {
        return EVENT.getAcquire(events, index(sequence)); // acquire: an event put by an abort comes with that abort
    }

    /** Puts another event. Behind the CAS that decided the abort. */
    void replace(long sequence, Object fresh) {
        EVENT.setRelease(
                events, index(sequence), fresh); // release: who reads it sees the abort, and the event's contents
    }

    private int index(long sequence) {
        return (int) sequence & (events.length - 1);
    }
}
