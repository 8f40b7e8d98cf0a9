package io.sluice.backpressure.flow;

import io.sluice.core.Sequence;
import io.sluice.core.State;
import io.sluice.core.access.VarHandles;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.ByteSlots;
import io.sluice.ringbuffer.FollowedRing;
import io.sluice.ringbuffer.Ring;
import io.sluice.ringbuffer.pipeline.EventPoller;
import io.sluice.ringbuffer.pipeline.PollHandler;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.Flow;
import java.util.function.Function;
import org.agrona.concurrent.Agent;
import org.jspecify.annotations.Nullable;

/**
 * Gives the events of a ring to a {@link Flow.Subscriber}. The subscriber gets what it has requested. The other events wait in the
 * ring, where they are back pressure for the producers and fill for a monitor.
 *
 * <p>A publisher has one subscriber in its life; a further one gets {@code onError}. Before it subscribes nothing is taken from the
 * ring. After it has cancelled, events are taken and dropped, so that no producer waits for it. For
 * several subscribers declare a poller for each.
 *
 * <p>The stream completes when the ring has been drained. It ends with an error when the ring has failed (with its cause), when the
 * ring was closed with events unhandled, when the poller was removed, when the function that copies an event throws, or
 * when the subscriber requests less than 1.
 *
 * <p>It is an Agrona agent: {@link #doWork()} is called by one thread, the poller's, which also runs every {@code onNext}, {@code
 * onComplete} and {@code onError}. {@link #subscribe} is called by any thread, and calls {@code onSubscribe} there. The
 * subscription may be used by any thread and never blocks. Per event, only what the function makes is allocated.
 *
 * @param <E> the ring's event
 * @param <T> what the subscriber gets
 */
public final class RingFlowPublisher<E, T> implements Flow.Publisher<T>, Agent {
    /*
     *   link                 null until somebody subscribes: CAS
     *   link.ready           set when onSubscribe has returned: from then on only the agent calls the subscriber
     *   link.requested       all that was asked for so far, held at the greatest long: any thread, by CAS
     *   link.cancelled       set once, by any thread
     *   link.refused         set once: asked for less than 1
     *   link.subscriber, delivered, ended, subscriberFailure      the agent's alone, once ready was seen
     */
    /** Events delivered in a duty cycle, at most: {@value}. */
    private static final int LIMIT = 256;

    private static final VarHandle LINK =
            VarHandles.field(MethodHandles.lookup(), RingFlowPublisher.class, "link", Link.class);
    private static final VarHandle READY = VarHandles.field(MethodHandles.lookup(), Link.class, "ready", boolean.class);
    private static final VarHandle CANCELLED =
            VarHandles.field(MethodHandles.lookup(), Link.class, "cancelled", boolean.class);
    private static final VarHandle REFUSED =
            VarHandles.field(MethodHandles.lookup(), Link.class, "refused", boolean.class);

    private final Ring ring;
    private final EventPoller<E> poller;
    private final Copier<? super E, ? extends T> copy;
    private final PollHandler<E, RuntimeException> deliver = this::deliver;
    private final PollHandler<E, RuntimeException> drop = (event, sequence, endOfBatch) -> {};

    // the agent's
    private long delivered;
    private boolean ended;
    private @Nullable Throwable copyFailure;
    private @Nullable Throwable subscriberFailure;

    @SuppressWarnings("unused") // by LINK
    private @Nullable Link<T> link;

    private static final class Link<T> implements Flow.Subscription {
        private final Sequence requested = new Sequence(0);

        private Flow.@Nullable Subscriber<? super T> subscriber;

        @SuppressWarnings("unused") // by READY
        private boolean ready;

        @SuppressWarnings("unused") // by CANCELLED
        private boolean cancelled;

        @SuppressWarnings("unused") // by REFUSED
        private boolean refused;

        Link(Flow.Subscriber<? super T> subscriber) {
            this.subscriber = subscriber;
        }

        @Override
        public void request(long n) {
            if (n < 1) {
                REFUSED.setOpaque(this, true); // opaque: the agent acts on it soon, it carries nothing
                return;
            }
            long before;
            do {
                before = requested.getAcquire(); // acquire: the newest sum, for the CAS
            } while (!requested.compareAndSet(before, n > Long.MAX_VALUE - before ? Long.MAX_VALUE : before + n));
        }

