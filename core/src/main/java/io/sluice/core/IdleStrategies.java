package io.sluice.core;

import org.agrona.concurrent.IdleStrategy;

/** Checks of idle strategies. Any thread; nothing allocates unless a check fails. */
public final class IdleStrategies {
    private IdleStrategies() {}

    /**
     * Refuses a strategy that parks until somebody signals. For a wait that nobody signals: its time limit would not hold.
     *
     * @param idle the strategy
     * @param name its name, as the caller knows it
     * @param waiters the threads that nobody signals, for the message
     * @throws IllegalArgumentException if it is a {@link SignalledIdle}
     */
    public static void checkWakesByItself(IdleStrategy idle, String name, String waiters) {
        if (idle instanceof SignalledIdle) {
            throw new IllegalArgumentException(name + " must be a strategy that wakes by itself, since nobody signals "
                    + waiters + ", but was " + idle);
        }
    }
}
