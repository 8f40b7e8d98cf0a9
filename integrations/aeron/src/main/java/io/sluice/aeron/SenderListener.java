package io.sluice.aeron;

/** Told of the start and the end of a sender's publications. Called by the sender's thread. Its exceptions fail the sender's consumer. */
public interface SenderListener {
    /**
     * A publication is open: the first one, or one that replaces another.
     *
     * @param sessionId its Aeron session
     * @param nextNumber the number of the first message on it
     */
    default void onOpen(int sessionId, long nextNumber) {}

    /**
     * A publication has ended, and is opened again.
     *
     * @param sessionId its Aeron session
     * @param result why: {@link SendResult#CLOSED} or {@link SendResult#MAX_POSITION_EXCEEDED}
     * @param nextNumber the number of the first message that is not on it
     */
    default void onEnd(int sessionId, SendResult result, long nextNumber) {}
}
