package com.lmax.disruptor;

/** What a ring has in one version of the API only. In version 4: nothing. */
abstract class VersionRing<E> extends Slots<E> {
    VersionRing(EventFactory<E> factory, AbstractSequencer sequencer) {
        super(factory, sequencer);
    }
}
