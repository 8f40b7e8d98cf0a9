package com.lmax.disruptor;

/**
 * A handler that gives slots back before a batch ends, by setting the sequence of its processor.
 *
 * @param <T> the type of the events
 */
public interface SequenceReportingEventHandler<T> extends EventHandler<T> {
    /**
     * Gives the handler the sequence of its processor, before the first event.
     *
     * @param sequenceCallback the processor's sequence
     */
    void setSequenceCallback(Sequence sequenceCallback);
}
