package io.sluice.examples.feed;

/**
 * Reads the messages of one input, one after the other. Used by one thread.
 *
 * <p>A message is found and checked by {@link #next()}, before room for it is claimed in a ring; {@link #copyTo} cannot
 * fail, so that nothing goes wrong between the claim and the publication. Neither allocates, but for a fault.
 */
public interface FeedReader extends AutoCloseable {
    /**
     * Moves to the next message.
     *
     * @return true if there is one, false at the end of the input
     * @throws FeedFault if the input is damaged here, or holds no message at all; every message before the fault has
     *     been delivered. Every later call throws the same fault.
     */
    boolean next() throws FeedFault;

    /**
     * Copies the current message, the one to which {@link #next()} has moved.
     *
     * @param event where to; all but {@link MarketEvent#dueNanos()} is set
     */
    void copyTo(MarketEvent event);

    /**
     * The format of the messages.
     *
     * @return the format
     */
    FeedFormat format();

    /**
     * The name of an instrument. Allocates; may be called by any thread.
     *
     * @param instrument a key from {@link MarketEvent#instrument()}
     * @return the name, without padding
     */
    String instrumentName(long instrument);

    /** Closes the input. Does nothing the second time. */
    @Override
    void close();
}
