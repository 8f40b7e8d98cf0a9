package io.sluice.ringbuffer.pipeline;

import io.sluice.core.State;
import io.sluice.ringbuffer.FollowedRing;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** The consumers that rest between two batches while another joins. Under the lock of the membership; each object for one join. */
final class HeldConsumers<E> {
    static final long PARK_NANOS = 20_000;

    private final FollowedRing<E> ring;
    private final List<ConsumerNode<E>> held = new ArrayList<>();

    HeldConsumers(FollowedRing<E> ring) {
        this.ring = ring;
    }

    /** Adds consumers that are to rest. */
    void add(List<ConsumerNode<E>> nodes) {
        nodes.stream().filter(node -> !held.contains(node)).forEach(held::add);
    }

    /**
     * Asks all to rest, and waits until they do.
     *
     * @param limitNanos how long the caller waits in all, for the message
     */
    void hold(long deadline, long limitNanos) throws TimeoutException {
        held.forEach(node -> node.ask(ConsumerNode.HOLD));
        ring.wakeAll();
        for (ConsumerNode<E> node : held) {
            while (!node.isHeld()) {
                if (node.isAtRest()) {
                    node.confirmHold();
                } else if (ring.state() == State.CLOSED) {
                    throw ended(State.CLOSED);
                } else if (deadline - System.nanoTime() <= 0
                        || Thread.currentThread().isInterrupted()) {
                    String what = node.isRun() ? " did not finish its batch" : " is not run by any thread";
                    throw timedOut("consumer " + node.name() + what, limitNanos);
                } else {
                    ring.settleWakeUps();
                    LockSupport.parkNanos(this, PARK_NANOS);
                }
            }
        }
    }

    /** Lets all go on. To be followed by a wake-up. Takes no memory. */
    void release() {
        for (int i = 0; i < held.size(); i++) {
            held.get(i).withdraw(ConsumerNode.HOLD | ConsumerNode.HELD);
        }
    }

    /** The least progress of all that rest. */
    long lowest() {
        long lowest = Long.MAX_VALUE;
        for (ConsumerNode<E> node : held) {
            lowest = Math.min(lowest, node.sequence.getAcquire()); // acquire: held, with its last progress
        }
        return lowest;
    }

    /** The last sequence that any of some resting consumers has begun with. */
    static <E> long furthest(List<ConsumerNode<E>> resting) {
        return resting.stream().mapToLong(ConsumerNode::reached).max().orElse(-1); // held, with their last progress
    }

    /** Says what a join has waited for in vain, and how long. */
    static TimeoutException timedOut(String what, long limitNanos) {
        String when = Thread.currentThread().isInterrupted()
                ? " before the caller was interrupted"
                : " within " + Math.max(0, limitNanos) / 1e6 + " ms";
        return new TimeoutException("a join must find the others at rest, but " + what + when + ": nothing has joined");
    }

    static IllegalStateException ended(State state) {
        return new IllegalStateException("the ring must be RUNNING or DRAINING for a join, but is " + state);
    }
}
