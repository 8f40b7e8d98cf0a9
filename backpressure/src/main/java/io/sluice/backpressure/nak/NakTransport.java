package io.sluice.backpressure.nak;

/**
 * Carries NAKs from receivers to senders. May lose, repeat and reorder them. Each side is called by one thread.
 */
public interface NakTransport {
    /**
     * Sends a NAK, or drops it when there is no room. Must not block and must not keep the object.
     *
     * @param nak what to send
     * @return whether it was taken
     */
    boolean send(Nak nak);

    /**
     * Hands over NAKs that have arrived. Must not block.
     *
     * @param handler who gets them; the object is valid during the call only
     * @param limit how many at most, 1 or more: this bounds the time a flood can take
     * @return how many packets were looked at, those that were ignored included
     */
    int receive(NakHandler handler, int limit);

    /**
     * Whether receivers hear what is sent here, as on a multicast group. If so, a {@link NakController} sends back each NAK that it
     * does not act on, marked as an {@linkplain Nak#isEcho() echo}, so that it silences no receiver.
     *
     * @return false unless a transport says otherwise
     */
    default boolean isGroup() {
        return false;
    }

    /**
     * Whether what receivers say can arrive here now. While it cannot, a {@link NakController} takes nobody for silent.
     *
     * @return true unless a transport says otherwise
     */
    default boolean isListening() {
        return true;
    }

    /** Gets NAKs. */
    @FunctionalInterface
    interface NakHandler {
        /**
         * Called for each NAK, echo, sign of life and farewell.
         *
         * @param nak valid during the call only
         */
        void onNak(Nak nak);
    }
}
