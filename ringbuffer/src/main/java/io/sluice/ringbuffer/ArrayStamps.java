package io.sluice.ringbuffer;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The stamps of a ring of objects, in an array of their own. One a slot: the lap in which the slot was last published, -1 before the
 * first. Consumers compare laps for equality. Laps wrap after 2^32 laps, and a stale stamp is never more than one lap old.
 */
class ArrayStamps extends Stamps {
    static final VarHandle STAMP = MethodHandles.arrayElementVarHandle(int[].class);

    final int[] stamps;
    private final int lapShift;

    ArrayStamps(int capacity) {
        stamps = new int[capacity];
        Arrays.fill(stamps, -1);
        lapShift = Integer.numberOfTrailingZeros(capacity);
        VarHandle.releaseFence(); // release: the fill, before the ring is handed out
    }

    final int lap(long sequence) {
        return (int) (sequence >>> lapShift);
    }

    final int index(long sequence) {
        return (int) sequence & (stamps.length - 1);
    }

    @Override
    final void stamp(long sequence) {
        STAMP.setRelease(stamps, index(sequence), lap(sequence)); // release: the slot, to available()
    }

    @Override
    final void stampForward(long sequence) {
        int lap = lap(sequence);
        int at = index(sequence);
        int stamp = (int) STAMP.getAcquire(stamps, at); // acquire: the CAS decides
        while (lap - stamp > 0 && !STAMP.compareAndSet(stamps, at, stamp, lap)) { // CAS: never back; publishes the slot
            stamp = (int) STAMP.getAcquire(stamps, at); // acquire: as above
        }
    }

    @Override
    Stamps forward() {
        return new Forward(this);
    }

    @Override
    boolean isStamped(long sequence) {
        int stamp = (int) STAMP.getAcquire(stamps, index(sequence)); // acquire: with stamp()
        return stamp - lap(sequence) >= 0;
    }

    /** The highest published sequence of an unbroken run from {@code next} on, {@code next - 1} if there is none. */
    final long available(long next) {
        int[] laps = stamps;
        int shift = lapShift;
        long sequence = next;
        while ((int) STAMP.getAcquire(laps, (int) sequence & (laps.length - 1)) // acquire: pairs with stamp()
                == (int) (sequence >>> shift)) {
            sequence++;
        }
        return sequence - 1;
    }
}
