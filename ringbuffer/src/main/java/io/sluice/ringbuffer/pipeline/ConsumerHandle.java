package io.sluice.ringbuffer.pipeline;

import io.sluice.core.SequenceView;
import io.sluice.core.State;
import io.sluice.core.check.Check;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A consumer of a pipeline as its owner sees it. Every method but {@link #progress} and {@link #finish} may be called by any thread. */
public interface ConsumerHandle {
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
     * The failure of its own handler that halted it, or that came too late to halt anything.
     *
     * @return the failure, null if there is none
     */
    @Nullable
    Throwable failure();

    /**
     * Its published progress; a worker's is that of its stage.
     *
     * @return the last sequence finished, as dependents and producers see it
     */
    SequenceView sequence();

    /**
     * The first sequence that it handles.
     *
     * @return 0 if it was declared before the start, else where it joined; for a worker a lower bound
     */
    long joinedFrom();

    /**
     * Lets it rest after its present batch, until {@link #resume}. It gates the ring meanwhile: publishers wait for it, and
     * so do its dependents. It still ends when the ring is closed; of a ring that has failed it handles the rest only once
     * it is resumed. Does not wait.
     */
    void pause();

    /** Ends a pause, and wakes its thread. Does nothing if it is not paused. */
    void resume();

    /**
     * Makes it leave: it finishes its present batch, publishes its progress, and gates the ring and its dependents no more;
     * they follow its upstream from there on, and lose nothing. Its runner calls its handler's {@code onShutdown}, possibly after this
     * call has returned. A {@link Join} with the same handler waits for that.
     *
     * <ul>
     *   <li>A worker finishes its event, retries included. The others of its stage go on; the stage leaves with the last of them.
     *   <li>A paused consumer leaves too.
     *   <li>A consumer that no thread has begun to run since the start leaves too. Then none of its handler's methods is called, not even
     *       {@code onShutdown}.
     *   <li>A consumer whose event has failed, and would be tried again, gives that batch up. Its progress stays where the batch before
     *       ended.
     *   <li>Once the last consumer has left, the ring is never full.
     *   <li>On a closed ring the call waits only for a leave or a join that is under way.
     * </ul>
     *
     * @param timeoutNanos how long to wait until it has left, in nanoseconds; 0 or less not to wait
     * @return the outcome; a call from its own handler does not wait, and says {@link Removal#LATER} if it has not left yet
     */
    Removal remove(long timeoutNanos);

    /**
     * As {@link #remove(long)}.
     *
     * @param limit how long to wait until it has left; 0 or less not to wait
     * @return the outcome
     */
    default Removal remove(Duration limit) {
        return remove(Check.nanos(limit, "limit"));
    }

    /**
     * Marks an event finished: the handlers of consumers that follow this one, directly or through others, are not called for
     * it; they pass over it as over an aborted one, and progress goes on. Consumers beside this one still get it. Nothing takes it
     * back, not even a rewind. Only from within the handler of a consumer declared with {@link NewConsumer#finishesEvents}. Costs a
     * compare-and-set, and a second one at the first of each sixteen sequences.
     *
     * @param sequence an event of the present batch, above the progress so far; a worker's present event. On a ring of messages one that
     *     the handler was given: it is looked for from header to header, behind the message that was finished last
     * @throws IllegalArgumentException if the sequence is out of that range, or no message begins there
     * @throws IllegalStateException if called from outside the handler or outside an event, as from {@code onStart}, or if the
     *     consumer was not declared so
     */
    void finish(long sequence);

    /**
     * Publishes progress before the end of the batch. Only from within the handler, for events that it has finished.
     *
     * @param sequence the last event finished, above the progress so far and not above the present batch
     * @throws IllegalArgumentException if the sequence is out of that range
     * @throws IllegalStateException if called from outside the handler or outside a batch, as from {@code onStart}, or from a
     *     worker's
     */
    void progress(long sequence);
}
