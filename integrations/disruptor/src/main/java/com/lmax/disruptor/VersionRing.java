package com.lmax.disruptor;

/** What a ring has in one version of the API only. In version 4: that an assertion looks after the producer. */
abstract class VersionRing<E> extends Slots<E> {
    /** Whether {@code -ea} refuses a second thread that claims on a ring for one producer. */
    static final boolean ASSERTS_ONE_PRODUCER = true;

    VersionRing(EventFactory<E> factory, AbstractSequencer sequencer) {
        super(factory, sequencer);
    }
}
