package io.sluice.ringbuffer;

import io.sluice.core.check.Check;
import java.time.Duration;
import java.util.function.Supplier;
import org.agrona.concurrent.IdleStrategy;

/**
 * Builds rings: of objects, of slots of bytes, or of messages. Not thread-safe. A builder may build several rings; give each a
 * {@link #name} of its own, or none.
 *
 * @param <E> the events' type
 */
public final class RingBufferBuilder<E> {
    /** The largest capacity: {@value}. */
    public static final int MAX_CAPACITY = 1 << 30;

    /** Package-private for tests. */
    final RingSettings<E> settings;

    private RingBufferBuilder(EventFactory<E> factory) {
        settings = new RingSettings<>(factory);
    }

    /**
     * Begins to build a ring.
     *
     * @param factory makes the events, one a slot
     * @param <E> the events' type
     * @return a builder for a ring of 1,024 slots with many producers
     * @throws NullPointerException if {@code factory} is null
     */
    public static <E> RingBufferBuilder<E> of(EventFactory<E> factory) {
        return new RingBufferBuilder<>(factory);
    }

    /**
     * Begins to build a ring whose slots are bytes, side by side in one buffer. All events are one {@link ByteSlots}, which tells
     * the place of each sequence's slot.
     *
     * @param slotLength how many bytes a slot holds, from 8 to 65,536; up to 56 they share a cache line with their stamp
     * @return a builder for a ring of 1,024 slots with many producers
     * @throws IllegalArgumentException if the length is out of its range
     */
    public static RingBufferBuilder<ByteSlots> bytes(int slotLength) {
        Check.inRange(slotLength, ByteSlots.SHORTEST, ByteSlots.LONGEST, "slotLength");
        RingBufferBuilder<ByteSlots> builder = new RingBufferBuilder<>(() -> ByteSlots.one(slotLength));
        builder.settings.slotLength = slotLength;
        return builder;
    }

    /**
     * Begins to build a ring of messages, each with a length and a type of its own. All events are one {@link
     * Messages}; a sequence stands for 8 bytes, and a message takes as many as it needs. Publish by {@link MessageProducer#of}; a
     * longest message has an eighth of the bytes. The ring's capacity is counted in sequences.
     *
     * <p>Such a ring neither retains nor sheds: {@link #build} refuses it. With {@link #trackClaims} a claim is filled in
     * memory of its producer, and copied when it is committed.
     *
     * @param bytes how many bytes all messages have together, a power of two from 64 to 1,073,741,824
     * @return a builder for a ring with many producers
     * @throws IllegalArgumentException if that is out of its range
     */
    public static RingBufferBuilder<Messages> messages(int bytes) {
        Check.powerOfTwo(bytes, Messages.SMALLEST, Messages.LARGEST, "bytes");
        RingBufferBuilder<Messages> builder = new RingBufferBuilder<>(() -> Messages.ofBytes(Messages.SMALLEST, true));
        builder.settings.messageBytes = bytes;
        builder.settings.capacity = bytes / Messages.ALIGNMENT;
        return builder;
    }

    /**
     * Names the ring, in monitors, counters, meters and JFR events. Give each ring of a program a name of its
     * own: a name is all that tells rings apart there. A counters file and the meters of one registry refuse a second ring
     * of the same name.
     *
     * @param newName its name; by default each ring built gets one of its own, {@code ring-1}, {@code ring-2}, and so on
     * @return this
     */
    public RingBufferBuilder<E> name(String newName) {
        settings.name = Check.notNull(newName, "name");
        return this;
    }

    /**
     * Sets the number of slots.
     *
     * @param slots a power of two from 1 to {@link #MAX_CAPACITY}
     * @return this
     * @throws IllegalArgumentException if it is not
     * @throws IllegalStateException if it is a ring of messages, whose bytes {@link #messages} takes
     */
    public RingBufferBuilder<E> capacity(int slots) {
        if (settings.messageBytes > 0) {
            throw new IllegalStateException(
                    "capacity must be given to a ring of messages in bytes, by messages(bytes), but was given as "
                            + slots + " slots");
        }
        Check.powerOfTwo(slots, 1, MAX_CAPACITY, "capacity");
        settings.capacity = slots;
        return this;
    }

