package com.lmax.disruptor;

/** The part of a ring that differs between the versions of the API. Version 3 has older names. */
abstract class VersionRing<E> extends Slots<E> {
    /** Whether {@code -ea} refuses a second thread that claims on a ring for one producer. */
    static final boolean ASSERTS_ONE_PRODUCER = false;

    VersionRing(EventFactory<E> factory, AbstractSequencer sequencer) {
        super(factory, sequencer);
    }

    /**
     * Sets the sequence from which claims go on, and publishes it. Only while nobody uses the ring.
     *
     * @param sequence the last published sequence from now on
     * @deprecated as in the Disruptor
     */
    @Deprecated
    public void resetTo(long sequence) {
        sequencer.claim(sequence);
        sequencer.publish(sequence);
    }

    /**
     * Whether a sequence is published and its slot not used again. Any thread.
     *
     * @param sequence the sequence
     * @return whether its event may be read
     */
    public boolean isPublished(long sequence) {
        return sequencer.isAvailable(sequence);
    }

    /** Whether claims wait for a sequence. */
    final boolean isGatedBy(Sequence sequence) {
        Sequence[] gating = sequencer.gatingSequences;
        return Gating.without(gating, sequence) != gating;
    }
}
