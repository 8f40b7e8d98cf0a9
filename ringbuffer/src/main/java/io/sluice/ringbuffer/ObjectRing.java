package io.sluice.ringbuffer;

import io.sluice.core.LifeCycle;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;
import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import io.sluice.core.access.VarHandles;
import io.sluice.core.check.Check;
import io.sluice.ringbuffer.jfr.RingEvents;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Array;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;

/** The common part of both kinds of rings: the slots, the gating list, the life cycle, and the counting of the leftover. */
abstract class ObjectRing<E> implements FollowedRing<E>, WatchedClaims {
    private static final long DRAIN_PARK_NANOS = 50_000;
    private static final Followers NOBODY = new NoFollowers();

    /** How many rings of this JVM were built without a name. */
    private static final AtomicLong UNNAMED = new AtomicLong();

    final String name;

    /** How many slots there are. */
    final int capacity;

    /** The events: one for each slot, or one that stands for all and tells the place of each. The array's length is a power of two. */
    final Object[] slots;

    /** The slots, where the events are bytes that hold their own stamps; null elsewhere. */
    final @Nullable ByteSlots bytes;

    /** The messages, where the events are messages, each of one or more sequences; null elsewhere. */
    final @Nullable Messages messages;

    final Supplier<? extends IdleStrategy> producersIdle;
    final Supplier<? extends IdleStrategy> consumersIdle;
    final LifeCycle life = new LifeCycle();
    final GatingSequences gating = new GatingSequences();
    final SlotMarks aborts;
    final AllProducerCounters producerCounters = new AllProducerCounters();

    /** Held while producers are added and removed, and while the gating is set up before the first claim. No user's code under it. */
    final Object setup = new Object();

    // set once, by the pipeline
    private Followers followers = NOBODY;

    /** Held while another thread than the owner aborts claims, and while the owner learns of it. */
    final Object recovery = new Object();

    private final @Nullable AbandonedClaimHandler abandonedHandler;
    private final long abandonedAfterNanos;

    /** The request of publishers to drop events; null where they never ask. */
    final @Nullable DropOldestRequest<E> dropOldest;

    private final EventFactory<E> factory;

    /** The group that a publication signals; null where consumers never block, so that publishing costs a null check. */
    final @Nullable SignalGroup signals;

    /** The threads that the end of the ring, or of a consumer, wakes, and the signal that a publication owes. */
    final WakeUps wakeUps;

    /** How far claims may be ahead of the slowest gating sequence: the capacity less what is retained. */
    final int window;

    ObjectRing(RingSettings<E> settings) {
        Check.inRange(settings.retained, 0, settings.capacity - 1, "retain");
        capacity = settings.capacity;
        window = capacity - settings.retained;
        name = settings.name == null ? "ring-" + UNNAMED.incrementAndGet() : settings.name;
        factory = settings.factory;
        abandonedHandler = settings.abandonedHandler;
        abandonedAfterNanos = settings.abandonedAfterNanos;
        dropOldest = settings.shedHandler == null ? null : new DropOldestRequest<>(settings.shedHandler);
        ByteSlots all = settings.slotLength == 0 ? null : ByteSlots.of(capacity, settings.slotLength);
        bytes = tracksClaims() ? null : all;
        messages = settings.messageBytes == 0 ? null : Messages.ofBytes(settings.messageBytes, settings.messagesOnHeap);
        slots = messages != null ? new Messages[] {messages} : bytes != null ? new ByteSlots[] {bytes} : filled(all);
        producersIdle = settings.producersIdle;
        consumersIdle = settings.consumersIdle;
        aborts = new SlotMarks(messages == null ? capacity : 1); // an aborted message is marked in its header
        IdleStrategy sample = Check.notNull(consumersIdle.get(), "consumersIdle.get()");
        signals = sample instanceof SignalledIdle idle ? new SignalGroup(idle.isExact()) : null;
        wakeUps = new WakeUps(signals);
    }

    // the differences between the kinds

