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

    /**
     * How many events the agent has handled since it last caught up with its source. The runner asks after each cycle in which
     * the agent did work, unless it was built to poll again at once. If all its agents did work, it waits by the smallest answer
     * before it polls again.
     *
     * @param work what the agent's part of the cycle returned
     * @return the sum, 0 if more is there already
     */
    default int eventsSinceIdle(int work) {
        return work;
    }

    /**
     * The largest {@link #eventsSinceIdle} that leaves the publishers plenty of room; after more, the runner waits less.
     *
     * @return 1 or more
     */
    default int backOffBatchLimit() {
        return Integer.MAX_VALUE;
    }

    /**
     * Whether a wait after a batch may begin with a yield. A consumer of several contending producers answers false: if it gave its
     * processor up, one more of them would run, and contention would slow all of them.
     *
     * @return true unless a yield would do harm
     */
    default boolean yieldsBeforeWaiting() {
        return true;
    }

    /**
     * Tells the agent whether it is alone on a runner that spins. Called before the first cycle, and when that changes. An agent that is
     * alone may look for work several times in a cycle, with a spin hint in between.
     *
     * @param alone whether the agent is alone on a spinning runner
     */
    default void dedicatedSpinner(boolean alone) {}
}
