package io.sluice.ringbuffer;

/**
 * Publishes to a ring. Each publishing thread takes a producer of its own, since a producer holds the claim state. A claim hands out
 * slots. Consumers wait for each claim until it is published or aborted. The {@code publishEvent} forms claim and publish, and leave no
 * hole. But an error may cut them off, as a stack overflow does: then close the producer, which aborts its open claims.
 *
 * <p>The first thread that claims with a producer owns it for good. No other thread may claim, publish or abort with it, not even
 * after the owner has ended. The owner may close it, and any thread may once the owner has ended. A thread that is to publish in the
 * owner's place closes it and takes a new one from {@link RingBuffer#producer}.
 *
 * <p>Another thread gets an {@link IllegalStateException} that names both threads, wherever the producer has to look for room, wait,
 * abort, close, or report bad input. While there is room nothing is checked, unless assertions are enabled. So another thread may get
 * through for up to a capacity of claims. These count as the owner's, so that they may be aborted once the owner has ended.
 *
 * <p>Costs. Single producer: a claim is two comparisons and, once in a while, an acquire read of the gating sequences; a
 * publication is one release store. Many producers: a claim is one compare-and-set, a publication one release store a slot.
 * Nothing allocates. The waiting forms wait by the ring's producers' idle strategy. The {@code try} forms never wait
 * for room. Where producers contend, a claim that keeps losing to theirs spins for about a microsecond before it tries again.
 *
 * <p>A translator that is a constant where it is used (a static final field, a lambda) is inlined there, however many classes
 * of translators the JVM has. One read from an instance field costs a virtual call from the third class on.
 *
 * <p>A claim that would have to wait, made by a thread that runs a consumer of the same ring, throws an {@link
 * IllegalStateException}: it would wait for itself. So does a claim that would have to wait for an open claim of the same
 * producer, or for a consumer that has ended while the ring runs on.
 *
 * <p>A single producer publishes in the order of its claims. So with one, each form that claims and publishes throws an {@link
 * IllegalStateException} while an earlier claim is open.
 *
 * @param <E> the events' type
 */
public interface Producer<E> extends AutoCloseable {
    /** There is no room: {@value}. */
    long FULL = -2;

    /** There was no room for the time given: {@value}. */
    long TIMED_OUT = -3;

    /** The ring is draining or closed, or this producer is closed: {@value}. */
    long CLOSED = -4;

    /** A consumer has failed: {@value}. See {@link Ring#failure}. */
    long FAILED = -5;

    /** The thread was interrupted while it waited; its flag is still set: {@value}. */
    long INTERRUPTED = -6;

    /**
     * The name of a result constant, for messages.
     *
     * @param result what a {@code try} or timed form returned
     * @return {@code "FULL"}, {@code "TIMED_OUT"}, {@code "CLOSED"}, {@code "FAILED"}, {@code "INTERRUPTED"}, or the number
     */
    static String resultName(long result) {
        if (result == FULL) {
            return "FULL";
        } else if (result == TIMED_OUT) {
            return "TIMED_OUT";
        } else if (result == CLOSED) {
            return "CLOSED";
        } else if (result == FAILED) {
            return "FAILED";
        } else if (result == INTERRUPTED) {
            return "INTERRUPTED";
        }
        return Long.toString(result);
    }

    /**
     * Claims one slot, waiting for room: {@link #next(int)} of 1.
     *
     * @return the sequence claimed
     * @throws RingClosedException as {@link #next(int)}
     * @throws RingFailedException as {@link #next(int)}
     * @throws ClaimInterruptedException as {@link #next(int)}
     * @throws IllegalStateException as {@link #next(int)}
     */
    long next();

