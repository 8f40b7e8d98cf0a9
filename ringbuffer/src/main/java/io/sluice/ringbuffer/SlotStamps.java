package io.sluice.ringbuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/*
 * The stamps of a ring of bytes, each in its slot: the sequence for which the slot was last published, -1 before the first. So a
 * publication and what it publishes travel in one cache line.
 *
 *   producer                               consumer
 *   payload, plain                         stamp == next?  acquire
 *   stamp := sequence, release  ------->   payload, plain
 *
 * Consumers compare for equality: no slot is claimed for a later lap before they have passed it. On a ring without consumers a slot may
 * have been overwritten: `isStamped` counts that as published.
 */
final class SlotStamps extends Stamps {
    private static final VarHandle IN_SLOT =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final ByteBuffer memory;
    private final int mask;
    private final int stride;

    SlotStamps(ByteSlots slots) {
        memory = slots.memory();
        mask = slots.capacity() - 1;
        stride = slots.stride();
        for (int i = 0; i <= mask; i++) {
            memory.putLong(index(i), -1);
        }
        VarHandle.releaseFence(); // release: the fill, before the ring is handed out
    }

    private int index(long sequence) {
        return ((int) sequence & mask) * stride;
    }

    @Override
    void stamp(long sequence) {
        IN_SLOT.setRelease(memory, index(sequence), sequence); // release: the slot, to available()
    }

    @Override
    void stampForward(long sequence) {
        int at = index(sequence);
        long stamp = (long) IN_SLOT.getAcquire(memory, at); // acquire: the CAS decides
        while (stamp < sequence
                && !IN_SLOT.compareAndSet(memory, at, stamp, sequence)) { // CAS: never back; publishes the slot
            stamp = (long) IN_SLOT.getAcquire(memory, at); // acquire: as above
        }
    }

    @Override
    Stamps forward() {
        return new Forward(this);
    }

    @Override
    boolean isStamped(long sequence) {
        return (long) IN_SLOT.getAcquire(memory, index(sequence)) >= sequence; // acquire: with stamp()
    }

    /** The highest published sequence of an unbroken run from {@code next} on, {@code next - 1} if there is none. */
    long available(long next) {
        long sequence = next;
        while ((long) IN_SLOT.getAcquire(memory, index(sequence)) == sequence) { // acquire: pairs with stamp()
            sequence++;
        }
        return sequence - 1;
    }
}
