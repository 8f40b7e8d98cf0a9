package io.sluice.ringbuffer.pipeline;

/**
 * Handles the events of one {@link EventPoller#poll}. An {@link EventHandler} fits as {@code handler::onEvent}.
 *
 * @param <E> the events' type
 * @param <X> what it throws; a lambda that throws no checked exception needs none to be caught
 */
@FunctionalInterface
public interface PollHandler<E, X extends Exception> {
    /**
     * Handles one event. Called by the thread that polls.
     *
     * @param event the event; it belongs to the producers again once the poll has returned
     * @param sequence its sequence
     * @param endOfBatch whether it is the last of this poll
     * @throws X as it likes: the poll ends, and the event comes again with the next one
     */
    void onEvent(E event, long sequence, boolean endOfBatch) throws X;
}