    /**
     * Claims {@code n} slots, waiting for room.
     *
     * @param n how many, from 1 to the capacity less the events that the ring {@linkplain RingBufferBuilder#retain retains}
     * @return the highest sequence claimed; the lowest is {@link #claimedFrom()}, which is {@code n - 1} less
     * @throws IllegalArgumentException if {@code n} is out of its range
     * @throws RingClosedException if the ring is draining or closed, or becomes so while waiting
     * @throws RingFailedException if a consumer has failed, or fails while waiting; with the cause
     * @throws ClaimInterruptedException if the thread is interrupted while waiting; its flag stays set
     * @throws IllegalStateException if it would wait for a consumer that this thread runs, or for an open claim of its own; or if
     *     the producer belongs to another thread, as told above, which every form of claim throws
     */
    long next(int n);

    /**
     * Claims {@code n} slots, waiting for room for a limited time.
     *
     * @param n how many, from 1 to the capacity less the events that the ring {@linkplain RingBufferBuilder#retain retains}
     * @param timeoutNanos how long to wait at most, in nanoseconds; 0 or less not to wait
     * @return the highest sequence claimed, or {@link #TIMED_OUT}, {@link #CLOSED}, {@link #FAILED}, {@link #INTERRUPTED}
     * @throws IllegalArgumentException if {@code n} is out of its range
     * @throws IllegalStateException if it would wait for a consumer that this thread runs, or for an open claim of its own
     */
    long next(int n, long timeoutNanos);

    /**
     * Claims {@code n} slots if there is room for all of them.
     *
     * @param n how many, from 1 to the capacity less the events that the ring {@linkplain RingBufferBuilder#retain retains}
     * @return the highest sequence claimed, or {@link #FULL}, {@link #CLOSED}, {@link #FAILED}
     * @throws IllegalArgumentException if {@code n} is out of its range
     */
    long tryNext(int n);

    /**
     * Claims as many slots as there is room for, {@code n} at most.
     *
     * @param n how many at most, from 1 to the capacity less the events that the ring {@linkplain RingBufferBuilder#retain retains}
     * @return the highest sequence claimed, the lowest being {@link #claimedFrom()}; or {@link #FULL}, {@link #CLOSED},
     *     {@link #FAILED}
     * @throws IllegalArgumentException if {@code n} is out of its range
     */
    long tryNextUpTo(int n);

    /**
     * The lowest sequence of the last successful claim.
     *
     * @return the sequence; 0 if nothing was claimed yet
     */
    long claimedFrom();

    /**
     * The event in a claimed slot. Not checked, except on a ring that tracks claims.
     *
     * @param sequence a sequence that this producer has claimed and not published
     * @return the event, with whatever the slot held before
     * @throws ClaimAbortedException if the claim, or a part of it, was aborted on this producer's behalf: see {@link
     *     RingBufferBuilder#trackClaims}; or on a ring that tracks claims and that nobody gates, if others have claimed the slot again
     * @throws IllegalArgumentException on a ring that tracks claims, if it is published, or given back, already; on one for a single
     *     producer also if it was aborted on this producer's behalf, and later claims were aborted so too
     */
    E get(long sequence);

    /**
     * Publishes one claimed slot: {@link #publish(long, long)} of it alone.
     *
     * @param sequence the slot's sequence
     * @throws IllegalArgumentException as for {@link #publish(long, long)}
     * @throws ClaimAbortedException if the claim, or a part of it, was aborted on this producer's behalf: see {@link
     *     RingBufferBuilder#trackClaims}
     */
    void publish(long sequence);

    /**
     * Publishes claimed slots. A single producer publishes in the order of its claims.
     *
     * <p>Not to be called within a translator of this producer for the slots that it fills, nor is {@link #abort}. Nothing is lost or
     * doubled then. But the form that has called the translator publishes only the open part of its claim, and throws an {@link
     * IllegalStateException} that says so. It may return as usual where a single producer has published, and has claimed nothing more.
     *
     * @param lo the first sequence
     * @param hi the last sequence, inclusive
     * @throws IllegalArgumentException if the range is not claimed by this producer, is published already, or, with a single
     *     producer, is not next in order; then nothing is published
     * @throws ClaimAbortedException if the claim, or a part of it, was aborted on this producer's behalf: see {@link
     *     RingBufferBuilder#trackClaims}
     */
    void publish(long lo, long hi);

