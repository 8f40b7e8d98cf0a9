package io.sluice.ringbuffer;

import io.sluice.core.SequenceView;
import java.util.List;
import java.util.function.Consumer;

/**
 * All that a ring asks of its consumers: which of them the calling thread runs itself, which end with the ring, and which are behind. A
 * {@link FollowedRing} has at most one such object. Every method may be called by any thread, off the hot path.
 */
public interface Followers {
    /**
     * Refuses a thread that runs one of them: it can not wait for room that would have to come from itself.
     *
     * @param thread the thread that is about to wait
     * @throws IllegalStateException if it runs one that has not ended
     */
    void checkNotRunBy(Thread thread);

    /**
     * Refuses to wait for room if one of them that would have to make it has ended while the ring runs on: the ring stays full.
     *
     * @param needed the sequence that all of them must have finished
     * @throws IllegalStateException if one has ended before it
     */
    void checkNoneEnded(long needed);

    /**
     * Takes out those whose join has failed without memory to take them out: they gate until then. Called before the next join, in each
     * wait, at each look at the leftover, and where a producer finds no room. Does nothing while another thread changes the graph.
     */
    void takeOutRefused();

    /**
     * Refuses a sequence that is the progress of one of them, which gates by itself.
     *
     * @param sequence a sequence to be added to the gating list, or removed from it
     * @throws IllegalArgumentException if it is
     */
    void checkNotOwn(SequenceView sequence);

    /**
     * Refuses a call that waits for them from where it would wait for itself: from a handler, or from a thread that runs them.
     *
     * @param call the call's name, for the message
     * @throws IllegalStateException if so
     */
    void checkMayWait(String call);

    /**
     * Refuses to wait for one that the thread polls or invokes, and that is behind.
     *
     * @param thread the thread that is about to wait
     * @param call the call's name, for the message
     * @throws IllegalStateException if so
     */
    void checkNotAwaitedBy(Thread thread, String call);

    /**
     * The one with the least progress.
     *
     * @return its name; empty if there is none
     */
    String slowest();

    /** The ring is closed: asks all of them to end. The ring wakes them afterwards. */
    void halt();

    /**
     * The ring is closed, and all have been asked to end: waits for their threads.
     *
     * @param limitNanos how long to wait at most, in nanoseconds
     * @return the threads that are still inside a handler
     */
    List<String> awaitEnd(long limitNanos);

    /**
     * The ring has been closed: reports once what was left.
     *
     * @param left what was left
     */
    void closed(Ring.Leftover left);

    /**
     * Calls a reader with each of them, in the order in which they came. Neither locks nor allocates.
     *
     * @param reader called at once
     */
    void forEach(Consumer<? super Follower> reader);
}
