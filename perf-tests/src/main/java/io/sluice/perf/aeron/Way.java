package io.sluice.perf.aeron;

/** A way from one thread to another, for messages in order. It is made, and closed, by the sending thread. */
interface Way extends AutoCloseable {
    /** Takes messages. */
    @FunctionalInterface
    interface Sink {
        /** A message: its value, and what its last eight bytes hold. */
        void onMessage(long value, long last);
    }

    /** Sends a message, or hands it to what sends; false if there is no room now. The sending thread. */
    boolean offer(long value);

    /** Sends what was handed over. The sending thread. */
    void flush();

    /** Runs what else there is to run: the media driver and its client. The sending thread, many times a second. */
    void housekeep();

    /** Hands over what has arrived. The receiving thread. Returns how much. */
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
