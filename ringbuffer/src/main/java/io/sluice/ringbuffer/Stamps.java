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

    /** Publishes a slot, unless it has been published for a later sequence meanwhile. */
    void stampForward(long sequence) {
        stamp(sequence);
    }

    /** For producers that others may overtake by a lap: the same stamps, none of which goes back. */
    Stamps forward() {
        return this;
    }

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

    /** See {@link #forward()}. A class of its own, so that where consumers gate a publication stays one store. */
    static final class Forward extends Stamps {
        private final Stamps all;

        Forward(Stamps all) {
            this.all = all;
        }

        @Override
        void stamp(long sequence) {
            all.stampForward(sequence);
        }

        @Override
        boolean isStamped(long sequence) {
            return all.isStamped(sequence);
        }
    }
}
