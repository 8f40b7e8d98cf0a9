package io.sluice.ringbuffer;

import io.sluice.core.SequenceView;
import io.sluice.core.State;
import org.jspecify.annotations.Nullable;

/** A consumer of a pipeline as its owner sees it. Every method but {@link #progress} may be called by any thread. */
public interface Consumer {
    /**
     * Its name in threads, reports and dumps.
     *
     * @return the name, unique in its pipeline
     */
    String name();

    /**
     * How far it is behind: published sequences that it has not finished, batches under way included.
     *
     * @return 0 or more, a recent value
     */
    long lag();

    /**
     * Where it stands: the ring's state while it runs, CLOSED when it has ended, FAILED when its handler has failed.
     *
     * @return the state
     */
    State state();

    /**
     * What its own handler threw that halted it, or that came too late to halt anything.
     *
     * @return the failure, null if there is none
     */
    @Nullable
    Throwable failure();

    /**
     * Its published progress.
     *
     * @return the last sequence finished, as dependents and producers see it
     */
    SequenceView sequence();

    /**
     * Publishes progress before the end of the batch. Only from within the handler, for events that it has finished.
     *
     * @param sequence the last event finished, above the progress so far and not above the present batch
     * @throws IllegalArgumentException if the sequence is out of that range
     * @throws IllegalStateException if called from outside the handler
     */
    void progress(long sequence);
}
