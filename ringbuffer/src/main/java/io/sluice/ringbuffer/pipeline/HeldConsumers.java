package io.sluice.ringbuffer.pipeline;

import io.sluice.core.State;
import io.sluice.ringbuffer.FollowedRing;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** The consumers that rest between two batches while another joins. Under the lock of the membership; each object for one join. */
final class HeldConsumers<E> {
    static final long PARK_NANOS = 20_000;

    private final FollowedRing<E> ring;
    private final Set<ConsumerNode<E>> held = new LinkedHashSet<>();

    HeldConsumers(FollowedRing<E> ring) {
        this.ring = ring;
    }

    /** These are to rest. */
    void add(List<ConsumerNode<E>> nodes) {
        held.addAll(nodes);
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
                    throw new TimeoutException("consumer " + node.name()
                            + (node.isRun() ? " did not finish its batch" : " is not run by any thread")
                            + within(limitNanos) + ": nothing has joined");
                } else {
                    LockSupport.parkNanos(this, PARK_NANOS);
                }
            }
        }
    }

    /** Lets all go on. To be followed by a wake-up. */
    void release() {
        held.forEach(one -> one.withdraw(ConsumerNode.HOLD | ConsumerNode.HELD));
    }

    /** The least progress of all that rest. */
    long lowest() {
        long lowest = Long.MAX_VALUE;
        for (ConsumerNode<E> node : held) {
            lowest = Math.min(lowest, node.sequence.getAcquire()); // acquire: held, with its last progress
        }
        return lowest;
    }

    /** The last sequence that one of some that rest has begun with. */
    static <E> long furthest(List<ConsumerNode<E>> resting) {
        long highest = -1;
        for (ConsumerNode<E> node : resting) {
            highest = Math.max(highest, node.reached()); // held, with its last progress
        }
        return highest;
    }

    /** How long a caller has waited in vain, for a message. */
    static String within(long limitNanos) {
        if (Thread.currentThread().isInterrupted()) {
            return " before the caller was interrupted";
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(limitNanos);
        return " within " + (millis > 0 ? millis + " ms" : Math.max(0, limitNanos) + " ns");
    }

    static IllegalStateException ended(State state) {
        return new IllegalStateException("the ring must be RUNNING or DRAINING for a join, but is " + state);
    }
}