    /**
     * Gives claimed slots back: consumers pass over them. Otherwise as {@link #publish(long, long)}. Allocates nothing. On a ring that
     * tracks claims it takes a lock.
     *
     * <p>If an error cuts it off, as a stack overflow does, abort or publish the slots that are still open, or close the producer.
     *
     * @param lo the first sequence
     * @param hi the last sequence, inclusive
     * @throws IllegalArgumentException as for {@link #publish(long, long)}
     */
    void abort(long lo, long hi);

    /**
     * Claims, fills and publishes an event. Waits for room like {@link #next(int)}. If the translator throws, the claim is
     * aborted and the exception reaches the caller.
     *
     * @param translator fills the event
     * @return the sequence published
     * @throws RingException as {@link #next(int)}
     */
    long publishEvent(EventTranslator<? super E> translator);

    /**
     * {@link #publishEvent(EventTranslator)} without waiting.
     *
     * @param translator fills the event; not called if there is no room
     * @return the sequence published, or {@link #FULL}, {@link #CLOSED}, {@link #FAILED}
     */
    long tryPublishEvent(EventTranslator<? super E> translator);

    /**
     * Claims, fills and publishes an event with one argument. Waits for room like {@link #next(int)}. If the
     * translator throws, the claim is aborted and the exception reaches the caller.
     *
     * @param translator fills the event
     * @param a passed to the translator
     * @param <A> the type of an argument
     * @return the sequence published
     * @throws RingException as {@link #next(int)}
     */
    <A> long publishEvent(EventTranslatorOneArg<? super E, ? super A> translator, A a);

    /**
     * {@link #publishEvent(EventTranslatorOneArg, Object)} without waiting.
     *
     * @param translator fills the event; not called if there is no room
     * @param a passed to the translator
     * @param <A> the type of an argument
     * @return the sequence published, or {@link #FULL}, {@link #CLOSED}, {@link #FAILED}
     */
    <A> long tryPublishEvent(EventTranslatorOneArg<? super E, ? super A> translator, A a);

    /**
     * Claims, fills and publishes an event with two arguments. Waits for room like {@link #next(int)}. If the
     * translator throws, the claim is aborted and the exception reaches the caller.
     *
     * @param translator fills the event
     * @param a passed to the translator
     * @param b passed to the translator
     * @param <A> the type of an argument
     * @param <B> the type of an argument
     * @return the sequence published
     * @throws RingException as {@link #next(int)}
     */
    <A, B> long publishEvent(EventTranslatorTwoArg<? super E, ? super A, ? super B> translator, A a, B b);

    /**
     * {@link #publishEvent(EventTranslatorTwoArg, Object, Object)} without waiting.
     *
     * @param translator fills the event; not called if there is no room
     * @param a passed to the translator
     * @param b passed to the translator
     * @param <A> the type of an argument
     * @param <B> the type of an argument
     * @return the sequence published, or {@link #FULL}, {@link #CLOSED}, {@link #FAILED}
     */
    <A, B> long tryPublishEvent(EventTranslatorTwoArg<? super E, ? super A, ? super B> translator, A a, B b);

    /**
     * Claims, fills and publishes an event with three arguments. Waits for room like {@link #next(int)}. If the
     * translator throws, the claim is aborted and the exception reaches the caller.
     *
     * @param translator fills the event
     * @param a passed to the translator
     * @param b passed to the translator
     * @param c passed to the translator
     * @param <A> the type of an argument
     * @param <B> the type of an argument
     * @param <C> the type of an argument
     * @return the sequence published
     * @throws RingException as {@link #next(int)}
     */
    <A, B, C> long publishEvent(
            EventTranslatorThreeArg<? super E, ? super A, ? super B, ? super C> translator, A a, B b, C c);

