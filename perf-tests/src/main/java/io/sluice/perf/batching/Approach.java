package io.sluice.perf.batching;

/** The ways in which messages get to a device. */
enum Approach {
    /** The thread that has a message sends it, under a lock around the device. */
    LOCK("lock around the device"),
    /** A thread gathers messages and sends when the buffer is full, or a millisecond after the first one in it. */
    TIMER("timer, 1 ms"),
    /** A thread sends all the messages that are there, as soon as the device is free. */
    SMART("smart batching");

    private final String title;

    Approach(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }
}
