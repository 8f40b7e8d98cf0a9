package io.sluice.backpressure;

/**
 * What a {@link FillMonitor} watches: a ring, a queue, the backlog of a socket. Called by: the monitor's thread. Each method
 * must cost a constant time and must not block.
 */
public interface FillSource {
    /**
     * What it can hold.
     *
     * @return messages, 1 or more, always the same
     */
    long capacity();

    /**
     * What it holds. A value read without a lock may be a little off: below 0 counts as 0, above the capacity as full.
     *
     * @return messages
     */
    long fill();

    /**
     * How far messages have been handled.
     *
     * @return a position of the sender
     */
    long consumed();

    /**
     * The newest position that reached the queue.
     *
     * @return a position of the sender
     */
    long newest();
}