    /**
     * One producer at a time: the cheapest claims.
     *
     * @return this
     */
    public RingBufferBuilder<E> singleProducer() {
        settings.single = true;
        return this;
    }

    /**
     * Any number of producers at once: the default.
     *
     * @return this
     */
    public RingBufferBuilder<E> multiProducer() {
        settings.single = false;
        return this;
    }

    /**
     * Keeps the last events that every consumer has finished, for consumers that join later. Producers have that much less
     * room; nothing else costs. On a ring that sheds, see {@link #shedding}.
     *
     * @param events 0, the default, to the capacity less 1
     * @return this
     * @throws IllegalArgumentException if it is negative; by {@link #build} if it is not below the capacity
     */
    public RingBufferBuilder<E> retain(int events) {
        Check.inRange(events, 0, MAX_CAPACITY - 1, "retain");
        settings.retained = events;
        return this;
    }

    /**
     * Lets a claim that stays open be aborted while its owner's thread lives. Each publication becomes a compare-and-set. If a
     * publication and an {@link AbandonedClaim#abort} of the same claim meet, exactly one of them wins. A late owner gets a {@link
     * ClaimAbortedException}. It may still write to its event: if it took the event from {@link Producer#get}, and not from the ring's
     * {@code get}, that event is in no slot any more. The thread that aborts calls the event factory.
     *
     * <p>With many producers this costs a compare-and-set and 16 bytes more for each slot; with one producer a compare-and-set for each
     * publication, and 8 bytes more for each slot. A ring of bytes needs more: its stamps and places lie in arrays beside the slots. Rings
     * without it pay nothing.
     *
     * @return this
     */
    public RingBufferBuilder<E> trackClaims() {
        settings.tracked = true;
        return this;
    }

    /**
     * Lets publishers make room by dropping the oldest events. {@link DroppingProducer#dropOldest} asks for it, on a ring of messages
     * {@link DroppingMessageProducer#dropOldest}. Before its next event each consumer drops what it has not begun, up to where room is
     * needed. A handler of ranges drops before its next batch, and a paused consumer once it is resumed. An event that a handler is
     * working on is not dropped.
     *
     * <p>A consumer that joins behind a past request, at events that the ring retains, handles them, though others may have dropped
     * them. It drops them if it follows others, or if a publisher has asked for room for an event that is not published yet.
     *
     * <p>Dropped events are counted ({@code RingMonitor.ConsumerSample.shed}), recorded as {@code io.sluice.Drop}, and told to the
     * handler. The consumers behind drop them too. A batch that is cut in this way ends with {@code EventHandler.onBatchEnd},
     * without an event that had {@code endOfBatch}. A worker drops an event that it has taken. A consumer of a stage divided by key
     * drops its own events, and asks for the key of each. Events that a consumer upstream has finished are not dropped.
     *
     * <p>Costs the consumers an opaque read an event; pollers handle each event as a batch of its own. Rings without it pay
     * nothing.
     *
     * @param handler told of each event that a consumer drops, on that consumer's thread
     * @return this
     */
    public RingBufferBuilder<E> shedding(ShedHandler<? super E> handler) {
        settings.shedHandler = Check.notNull(handler, "handler");
        return this;
    }

    /**
     * Has consumers report claims that are neither published nor aborted. A consumer that follows the publications calls the
     * handler once such a claim has blocked it for the time given, once for each claim. A claim reads no clock for it.
     * Pollers do not look: see {@link StalledClaimDetector}.
     *
     * @param afterNanos how long a claim blocks a consumer before the consumer reports it, 1 or more nanoseconds
     * @param handler told on the consumer's thread; may abort the claim. An exception of the handler fails the ring
     * @return this
     * @throws IllegalArgumentException if the time is below 1
     */
    public RingBufferBuilder<E> onAbandonedClaim(long afterNanos, AbandonedClaimHandler handler) {
        Check.inRange(afterNanos, 1, Long.MAX_VALUE, "afterNanos");
        settings.abandonedHandler = Check.notNull(handler, "handler");
        settings.abandonedAfterNanos = Math.min(afterNanos, Long.MAX_VALUE / 2); // 146 years: no sum overflows
        return this;
    }

