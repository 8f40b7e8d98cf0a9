package io.sluice.aeron;

/**
 * Told about the sessions that a receiver hears, and about messages that did not come as they should. Called by the receiver's thread, in
 * the order in which things come about. Its exceptions are told to the link's error handler.
 */
public interface ReceiverListener {
    /**
     * A sender's session is there. Told before its first message.
     *
     * @param sessionId its Aeron session
     * @param source where from: an address, or {@code aeron:ipc}
     * @param position the position at which this receiver joins it
     */
    default void onAvailable(int sessionId, String source, long position) {}

    /**
     * The first numbered message of a session has come. A receiver that joins late, or after a restart, sees here where it begins.
     *
     * @param sessionId its Aeron session
     * @param number the message's number
     */
    default void onFirst(int sessionId, long number) {}

    /**
     * A session is gone: its sender has closed it or died, or Aeron has left this receiver behind. Told after its last message.
     *
     * @param sessionId its Aeron session
     * @param source where it came from
     * @param position the position up to which this receiver has it
     * @param revoked whether its sender has revoked it; messages may then be missing at its end
     */
    default void onUnavailable(int sessionId, String source, long position, boolean revoked) {}

    /**
     * Messages are missing: the sender dropped them by its policy, or they were sent while this receiver was left behind. Told before the
     * message that follows them.
     *
     * @param sessionId the session of the message that follows
     * @param from the number of the first one missing
     * @param to the number of the last one missing
     */
    default void onGap(int sessionId, long from, long to) {}

    /**
     * A message that the sink could not understand was passed over.
     *
     * @param sessionId its session
     * @param number its number, 0 if it has none
     * @param failure what the sink, or its decoder, threw
     */
    void onBadMessage(int sessionId, long number, Exception failure);
}