    /** A barrier that follows the publications. */
    abstract SequenceBarrier publicationBarrier();

    /** Producers that may still publish, though the ring has refused them. */
    abstract int openProducers();

    @Override
    public boolean producersContend() {
        return false;
    }

    /** A producer is closed. Under the recovery lock. */
    void producerClosed(Producer<?> producer) {}

    /** Makes the end of RUNNING known to the producers' claims, where the life-cycle word does not do it. */
    abstract void closeClaims();

    /** The events, in an array of their own class: see {@link ProducerSpecializer}. An array of objects where another event may come in. */
    private Object[] filled(@Nullable ByteSlots all) {
        Object[] events = new Object[capacity];
        boolean alike = !tracksClaims();
        for (int i = 0; i < capacity; i++) {
            events[i] = all == null ? newEvent() : all; // bytes side by side, until an abort replaces a slot
            alike &= events[i].getClass() == events[0].getClass();
        }
        if (!alike) {
            return events;
        }
        Object[] typed = (Object[]) Array.newInstance(events[0].getClass(), capacity);
        System.arraycopy(events, 0, typed, 0, capacity);
        return typed;
    }

    final Object newEvent() {
        return Check.notNull(factory.newInstance(), "factory.newInstance()");
    }

    /** Whether publication is decided by a CAS, so that an open claim of a living thread can be aborted. */
    boolean tracksClaims() {
        return false;
    }

    /** The report of an open claim. */
    final AbandonedClaim claim(long lo, long hi, @Nullable ClaimOwner owner, List<Thread> threads, long stoodNanos) {
        return new AbandonedClaim(
                name, tracksClaims(), lo, hi, owner, threads, stoodNanos, () -> stillOpenAt(lo, stoodNanos));
    }

    // the API

    @Override
    public final long capacity() {
        return capacity;
    }

    @Override
    @SuppressWarnings("unchecked") // the slots hold what the event factory made
    public final E get(long sequence) {
        return (E) slots[(int) sequence & (slots.length - 1)];
    }

    @Override
    public final State state() {
        return life.state();
    }

    @Override
    public final @Nullable Throwable failure() {
        return life.cause();
    }

    @Override
    public final SequenceBarrier newBarrier(SequenceView... upstream) {
        Check.notNull((Object) upstream, "upstream");
        for (SequenceView view : upstream) {
            Check.notNull(view, "upstream");
        }
        return upstream.length == 0 ? publicationBarrier() : Barriers.behind(upstream);
    }

    @Override
    public final void addGating(SequenceView... sequences) {
        Check.notNull((Object) sequences, "sequences");
        for (SequenceView sequence : sequences) {
            followers().checkNotOwn(Check.notNull(sequence, "sequence"));
        }
        beforeFirstClaim("gating sequences", () -> gating.add(sequences));
    }

    @Override
    public final boolean removeGating(SequenceView sequence) {
        followers().checkNotOwn(Check.notNull(sequence, "sequence"));
        return gating.remove(sequence);
    }

    // the interface for followers

    @Override
    public final @Nullable Messages messages() {
        return messages;
    }

    @Override
    public SequenceBarrier workersBarrier() {
        return publicationBarrier();
    }

    @Override
    public final void follow(Followers all) {
        Check.notNull(all, "followers");
        if (!FOLLOWERS.compareAndSet(this, NOBODY, all)) { // CAS: of two pipelines one is the ring's
            throw new IllegalStateException("ring " + name + " must have at most one pipeline, but it has one already");
        }
    }

    @Override
    public final Followers followers() {
        return (Followers) FOLLOWERS.getAcquire(this); // acquire: sees the contents
    }

    @Override
    public final void beforeFirstClaim(String what, Runnable change) {
        synchronized (setup) {
            long claimed = highestClaimed();
            if (claimed >= 0) {
                throw new IllegalStateException(what + " must be added before the first claim, but sequences up to "
                        + claimed + " are claimed");
            }
            change.run();
        }
    }

    @Override
    public final Object[] slots() {
        return slots;
    }