    /**
     * As {@link #onAbandonedClaim(long, AbandonedClaimHandler)}.
     *
     * @param after how long a claim blocks a consumer before the consumer reports it, 1 ns or more
     * @param handler as there
     * @return this
     * @throws IllegalArgumentException as there
     */
    public RingBufferBuilder<E> onAbandonedClaim(Duration after, AbandonedClaimHandler handler) {
        return onAbandonedClaim(Check.nanos(after, "after"), handler);
    }

    /**
     * Sets how producers wait for room: each gets an idle strategy of its own. The default spins, yields, then parks for up
     * to 50 µs. It is never signalled, so a strategy that parks longer notices room later; {@link RingBuffer#producer} refuses a {@link
     * io.sluice.core.SignalledIdle}.
     *
     * <p>A strategy may use the producer that waits with it, by forms that do not wait. If it leaves a claim of its own open, a message
     * that waited is refused, and so is an event that a single producer was to publish: by an {@link IllegalStateException}. One exception:
     * on a ring of messages with many producers its {@code reset} must not publish or claim by that producer. The claim that waited is open
     * by then; {@code reset} gets an {@link IllegalStateException}, and if it throws that on, the claim is aborted.
     *
     * @param supplier makes idle strategies, never null and never the same twice. {@link RingBuffer#producer} calls it, on its caller's
     *     thread and without a lock. On a ring with many producers several threads may be in it at once
     * @return this
     */
    public RingBufferBuilder<E> producersIdle(Supplier<? extends IdleStrategy> supplier) {
        settings.producersIdle = Check.notNull(supplier, "supplier");
        return this;
    }

    /**
     * Sets how consumers' threads wait for events: each gets an idle strategy of its own, and {@link #build} takes one as a sample. The
     * default is Agrona's back-off, up to 1 ms. With a {@link io.sluice.core.SignalledIdle} the ring wakes them: an exact one costs each
     * publication a full fence, a timed one a read.
     *
     * <p>Behind a batch of four events or more a consumer's thread may wait before it looks again, for as many units of 25 ns as
     * the batch has events, 3.2 microseconds at most; a thread that spins does so only while it finds that this moves more events.
     * No event that comes alone waits; {@code Pipeline.pollBackOff(false)} turns the wait off.
     *
     * @param supplier makes idle strategies, never null and never the same twice
     * @return this
     */
    public RingBufferBuilder<E> consumersIdle(Supplier<? extends IdleStrategy> supplier) {
        settings.consumersIdle = Check.notNull(supplier, "supplier");
        return this;
    }

    /**
     * Builds the ring and fills it with events.
     *
     * @return a ring in the state RUNNING
     * @throws IllegalArgumentException if as many events are to be retained as there are slots, or more; or if a ring of messages
     *     is to retain; or if slots of bytes take 2 GiB or more together
     * @throws NullPointerException if the factory, or the supplier of consumers' idle strategies, gives null
     * @throws OutOfMemoryError if there is not so much memory
     */
    public RingBuffer<E> build() {
        return RingListeners.tell(newRing());
    }

    @SuppressWarnings("unchecked") // messages() makes builders for this type only
    private RingBuffer<E> newRing() {
        if (settings.messageBytes > 0) {
            if (settings.retained > 0) {
                throw new IllegalArgumentException("retain must be used on a ring whose events have one size, since"
                        + " nobody may join at a given message, but was used on a ring of messages");
            }
            RingSettings<Messages> own = (RingSettings<Messages>) settings;
            return (RingBuffer<E>) (own.single ? new MessageSingleRing(own) : new MessageMultiRing(own));
        }
        if (settings.tracked) {
            return settings.single ? new TrackedSingleRing<>(settings) : new TrackedMultiRing<>(settings);
        }
        if (settings.slotLength > 0 && settings.single) {
            return new StampedSingleRing<>(settings);
        }
        return settings.single ? new SingleProducerRing<>(settings) : new MultiProducerRing<>(settings);
    }
}
