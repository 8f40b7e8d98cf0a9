package com.lmax.disruptor;

/** The part of a ring that differs between the versions of the API. In version 4 an assertion checks the producer. */
abstract class VersionRing<E> extends Slots<E> {
    /** Whether {@code -ea} refuses a second thread that claims on a ring for one producer. */
    static final boolean ASSERTS_ONE_PRODUCER = true;

    VersionRing(EventFactory<E> factory, AbstractSequencer sequencer) {
        super(factory, sequencer);
    }
}
