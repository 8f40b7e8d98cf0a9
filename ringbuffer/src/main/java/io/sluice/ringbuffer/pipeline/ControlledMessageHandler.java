package io.sluice.ringbuffer.pipeline;

import io.sluice.ringbuffer.Messages;
import org.agrona.DirectBuffer;

/**
 * Handles messages as {@link MessageHandler} does, and says after each how to go on. For a consumer of a ring of messages, not for a
 * worker.
 *
 * <pre>{@code
 * ControlledMessageHandler sender = (type, buffer, offset, length, sequence, endOfBatch) ->
 *         socket.offer(buffer, offset, length) ? Action.CONTINUE : Action.ABORT; // no room there: again later
 * pipeline.handleEventsWith(sender);
 * }</pre>
 */
@FunctionalInterface
public interface ControlledMessageHandler extends EventHandler<Messages> {
    /** How to go on behind a message. */
    enum Action {
        /**
         * It was not handled: the batch ends before it, and it comes again. If nothing was handled before it, the runner idles first: a
         * {@link io.sluice.core.SignalledIdle} parks for at most 100 µs then, the default idle strategy for up to 1 ms.
         * The handler gets {@code onTimeout} meanwhile when {@code timeoutAfterNanos} says so.
         */
        ABORT,

        /** It was handled, and the batch ends behind it. */
        BREAK,

        /** It was handled, and dependents and producers see that at once. The batch goes on. */
        COMMIT,

        /** It was handled, and the batch goes on. */
        CONTINUE
    }

    /**
     * Handles one message. A batch that {@code ABORT} or {@code BREAK} ends has no message with {@code endOfBatch}, unless it is its
     * last one; {@link #onBatchEnd} is called all the same, with the last sequence handled.
     *
     * @param type what its producer gave, 1 or more
     * @param buffer the bytes of all messages; only this one's may be read
     * @param offset where the message begins, a multiple of 8
     * @param length its bytes, 0 or more
     * @param sequence its sequence
     * @param endOfBatch whether this is the last message of the batch
     * @return how to go on, never null
     * @throws Exception if it fails; the consumer's {@link io.sluice.core.FailurePolicy} decides what happens then
     */
    Action onMessage(int type, DirectBuffer buffer, int offset, int length, long sequence, boolean endOfBatch)
            throws Exception;

    /**
     * Always throws: it returns no action; call {@link #onMessage}, which says how to go on.
     *
     * @throws UnsupportedOperationException always
     */
    @Override
    @SuppressWarnings("FunctionalInterfaceMethodChanged") // an event without an answer is refused
    default void onEvent(Messages event, long sequence, boolean endOfBatch) {
        throw new UnsupportedOperationException(
                "a controlled handler must be called by onMessage, whose result says how to go on, but onEvent was called");
    }
}
