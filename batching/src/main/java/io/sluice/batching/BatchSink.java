package io.sluice.batching;

import java.io.IOException;

/**
 * A device that takes batches. All methods are called by the one thread that makes the batches.
 *
 * <p>The buffer's position alone says what was taken. A sink advances it over the bytes that it took for good, and over no others,
 * whether it returns or throws. The same batch is offered again, from where the position stands, until its buffer has nothing
 * remaining. Nothing is offered twice.
 *
 * <p>Several handlers or batchers may share a sink, if one thread runs them all. While a batch of one waits to be
 * offered again, batches of others may be offered: a stream's peer gets them between the two parts of it. The first
 * handler or batcher that is closed closes the sink.
 */
public interface BatchSink extends AutoCloseable {
    /**
     * Takes what it can of the bytes from the buffer's position to its limit.
     *
     * @param batch the batch; valid during the call
     * @throws IOException if the device failed; what is behind the position was not taken
     */
    void send(Batch batch) throws IOException;

    /**
     * Called after the last batch of events that arrived together was taken, or discarded, and before they count as handled. A sink
     * that defers work, such as a {@code force}, does it here. A sink that has taken nothing since the last call is not called. After
     * a failure it is called again.
     *
     * @throws IOException if the device failed
     */
    default void endOfBatch() throws IOException {}

    /**
     * Called when there is nothing to send: each time the time-out of the handler's processor is over, and when {@link
     * #idleAfterNanos()} is over, also while events come that make no message, or, in a {@link CompositeSink}, while another sink takes
     * nothing.
     *
     * @throws IOException if the device failed
     */
    default void onIdle() throws IOException {}

    /**
     * How long, without a batch, until {@link #onIdle()} is wanted, whatever time-out the handler's processor has. Asked when
     * there is nothing to send, after a batch and after each {@code onIdle}.
     *
     * @return nanoseconds, 0 or less for now; {@link Long#MAX_VALUE}, the default, if it is not wanted
     */
    default long idleAfterNanos() {
        return Long.MAX_VALUE;
    }

    /**
     * Called after the last batch, when the handler's processor has ended, left or failed; before {@link #close()}, perhaps
     * long before.
     *
     * @throws IOException if the device failed
     */
    default void onShutdown() throws IOException {}

    /**
     * The longest batch that the device takes, header included.
     *
     * @return the length in bytes, 1 or more
     */
    default int maxBatchLength() {
        return Integer.MAX_VALUE;
    }

    /**
     * The longest message that the device takes. A longer one is refused alone, before it is in a batch: see {@link
     * BatchingConfig.Oversize#REFUSE}.
     *
     * @return the length in bytes, 1 or more
     */
    default int maxMessageLength() {
        return Integer.MAX_VALUE;
    }

    /**
     * Releases what the sink owns. A sink over a channel that the caller opened does not close that channel, unless it says
     * otherwise.
     *
     * @throws IOException if that fails
     */
    @Override
    default void close() throws IOException {}
}
