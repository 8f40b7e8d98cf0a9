package io.sluice.ringbuffer;

import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;
import io.sluice.core.State;
import io.sluice.core.check.Check;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The common part of every ring: its bounds, its life cycle, and the sequences that gate it. */
public interface Ring extends AutoCloseable {
    /** How long {@link #close()} waits for the consumers' threads. */
    Duration CLOSE_LIMIT = Duration.ofSeconds(10);

    /**
     * Its name, as monitors, counters, meters and JFR events tell it. Any thread.
     *
     * @return the name that it was built with, or one of its own
     */
    String name();

    /**
     * How many slots there are; on a ring of messages, how many sequences of 8 bytes. Any thread.
     *
     * @return a power of two
     */
    long capacity();

    /**
     * The highest sequence up to which everything is published (or aborted). Any thread. With a single producer one acquire
     * read; with many, and on a ring of bytes, it looks at the slots that are not handled yet, so it is for monitors.
     *
     * @return a view of the cursor
     */
    SequenceView cursor();

    /**
     * Where the ring stands in its life. Any thread.
     *
     * @return the state
     */
    State state();

    /**
     * The cause of the ring's failure. Any thread.
     *
     * @return what a handler threw; null unless the state is FAILED
     */
    @Nullable
    Throwable failure();

    /**
     * A barrier for a consumer of one's own making. On a ring of messages it is asked for the first sequence of a record only: behind the
     * last one handled, that is {@link Messages#next}.
     *
     * @param upstream the sequences to stay behind; none to follow the publications themselves
     * @return a barrier for one consumer, to be called by its thread only
     */
    SequenceBarrier newBarrier(SequenceView... upstream);

    /**
     * Makes producers stay within the capacity of these sequences. Only before the first claim, so that no producer has a
     * limit that ignores them.
     *
     * @param sequences the progress of consumers of one's own making. On a ring of messages each stands at the end of a record, one below
     *     {@link Messages#next} of the last one handled: from anywhere else nobody finds the next record, so the cursor may stand still and
     *     {@link #leftover} means nothing
     * @throws IllegalStateException if there was a claim already
     * @throws IllegalArgumentException if one is the progress of a consumer of the pipeline, which gates by itself
     */
    void addGating(SequenceView... sequences);

    /**
     * Takes a sequence out again: producers no longer wait for it. Any thread, any time.
     *
     * @param sequence the sequence that was added
     * @return whether it was there
     * @throws IllegalArgumentException if it is the progress of a consumer of the pipeline: {@code ConsumerHandle.remove} lets that
     *     leave
     */
    boolean removeGating(SequenceView sequence);

    /**
     * Refuses further claims and waits until everything claimed before is published and handled by every consumer, started
     * or not. Never stops a consumer. May be called more than once, by any thread but a consumer's.
     *
     * <p>With many producers this is exact. With a single producer it is exact once that producer is quiescent: never
     * used, closed, refused, its thread ended, or its thread the caller. Until then {@link Leftover#openProducers} is 1.
     *
     * @param timeoutNanos how long to wait at most, in nanoseconds; 0 or less not to wait. An interrupt ends the wait and
     *     stays set
     * @return what is left, {@link Leftover#isNone} if nothing is
     * @throws RingFailedException if the ring has failed or fails meanwhile; {@link #leftover} then tells what is left
     * @throws IllegalStateException if called from a handler of this ring or a thread of its pipeline, or if it had to wait
     *     for a consumer that the calling thread polls or invokes: it would wait for itself
     */
    Leftover drain(long timeoutNanos);

    /**
     * As {@link #drain(long)}.
     *
     * @param limit how long to wait at most
     * @return what is left, {@link Leftover#isNone} if nothing is
     * @throws RingFailedException if the ring has failed or fails meanwhile
     * @throws IllegalStateException as there
     */
    default Leftover drain(Duration limit) {
        return drain(Check.nanos(limit, "limit"));
    }

    /**
     * Refuses further claims, releases those who wait for room, and stops the consumers after their present batch. Waits for
     * their threads, 10 seconds at most. Reports once to the error handler of the ring's pipeline how much stays unhandled, and which
     * handlers have not returned; {@link #leftover} tells the counts too. Calling it again only waits.
     *
     * @throws IllegalStateException if called from a handler of this ring or a thread of its pipeline, which would wait for
     *     itself
     */
    @Override
    default void close() {
        close(CLOSE_LIMIT);
    }

    /**
     * As {@link #close()}, with a limit of one's own.
     *
     * @param limit how long to wait for the threads; 0 or less not to wait
     * @return what is left; {@link Leftover#running} names the threads that are still inside a handler, and end when it returns
     * @throws IllegalStateException as {@link #close()}
     */
    Leftover close(Duration limit);

    /**
     * The leftover as it is now. Any thread; walks over the unhandled slots.
     *
     * @return exact once the ring is drained or closed, else a recent picture
     */
    Leftover leftover();

    /**
     * The events and the claims that a ring still holds.
     *
     * @param unhandled published events that the slowest consumer has not finished; 0 if there is no consumer
     * @param openClaims sequences claimed and neither published nor aborted
     * @param openProducers producers that may still publish
     * @param slowest the name of the slowest consumer, where it is behind; empty if none is
     * @param running after {@link #close(Duration)} the threads that are still inside a handler, with their state; else empty
     */
    record Leftover(long unhandled, int openClaims, int openProducers, String slowest, List<String> running) {
        /**
         * Whether nothing is left.
         *
         * @return true if all three counts are 0, and no handler is running still
         */
        public boolean isNone() {
            return unhandled == 0 && openClaims == 0 && openProducers == 0 && running.isEmpty();
        }

        /**
         * The same counts after a close.
         *
         * @param threads which threads are still inside a handler
         * @return the counts with these
         */
        public Leftover whileRunning(List<String> threads) {
            return new Leftover(unhandled, openClaims, openProducers, slowest, List.copyOf(threads));
        }
    }
}
