package io.sluice.core;

/** Wakes somebody who waits. */
@FunctionalInterface
public interface Signal {
    /** Wakes the waiter, or does nothing if there is none. Any thread, any number of times; never blocks. */
    void signal();
}
