package io.sluice.core;

/** Where a ring or a consumer stands in its life. It only moves forward: see {@link LifeCycle}. */
public enum State {
    /** Takes and hands over events. */
    RUNNING,
    /** Refuses new claims; earlier claims are still handled. */
    DRAINING,
    /** Ended by its owner. */
    CLOSED,
    /** Ended by a failure, whose cause is kept. */
    FAILED
}