    @Override
    public final int window() {
        return window;
    }

    @Override
    public final GatingSequences gating() {
        return gating;
    }

    @Override
    public final SlotMarks aborted() {
        return aborts;
    }

    @Override
    public final @Nullable DropOldestRequest<E> dropOldest() {
        return dropOldest;
    }

    @Override
    public final @Nullable StalledClaimDetector newStalledClaimDetector() {
        return abandonedHandler == null ? null : new StalledClaimDetector(this);
    }

    @Override
    public final @Nullable AbandonedClaimHandler abandonedHandler() {
        return abandonedHandler;
    }

    @Override
    public final long abandonedAfterNanos() {
        return abandonedAfterNanos;
    }

    @Override
    public final Supplier<? extends IdleStrategy> consumersIdle() {
        return consumersIdle;
    }

    @Override
    public final @Nullable SignalGroup publicationSignals() {
        return signals;
    }

    @Override
    public final LifeCycle life() {
        return life;
    }

    @Override
    public final RingException failed() {
        return refusal(Producer.FAILED, false);
    }

    @Override
    public final void forEachProducer(Consumer<? super ProducerCounters> reader) {
        producerCounters.forEach(reader);
    }

    @Override
    public final String name() {
        return name;
    }

    // life

    @Override
    public final Leftover drain(long timeoutNanos) {
        followers().checkMayWait("drain");
        life.drain();
        closeClaims(); // also where another has ended the ring: that call may stand just before its own closeClaims()
        wakeAll(); // also where an earlier call was cut off before it
        long started = System.nanoTime();
        for (; ; ) {
            State state = life.state();
            Throwable cause = life.cause();
            if (cause != null) {
                throw new RingFailedException(
                        "ring " + name + " has failed: " + cause + "; what is left: " + leftover(), cause);
            }
            Leftover left = leftover();
            if (left.isNone()
                    || state == State.CLOSED
                    || Thread.currentThread().isInterrupted()
                    || System.nanoTime() - started >= timeoutNanos) {
                return left;
            }
            if (left.unhandled() > 0 || left.openClaims() > 0) {
                followers().checkNotAwaitedBy(Thread.currentThread(), "drain");
            }
            LockSupport.parkNanos(this, DRAIN_PARK_NANOS);
        }
    }

    @Override
    public final Leftover close(Duration limit) {
        long limitNanos = Math.max(0, Check.nanos(limit, "limit")); // what is left of a negative one would overflow
        Followers all = followers();
        all.checkMayWait("close");
        life.close();
        closeClaims();
        all.halt();
        wakeAll();
        List<String> running = all.awaitEnd(limitNanos); // first: what they finish meanwhile is not left
        Leftover left = leftover().whileRunning(running);
        all.closed(left);
        return left;
    }

    @Override
    public final void fail(Throwable cause) {
        life.fail(cause);
        closeClaims(); // also where an earlier call was cut off before it
        wakeAll();
    }

    @Override
    public final void wakeAll() {
        wakeUps.wakeAll();
    }

    @Override
    public final void settleWakeUps() {
        wakeUps.settle();
    }

    /** A producer has found no room. Perhaps the obstacle came after the consumers had parked, and woke nobody: makes them look. */
    final void noRoom() {
        followers().takeOutRefused();
        if (abandonedHandler != null) {
            wakeAll();
        } else if (signals != null) {
            signals.signal();
        }
    }

    @Override
    public final void wakeWithAll(SignalledIdle idle) {
        wakeUps.add(idle);
    }

    @Override
    public final void stopWaking(SignalledIdle idle) {
        wakeUps.remove(idle);
    }

    // JFR events

    /** A producer has waited for room. */
    final void recordStall(long waitedNanos) {
        if (RingEvents.recordsStalls()) {
            RingEvents.stall(name, followers().slowest(), waitedNanos);
        }
    }

    final void recordDrop(long events) {
        if (RingEvents.recordsDrops()) {
            RingEvents.dropped(name, followers().slowest(), events);
        }
    }

