package io.sluice.perf.flow;

/** The event that is moved: one {@code long} of payload. */
public final class Event {
    long value;

    /** An empty event. */
    public Event() {}
}