    /**
     * {@link #publishEvent(EventTranslatorThreeArg, Object, Object, Object)} without waiting.
     *
     * @param translator fills the event; not called if there is no room
     * @param a passed to the translator
     * @param b passed to the translator
     * @param c passed to the translator
     * @param <A> the type of an argument
     * @param <B> the type of an argument
     * @param <C> the type of an argument
     * @return the sequence published, or {@link #FULL}, {@link #CLOSED}, {@link #FAILED}
     */
    <A, B, C> long tryPublishEvent(
            EventTranslatorThreeArg<? super E, ? super A, ? super B, ? super C> translator, A a, B b, C c);

    /**
     * Claims, fills and publishes an event with a {@code long} argument, without boxing. Waits for room like {@link #next(int)}. If the
     * translator throws, the claim is aborted and the exception reaches the caller.
     *
     * @param translator fills the event
     * @param value passed to the translator
     * @return the sequence published
     * @throws RingException as {@link #next(int)}
     */
    long publishEvent(EventTranslatorLong<? super E> translator, long value);

    /**
     * {@link #publishEvent(EventTranslatorLong, long)} without waiting.
     *
     * @param translator fills the event; not called if there is no room
     * @param value passed to the translator
     * @return the sequence published, or {@link #FULL}, {@link #CLOSED}, {@link #FAILED}
     */
    long tryPublishEvent(EventTranslatorLong<? super E> translator, long value);

    /**
     * Claims, fills and publishes an event with two {@code long} arguments, without boxing. Waits for room like {@link #next(int)}. If
     * the translator throws, the claim is aborted and the exception reaches the caller.
     *
     * @param translator fills the event
     * @param first passed to the translator
     * @param second passed to the translator
     * @return the sequence published
     * @throws RingException as {@link #next(int)}
     */
    long publishEvent(EventTranslatorTwoLongs<? super E> translator, long first, long second);

    /**
     * {@link #publishEvent(EventTranslatorTwoLongs, long, long)} without waiting.
     *
     * @param translator fills the event; not called if there is no room
     * @param first passed to the translator
     * @param second passed to the translator
     * @return the sequence published, or {@link #FULL}, {@link #CLOSED}, {@link #FAILED}
     */
    long tryPublishEvent(EventTranslatorTwoLongs<? super E> translator, long first, long second);

    /**
     * Claims, fills and publishes several events in one claim. Waits for room like {@link #next(int)}. If the
     * translator throws, the whole claim is aborted, so none of the events is handled, and the exception reaches the caller.
     *
     * @param translator fills each event, in their order
     * @param n how many events, from 1 to the capacity less the events that the ring {@linkplain RingBufferBuilder#retain retains}
     * @return the highest sequence published
     * @throws IllegalArgumentException if {@code n} is out of its range
     * @throws RingException as {@link #next(int)}
     */
    long publishEvents(EventTranslatorBatch<? super E> translator, int n);

    /**
     * {@link #publishEvents(EventTranslatorBatch, int)} without waiting: all events or none.
     *
     * @param translator fills each event, in their order; not called if there is no room
     * @param n how many events, from 1 to the capacity less the events that the ring {@linkplain RingBufferBuilder#retain retains}
     * @return the highest sequence published, or {@link #FULL}, {@link #CLOSED}, {@link #FAILED}
     * @throws IllegalArgumentException if {@code n} is out of its range
     */
    long tryPublishEvents(EventTranslatorBatch<? super E> translator, int n);

    /**
     * Ends this producer. Its open claims are aborted, so that no consumer waits for them; later claims are refused as {@link
     * #CLOSED}. Only by the producer's thread, or by any once that has ended, or before any has claimed. Calling it again does nothing.
     *
     * <p>Not to be called within a translator of this producer. It aborts what the translator is filling, and the slot may be claimed
     * again before the translator returns. The form that has called the translator publishes nothing then, and throws an {@link
     * IllegalStateException} that says so.
     *
     * @throws IllegalStateException if the producer belongs to another thread, which has not ended
     */
    @Override
    void close();
}