    // refusals

    /** Why claims are refused, as a result constant. */
    final long refusalCode() {
        return life.state() == State.FAILED ? Producer.FAILED : Producer.CLOSED;
    }

    final void checkRunning() {
        if (state() != State.RUNNING) {
            throw refusal(refusalCode(), false);
        }
    }

    /** Why a claim was refused, as an exception. */
    final RingException refusal(long result, boolean producerClosed) {
        if (result == Producer.INTERRUPTED) {
            return new ClaimInterruptedException("interrupted while waiting for room");
        }
        Throwable cause = life.cause();
        if (result == Producer.FAILED && cause != null) {
            return new RingFailedException("ring " + name + " has failed: " + cause, cause);
        }
        State state = life.state();
        return new RingClosedException(
                producerClosed && state == State.RUNNING
                        ? "a producer must be open to claim, but this producer is closed: take a new one from the ring"
                        : "ring " + name + " must be RUNNING for a claim, but is " + state);
    }

    // the leftover

    @Override
    public final Leftover leftover() {
        // Producers first: once none is open, the highest claim is final.
        // Consumers before claims: their lag is never understated.
        followers().takeOutRefused();
        wakeUps.settle();
        int openProducers = openProducers();
        long handled = gating.minimum(Long.MAX_VALUE); // by one look at the list: the last consumer may leave
        String slowest = followers().slowest();
        long claimed = highestClaimed();
        long unhandled = 0;
        int openClaims = handled == Long.MAX_VALUE ? openClaimsWithoutConsumers(claimed) : 0;
        long sequence = Math.min(handled, claimed);
        if (claimed - sequence > capacity) { // consumers have gone on meanwhile
            sequence = messages == null ? claimed - capacity : gating.minimum(claimed);
        }
        sequence++;
        while (sequence <= claimed) {
            boolean published = isPublished(sequence);
            openClaims += published ? 0 : 1;
            unhandled += published && isDue(sequence) ? 1 : 0;
            sequence = published ? behind(sequence) : sequence + 1;
        }
        if (handled != Long.MAX_VALUE && gating.size() == 0) {
            return leftover(); // the last consumer has left meanwhile, and the walk may have gone past open claims
        }
        return new Leftover(
                unhandled, openClaims, openProducers, unhandled + openClaims == 0 ? "" : slowest, List.of());
    }

    @Override
    public final long unhandledFrom(long sequence) {
        long unhandled = 0;
        for (long claimed = highestClaimed(), next = sequence; next <= claimed; ) {
            boolean published = isPublished(next); // acquire inside: the slot and its abort mark
            unhandled += published && isDue(next) ? 1 : 0;
            next = published ? behind(next) : next + 1;
        }
        return unhandled;
    }

    /** Whether handlers get the event that begins with a published sequence. */
    private boolean isDue(long sequence) {
        return messages == null ? !aborts.isSkipped(sequence) : messages.type(sequence) != 0;
    }

    /** For a caller that is no consumer: the sequence behind a published one, or behind all consumers if they have passed it meanwhile. */
    final long behind(long sequence) {
        if (messages == null) {
            return sequence + 1;
        }
        long following = Math.max(sequence + 1, messages.next(sequence)); // forward, also from a gate within a record
        VarHandle.acquireFence(); // acquire: the header, before the look whether it was still there
        long handled = gating.minimum(highestClaimed()); // acquire inside; not the sequence, behind which they may be
        return handled < sequence ? following : handled + 1;
    }

    /** How many claims are open on a ring that nobody follows. */
    int openClaimsWithoutConsumers(long claimed) {
        int open = 0;
        for (long sequence = Math.max(claimed - capacity, -1) + 1; sequence <= claimed; sequence++) {
            open += isPublished(sequence) ? 0 : 1;
        }
        return open;
    }

    private static final VarHandle FOLLOWERS =
            VarHandles.field(MethodHandles.lookup(), ObjectRing.class, "followers", Followers.class);
}
