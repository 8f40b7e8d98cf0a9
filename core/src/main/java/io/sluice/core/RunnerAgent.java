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
     * Whether a wait after a batch may begin with a yield. Not where several threads contend for what they publish: the more
     * of them run at once, the slower all are, and while this one keeps its processor, one fewer does.
     *
     * @return true unless a yield would do harm
     */
    default boolean yieldsBeforeWaiting() {
        return true;
    }

    /**
     * Told before the first cycle, and when it changes, whether the runner has no other agent and spins while there is nothing
     * to do. Then a cycle may look for work several times, with a spin hint in between, before it returns: as the runner would,
     * and sooner.
     *
     * @param alone whether so
     */
    default void dedicatedSpinner(boolean alone) {}
}
