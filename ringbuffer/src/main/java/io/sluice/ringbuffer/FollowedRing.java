package io.sluice.ringbuffer;

import io.sluice.core.LifeCycle;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * A ring as its pipeline and its monitors see it: its gating, its wake-ups, the slots that consumers pass over, and its end.
 * Programs need none of this. The ring sees its consumers through {@link Followers}.
 *
 * @param <E> the events' type
 */
public interface FollowedRing<E> extends RingBuffer<E> {
    /**
     * The ring seen through this interface.
     *
     * @param ring a ring built by RingBufferBuilder, of any kind
     * @param <E> the events' type
     * @return the ring
     * @throws IllegalArgumentException if the ring was not built by {@code RingBufferBuilder}
     */
    static <E> FollowedRing<E> of(RingBuffer<E> ring) {
        WatchedClaims.of(ring); // refuses all others; each ring of this library implements both interfaces
        return (FollowedRing<E>) ring;
    }

    // followers

    /**
     * Makes the ring's consumers known. Once.
     *
     * @param followers the ring's consumers, present and future
     * @throws NullPointerException if {@code followers} is null
     * @throws IllegalStateException if consumers are known already
     */
    void follow(Followers followers);

    /**
     * The ring's consumers.
     *
     * @return an object that knows none before {@link #follow}
     */
    Followers followers();

    /**
     * Runs a change in one step with the check that nothing has been claimed: a consumer that came later would miss events, and a
     * producer's limit might not know of it.
     *
     * @param what what is added, for the message
     * @param change what to do if nothing has been claimed
     * @throws IllegalStateException if something has been claimed; then nothing is changed
     */
    void beforeFirstClaim(String what, Runnable change);

    // the events

    /**
     * The events. The event of a sequence is at its lowest bits: at {@code sequence & (length - 1)}. There is one for each slot; but
     * a ring of bytes may have one that stands for all of them, so the length is not the capacity.
     *
     * @return the ring's own array, to be read only; its length is a power of two
     */
    Object[] slots();

    /**
     * The messages of a ring of messages.
     *
     * @return the one event of all sequences; null on a ring of another kind
     */
    @Nullable
    Messages messages();

    /**
     * How many published events handlers get from a sequence on: neither aborted claims nor the padding of messages. Reads the stamp of
     * each slot.
     *
     * @param sequence where a follower goes on, which gates the ring there
     * @return the number of events; 0 if all are aborted, or none is published
     */
    long unhandledFrom(long sequence);

    /**
     * A barrier that follows the publications, for a worker. It may be asked for a sequence that a colleague has taken and finished.
     *
     * @return a barrier for one worker
     */
    SequenceBarrier workersBarrier();

    /**
     * How far claims may be ahead of the slowest gating sequence: the capacity less what is retained.
     *
     * @return 1 to the capacity
     */
    int window();

    /**
     * The sequences that producers must not overtake.
     *
     * @return the ring's own
     */
    GatingSequences gating();

    /**
     * The marks of the slots that hold aborted claims.
     *
     * @return the ring's own marks
     */
    SlotMarks aborted();

    /**
     * The request of publishers to drop events.
     *
     * @return the request, null where they never ask
     */
    @Nullable
    DropOldestRequest<E> dropOldest();

    /**
     * For a consumer that follows the publications: looks for claims that nobody publishes.
     *
     * @return a detector for one consumer, null where the ring was built without {@link RingBufferBuilder#onAbandonedClaim}
     */
    @Nullable
    StalledClaimDetector newStalledClaimDetector();

    /**
     * Whether several producers may contend for the next claim.
     *
     * @return a recent value
     */
    boolean producersContend();

    // waiting and waking

    /**
     * The idle strategies of consumers' threads.
     *
     * @return the supplier that the ring was built with
     */
    Supplier<? extends IdleStrategy> consumersIdle();

    /**
     * The group that a publication signals.
     *
     * @return the group, null where consumers never block
     */
    @Nullable
    SignalGroup publicationSignals();

    /**
     * Has {@link #wakeAll} wake an idle strategy.
     *
     * @param idle the idle strategy
     */
    void wakeWithAll(SignalledIdle idle);

    /**
     * Has {@link #wakeAll} wake an idle strategy no more.
     *
     * @param idle the idle strategy
     */
    void stopWaking(SignalledIdle idle);

    /** Wakes all consumers: something has changed that they have to look at. */
    void wakeAll();

    /** Sends the signals that were cut off, as by a stack overflow. Called at each step of a wait for a consumer. */
    void settleWakeUps();

    // the end

    /**
     * The ring's life-cycle word.
     *
     * @return the ring's own
     */
    LifeCycle life();

    /**
     * Ends the ring by a consumer's failure. The first cause is kept. Allocates nothing, if the failure path was warmed up before.
     *
     * @param cause what the consumer's handler threw
     */
    void fail(Throwable cause);

    /**
     * Makes the exception for a caller that waited for a ring that has failed.
     *
     * @return a new exception with the ring's cause
     */
    RingException failed();

    // for monitors

    /**
     * Calls a reader with the counters of each producer that ever met a full ring. Neither locks nor allocates.
     *
     * @param reader called at once
     */
    void forEachProducer(Consumer<? super ProducerCounters> reader);
}
