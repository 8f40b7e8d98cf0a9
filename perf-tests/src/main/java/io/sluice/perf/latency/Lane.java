package io.sluice.perf.latency;

/** A way from one sending thread to one receiving thread; used for one sample and then closed. */
interface Lane extends AutoCloseable {
    /** The side at which the sending thread puts things in. */
    @FunctionalInterface
    interface Sender {
        /**
         * Sends, waiting for room where there is none. Called by the one sending thread.
         *
         * @param value the payload, 0 or more
         * @param time a further word that travels with it
         */
        void send(long value, long time);
    }

    /** The side at which the receiving thread gets the things that arrive. */
    interface Receiver {
        /** Called once by the receiving thread, before anything arrives. */
        default void begin() {}

        /**
         * Takes one thing that arrived. Called by the receiving thread, in the order of sending.
         *
         * @param value the payload
         * @param time the word that was sent with it
         */
        void received(long value, long time);
    }

    /** Makes lanes. */
    @FunctionalInterface
    interface Transport {
        /**
         * Makes a lane and starts its receiving thread.
         *
         * @param receiver called on that thread
         * @param core to which the thread is bound
         * @return the lane
         */
        Lane open(Receiver receiver, int core);
    }

    /** The sending side; called once, on the sending thread. */
    Sender sender();

    /** Ends the receiving thread and waits for its end; its writes are visible afterwards. */
    @Override
    void close();
}
