package io.sluice.ringbuffer;

/**
 * Publications slot by slot. Each slot has a stamp that tells for which sequence it was last published. The claimer writes it with
 * release, consumers acquire it: {@link ArrayStamps} beside the slots of objects, {@link SlotStamps} within slots of bytes.
 *
 * <p>A publication that is stalled hides later ones: consumers go on in the order of the sequences.
 */
abstract class Stamps {
    /** Publishes a slot. */
    abstract void stamp(long sequence);

    /** Whether a slot has been published for this sequence or a later one. */
    abstract boolean isStamped(long sequence);

    /** The highest sequence of an unbroken run of published ones from {@code first} on, {@code last} at most. */
    final long highestStamped(long first, long last) {
        long sequence = first;
        while (sequence <= last && isStamped(sequence)) {
            sequence++;
        }
        return sequence - 1;
    }
}
