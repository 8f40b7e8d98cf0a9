package io.sluice.perf.aeron;

/** A way from one thread to another, for messages in order. It is made, and closed, by the sending thread. */
interface Way extends AutoCloseable {
    /** Takes messages. */
    @FunctionalInterface
    interface Sink {
        /** Takes a message: its value, and the value of its last eight bytes. */
        void onMessage(long value, long last);
    }

    /** Sends a message, or hands it over to be sent; false if there is no room now. The sending thread. */
    boolean offer(long value);

    /** Sends the messages that were handed over. The sending thread. */
    void flush();

    /** Runs the media driver and its client. The sending thread, many times a second. */
    void housekeep();

    /** Hands over the messages that have arrived, and returns their number. The receiving thread. */
    int take(Sink sink);

    /** Whether the other side is there. */
    boolean isConnected();

    @Override
    void close();

    /** Makes a way. */
    @FunctionalInterface
    interface Maker {
        /** Makes one. */
        Way make();
    }
}