        @Override
        public void cancel() {
            CANCELLED.setOpaque(this, true); // opaque: the agent acts on it soon, it carries nothing
        }

        boolean isCancelled() {
            return (boolean) CANCELLED.getOpaque(this); // opaque: as above
        }

        boolean hasAskedForTooLittle() {
            return (boolean) REFUSED.getOpaque(this); // opaque: as above
        }

        boolean readyAcquire() {
            return (boolean) READY.getAcquire(this); // acquire: what onSubscribe did, before any other signal
        }
    }

    private static final class NoSubscription implements Flow.Subscription {
        @Override
        public void request(long n) {}

        @Override
        public void cancel() {}
    }

    /**
     * Makes the item that the subscriber gets. Called by: the agent's thread.
     *
     * @param <E> the ring's event
     * @param <T> what the subscriber gets
     */
    @FunctionalInterface
    public interface Copier<E, T> {
        /**
         * Copies an event.
         *
         * @param event the event, which the ring reuses
         * @param sequence its sequence: on a ring of bytes or of messages it says where the bytes are
         * @return the item, never null
         */
        T copy(E event, long sequence);
    }

    /**
     * Creates a publisher on a ring of objects.
     *
     * @param ring the poller's ring
     * @param poller what to hand over; nobody else polls it
     * @param copy makes the item that the subscriber gets, never null; the ring reuses the event itself
     * @throws IllegalArgumentException if the poller is that of another ring, and has not ended; or if it is a ring of bytes or of
     *     messages, where only the sequence tells events apart
     */
    public RingFlowPublisher(Ring ring, EventPoller<E> poller, Function<? super E, ? extends T> copy) {
        this(ring, poller, withoutSequence(ring, copy));
    }

    /**
     * Creates a publisher on a ring of any kind.
     *
     * @param ring the poller's ring
     * @param poller what to hand over; nobody else polls it
     * @param copy makes the item that the subscriber gets, from the event and its sequence
     * @throws IllegalArgumentException if the poller is that of another ring, and has not ended
     */
    public RingFlowPublisher(Ring ring, EventPoller<E> poller, Copier<? super E, ? extends T> copy) {
        this.ring = Check.notNull(ring, "ring");
        this.poller = Check.notNull(poller, "poller");
        this.copy = Check.notNull(copy, "copy");
        if (ring instanceof FollowedRing<?> followed
                && !followed.gating().contains(poller.consumer().sequence())) {
            State state = poller.consumer().state(); // behind the look at who gates: it may leave in between
            if (state != State.CLOSED && state != State.FAILED) { // one that has left ends the stream later
                throw new IllegalArgumentException("poller must be one of ring " + ring.name() + ", but "
                        + poller.consumer().name() + " is of another ring");
            }
        }
    }

    private static <E, T> Copier<E, T> withoutSequence(Ring ring, Function<? super E, ? extends T> copy) {
        Check.notNull(copy, "copy");
        if (ring instanceof FollowedRing<?> followed
                && (followed.messages() != null || followed.slots()[0] instanceof ByteSlots)) {
            throw new IllegalArgumentException("copy must take the sequence too on a ring of bytes or of messages, but"
                    + " ring " + ring.name() + " is one and copy takes the event alone");
        }
        return (event, sequence) -> copy.apply(event);
    }

    @Override
    public void subscribe(Flow.Subscriber<? super T> subscriber) {
        Check.notNull(subscriber, "subscriber");
        Link<T> mine = new Link<>(subscriber);
        if (!LINK.compareAndSet(this, null, mine)) { // one subscriber: the first
            subscriber.onSubscribe(new NoSubscription());
            subscriber.onError(new IllegalStateException(
                    "subscribe() must be called once, but this publisher has had its subscriber"));
            return;
        }
        boolean taken = false;
        try {
            subscriber.onSubscribe(mine);
            taken = true;
        } finally {
            if (!taken) {
                mine.cancel(); // it threw, to the caller; it is not called again
            }
            READY.setRelease(mine, true); // release: what onSubscribe did, to the agent's acquire
        }
    }

