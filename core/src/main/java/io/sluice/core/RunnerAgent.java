package io.sluice.core;

import org.agrona.concurrent.Agent;

/** An agent that a {@link Runner} can end, and park with. All methods are called by the runner's thread. */
public interface RunnerAgent extends Agent {
    /**
     * Whether the agent has ended and will not be called again.
     *
     * @return true once there is nothing more to come
     */
    boolean isDone();

    /**
     * When the agent must be called again even if nobody signals.
     *
     * @return a time of {@link System#nanoTime()}, {@link SignalledIdle#NO_DEADLINE} for none
     */
    default long deadline() {
        return SignalledIdle.NO_DEADLINE;
    }
}
