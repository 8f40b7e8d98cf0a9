package io.sluice.ringbuffer;

import io.sluice.core.check.Check;
import java.util.function.Supplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * A ring of pre-allocated events. A producer claims slots, fills them and publishes them; consumers follow.
 *
 * <p>A ring without consumers is never full: producers overwrite the oldest events. Consumers are declared by a {@code Pipeline}, or by {@link Ring#addGating}, before the first claim.
 *
 * @param <E> the events' type
 */
public interface RingBuffer<E> extends Ring {
    /**
     * Begins to build a ring.
     *
     * @param factory makes the events, one a slot
     * @param <E> the events' type
     * @return a builder for a ring of 1,024 slots with many producers
     */
    static <E> Builder<E> builder(EventFactory<E> factory) {
        return new Builder<>(factory);
    }

    /**
     * Begins to build a ring whose slots are bytes, side by side in one buffer. What it hands over as the event is one {@link
     * ByteSlots}, which tells the place of each sequence's slot.
     *
     * @param slotLength how many bytes a slot holds, from 8 to 65,536; up to 56 they share a cache line with what publishes them
     * @return a builder for a ring of 1,024 slots with many producers
     * @throws IllegalArgumentException if the length is out of its range
     */
    static Builder<ByteSlots> bytes(int slotLength) {
        Check.inRange(slotLength, ByteSlots.SHORTEST, ByteSlots.LONGEST, "slotLength");
        Builder<ByteSlots> builder = new Builder<>(() -> ByteSlots.one(slotLength));
        builder.slotLength = slotLength;
        return builder;
    }

    /**
     * Begins to build a ring of messages, each with a length and a type of its own. What it hands over as the event is one {@link
     * Messages}; a sequence stands for 8 bytes, and a message takes as many as it needs. Publish by {@link MessageProducer#of}; a
     * longest message has an eighth of the bytes. The ring's capacity is counted in sequences.
     *
     * <p>Such a ring neither retains nor sheds: {@link Builder#build} refuses it. With {@link Builder#trackClaims} a claim is filled in
     * memory of its producer, and copied when it is committed.
     *
     * @param bytes how many bytes all messages have together, a power of two from 64 to 1,073,741,824
     * @return a builder for a ring with many producers
     * @throws IllegalArgumentException if that is out of its range
     */
    static Builder<Messages> messages(int bytes) {
        Check.powerOfTwo(bytes, Messages.SMALLEST, Messages.LARGEST, "bytes");
        Builder<Messages> builder = new Builder<>(() -> Messages.ofBytes(Messages.SMALLEST, true));
        builder.messageBytes = bytes;
        builder.capacity = bytes / Messages.ALIGNMENT;
        return builder;
    }

    /**
     * The event in a slot. Not checked: the caller owns the sequence by a claim, or has seen it available.
     *
     * @param sequence the slot's sequence, 0 or more
     * @return the event
     */
    E get(long sequence);

    /**
     * A producer for one publishing thread. A ring with a single producer hands out one at a time: close it to get another.
     * Locks; call it once and keep the producer.
     *
     * @return a producer
     * @throws IllegalStateException if the ring has a single producer and that is in use
     * @throws IllegalArgumentException if the producers' idle strategy is one that has to be signalled
     * @throws RingClosedException if the ring is draining or closed
     * @throws RingFailedException if the ring has failed
     */
    Producer<E> producer();

    /**
     * Builds a ring. Not thread-safe.
     *
     * @param <E> the events' type
     */
    final class Builder<E> {
        /** The largest capacity: {@value}. */
        public static final int MAX_CAPACITY = 1 << 30;

        final EventFactory<E> factory;

        @Nullable
        String name;

        /** How many bytes a slot has; 0 where the factory makes an object for each. */
        int slotLength;

        /** How many bytes all messages have; 0 on a ring of another kind. */
        int messageBytes;

        /** Whether they are on the heap: for tests that make rings by the million. */
        boolean messagesOnHeap;

        int capacity = 1024;
        boolean single;
        int retained;
        boolean tracked;

        @Nullable
        ShedHandler<? super E> shedHandler;

        long abandonedAfterNanos;

        @Nullable
        AbandonedClaimHandler abandonedHandler;

        Supplier<? extends IdleStrategy> producersIdle = () -> new BackoffIdleStrategy(100, 10, 1_000, 50_000);
        Supplier<? extends IdleStrategy> consumersIdle = BackoffIdleStrategy::new;

        Builder(EventFactory<E> factory) {
            this.factory = Check.notNull(factory, "factory");
        }

        /**
         * Names the ring, in monitors, counters, meters and JFR events. Give each ring of a program a name of its
         * own: a name is all that tells rings apart there. A counters file and the meters of one registry refuse a second ring
         * of the same name.
         *
         * @param newName its name; by default each ring built gets one of its own, {@code ring-1}, {@code ring-2}, and so on
         * @return this
         */
        public Builder<E> name(String newName) {
            this.name = Check.notNull(newName, "name");
            return this;
        }

        /**
         * Sets the number of slots.
         *
         * @param slots a power of two from 1 to {@link #MAX_CAPACITY}
         * @return this
         * @throws IllegalArgumentException if it is not
         * @throws IllegalStateException if it is a ring of messages, whose bytes {@link RingBuffer#messages} takes
         */
        public Builder<E> capacity(int slots) {
            if (messageBytes > 0) {
                throw new IllegalStateException(
                        "capacity must be given to a ring of messages in bytes, by messages(bytes), but was "
                                + "given as " + slots + " slots");
            }
            Check.powerOfTwo(slots, 1, MAX_CAPACITY, "capacity");
            this.capacity = slots;
            return this;
        }

        /**
         * One producer at a time: the cheapest claims.
         *
         * @return this
         */
        public Builder<E> singleProducer() {
            this.single = true;
            return this;
        }

        /**
         * Any number of producers at once: the default.
         *
         * @return this
         */
        public Builder<E> multiProducer() {
            this.single = false;
            return this;
        }

        /**
         * Keeps the last events that every consumer has finished, for those who join later. Producers have that much less
         * room; nothing else costs.
         *
         * @param events 0, the default, to the capacity less 1
         * @return this
         * @throws IllegalArgumentException if it is negative; by {@link #build} if it is not below the capacity
         */
        public Builder<E> retain(int events) {
            Check.inRange(events, 0, MAX_CAPACITY - 1, "events");
            this.retained = events;
            return this;
        }

        /**
         * Decides each publication by a compare-and-set, so that a claim that its owner keeps open can be aborted in its
         * stead while its thread lives: see {@link AbandonedClaim#abort}. Exactly one of publication and abort wins. The late
         * owner gets a {@link ClaimAbortedException}, and what it still writes goes to an event that is in no slot any more,
         * as long as it takes events from its {@link Producer#get}, not from the ring's. The event factory is called by the
         * thread that aborts.
         *
         * <p>Costs each publication a compare-and-set (with many producers: one a slot, and 12 bytes a slot). Rings without it
         * pay nothing.
         *
         * @return this
         */
        public Builder<E> trackClaims() {
            this.tracked = true;
            return this;
        }

        /**
         * Lets publishers make room by dropping the oldest events. {@link DroppingProducer#dropOldest} asks for it. Before its next
         * event each consumer drops what it has not begun, up to where room is needed. A handler of ranges drops before its next batch,
         * and a paused consumer once it is resumed. An event that a handler is working on is not dropped.
         *
         * <p>What a consumer drops is counted ({@code RingMonitor.ConsumerSample.shed}), recorded as {@code io.sluice.Drop}, and told to
         * the handler. The consumers behind it drop it too. A batch that is cut in this way ends with {@code EventHandler.onBatchEnd},
         * without an event that had {@code endOfBatch}. A worker drops an event that it has taken. A consumer of a stage divided by key
         * drops its own events, and asks for the key of each. Events that a consumer upstream has finished are not dropped.
         *
         * <p>Costs the consumers an opaque read an event; pollers handle each event as a batch of its own. Rings without it pay
         * nothing.
         *
         * @param handler told of each event that a consumer drops, on that consumer's thread
         * @return this
         */
        public Builder<E> shedding(ShedHandler<? super E> handler) {
            this.shedHandler = Check.notNull(handler, "handler");
            return this;
        }

        /**
         * Has consumers report claims that are neither published nor aborted. A consumer that follows the publications calls the
         * handler once such a claim has blocked it for the time given, once for each claim. A claim reads no clock.
         * Pollers do not look: see {@link StalledClaimDetector}.
         *
         * @param afterNanos how long a claim blocks a consumer before the consumer reports it, 1 or more nanoseconds
         * @param handler told on the consumer's thread; may abort the claim. What it throws fails the ring
         * @return this
         * @throws IllegalArgumentException if the time is below 1
         */
        public Builder<E> onAbandonedClaim(long afterNanos, AbandonedClaimHandler handler) {
            Check.inRange(afterNanos, 1, Long.MAX_VALUE, "afterNanos");
            this.abandonedAfterNanos = afterNanos;
            this.abandonedHandler = Check.notNull(handler, "handler");
            return this;
        }

        /**
         * How a producer waits for room: each gets an idle strategy of its own. The default spins, yields, then parks for up
         * to 50 µs. It is never signalled, so a strategy that parks longer notices room later.
         *
         * @param supplier makes idle strategies, never null and never the same twice
         * @return this
         */
        public Builder<E> producersIdle(Supplier<? extends IdleStrategy> supplier) {
            this.producersIdle = Check.notNull(supplier, "supplier");
            return this;
        }

        /**
         * How consumers' threads wait for events: each thread gets an idle strategy of its own. The default is Agrona's
         * back-off, up to 1 ms. With a {@link io.sluice.core.SignalledIdle} the ring wakes them: an exact one costs each
         * publication a full fence, a timed one a read.
         *
         * <p>Behind a batch of four events or more a consumer's thread may wait before it looks again, for as many units of 25 ns as
         * the batch has events, 3.2 microseconds at most; a thread that spins does so only while it finds that this moves more events.
         * No event that comes alone waits; {@code Pipeline.pollBackOff(false)} turns the wait off.
         *
         * @param supplier makes idle strategies, never null and never the same twice
         * @return this
         */
        public Builder<E> consumersIdle(Supplier<? extends IdleStrategy> supplier) {
            this.consumersIdle = Check.notNull(supplier, "supplier");
            return this;
        }

        /**
         * Builds the ring and fills it with events.
         *
         * @return a ring in the state RUNNING
         * @throws IllegalArgumentException if as many events are to be retained as there are slots, or more; or if a ring of messages
         *     is to retain or to shed
         * @throws NullPointerException if the factory or a supplier gives null
         */
        public RingBuffer<E> build() {
            return RingListeners.tell(newRing());
        }

        @SuppressWarnings("unchecked") // messages() makes builders for this type only
        private RingBuffer<E> newRing() {
            if (messageBytes > 0) {
                checkSuitsMessages();
                Builder<Messages> own = (Builder<Messages>) this;
                return (RingBuffer<E>) (single ? new MessageSingleRing(own) : new MessageMultiRing(own));
            }
            if (tracked) {
                return single ? new TrackedSingleRing<>(this) : new TrackedMultiRing<>(this);
            }
            if (slotLength > 0 && single) {
                return new StampedSingleRing<>(this);
            }
            return single ? new SingleProducerRing<>(this) : new MultiProducerRing<>(this);
        }

        private void checkSuitsMessages() {
            String wanted = retained > 0 ? "retain" : shedHandler != null ? "shedding" : null;
            if (wanted != null) {
                throw new IllegalArgumentException(wanted
                        + " must be used on a ring whose events have one size, but was used on a ring of messages");
            }
        }
    }
}