    /**
     * Delivers events, as many as are there and requested.
     *
     * @return sequences that the poller passed, as {@link EventPoller#poll} counts them: also those that were aborted, and several
     *     for a message; and 1 for the end of the stream
     * @throws IllegalStateException if the subscriber's method threw, which it must not; with the cause. It is not called again
     */
    @Override
    @SuppressWarnings("unchecked") // only subscribe writes it
    public int doWork() {
        Link<T> mine = (Link<T>) LINK.getAcquire(this); // acquire: the link's fields, from subscribe
        if (mine == null || !mine.readyAcquire()) {
            return 0;
        }
        Flow.Subscriber<? super T> subscriber = mine.subscriber;
        if (subscriber == null || mine.isCancelled()) {
            mine.subscriber = null; // cancelled, or ended: let go of it
            return poller.poll(drop, LIMIT);
        }
        if (mine.hasAskedForTooLittle()) {
            return end(
                    mine,
                    new IllegalArgumentException("n of request(n) must be 1 or more (rule 3.9), but was 0 or less"));
        }
        long open = mine.requested.getAcquire() - delivered; // acquire: the newest sum
        int work = open > 0 ? poller.poll(deliver, (int) Math.min(open, LIMIT)) : 0;
        Throwable problem = subscriberFailure;
        if (problem != null) {
            subscriberFailure = null;
            mine.cancel();
            throw new IllegalStateException("the subscriber threw from onNext", problem);
        }
        if (copyFailure != null) {
            return work + end(mine, copyFailure);
        }
        return work > 0 || mine.isCancelled() ? work : endIfDrained(mine);
    }

    @Override
    public String roleName() {
        return "ring-flow-publisher";
    }

    /**
     * Whether the stream has ended by completion or error. Called by: the agent's thread.
     *
     * @return false also after a cancellation
     */
    public boolean isDone() {
        return ended;
    }

    @SuppressWarnings("unchecked") // only subscribe writes it
    private void deliver(E event, long sequence, boolean endOfBatch) {
        Link<T> mine = Objects.requireNonNull((Link<T>) LINK.getAcquire(this)); // acquire: as in doWork
        Flow.Subscriber<? super T> subscriber = mine.subscriber;
        if (subscriber == null || subscriberFailure != null || copyFailure != null || mine.isCancelled()) {
            return; // the rest of the batch is dropped with the subscription
        }
        T item;
        try {
            item = Check.notNull(copy.copy(event, sequence), "the item that copy returns");
        } catch (Throwable e) { // a checked one too, as from Kotlin
            copyFailure = e;
            return;
        }
        if (mine.requested.getAcquire() != Long.MAX_VALUE) { // acquire: the greatest sum means no bound, for good
            delivered++;
        }
        try {
            subscriber.onNext(item);
        } catch (Throwable e) { // as above
            subscriberFailure = e;
        }
    }

    /** Called when nothing could be delivered: ends the stream if nothing can come any more. */
    private int endIfDrained(Link<T> mine) {
        State state = ring.state();
        if (state == State.FAILED) {
            Throwable cause = ring.failure();
            return end(mine, cause == null ? new IllegalStateException("ring " + ring.name() + " has failed") : cause);
        }
        if (ring instanceof FollowedRing<?> followed
                && !followed.gating().contains(poller.consumer().sequence())) {
            String name = poller.consumer().name();
            return end(
                    mine, new IllegalStateException("poller " + name + " must stay in its pipeline, but was removed"));
        }
        if (state == State.RUNNING) {
            return 0;
        }
        Ring.Leftover left = ring.leftover();
        boolean mayCome = left.openClaims() > 0 || left.openProducers() > 0;
        long unhandled = ring instanceof FollowedRing<?> followed
                ? followed.unhandledFrom(poller.sequence().get() + 1)
                : poller.consumer().lag();
        if (state == State.CLOSED && unhandled > 0) {
            return end(
                    mine,
                    new IllegalStateException(
                            "ring " + ring.name() + " was closed with " + unhandled + " events unhandled"));
        }
        return unhandled > 0 || (mayCome && state != State.CLOSED) ? 0 : end(mine, null);
    }

    private int end(Link<T> mine, @Nullable Throwable cause) {
        Flow.Subscriber<? super T> subscriber = Objects.requireNonNull(mine.subscriber);
        ended = true;
        mine.subscriber = null;
        try {
            if (cause == null) {
                subscriber.onComplete();
            } else {
                subscriber.onError(cause);
            }
        } catch (Throwable e) { // as above
            throw new IllegalStateException("the subscriber threw from its last signal", e);
        }
        return 1;
    }
}
