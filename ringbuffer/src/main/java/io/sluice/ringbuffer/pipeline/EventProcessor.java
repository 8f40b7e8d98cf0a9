package io.sluice.ringbuffer.pipeline;

import io.sluice.core.RunnerAgent;
import io.sluice.core.SequenceView;

/**
 * Takes events from a ring and hands them to a handler. It is an Agrona agent: {@link #doWork} handles what is available, up
 * to the batch limit, and returns how much that was. An exception of the handler goes to the failure policy, not to the caller.
 */
public interface EventProcessor extends RunnerAgent {
    /**
     * Handles what is available, up to the batch limit. The thread that runs the processor.
     *
     * @return how many sequences it advanced by; on a ring of messages how many messages it handled, but 1 if it only passed over
     *     padding and aborted claims, each of which counts for a worker; 0 if nothing was available or finished, or it has ended
     * @throws IllegalStateException if called from within its own handler, which would be handed the same events again
     */
    @Override
    int doWork();

    /**
     * Its published progress. Any thread.
     *
     * @return the last sequence finished, as dependents and producers see it
     */
    SequenceView sequence();

    /**
     * Asks the processor to end after its present batch. Any thread. It gates the ring until that is closed; a publisher that
     * would have to wait for it gets an {@link IllegalStateException}.
     */
    void halt();
}
