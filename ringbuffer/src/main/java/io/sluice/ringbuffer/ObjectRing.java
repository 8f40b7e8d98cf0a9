package io.sluice.ringbuffer;

import io.sluice.core.LifeCycle;
import io.sluice.core.SequenceBarrier;
import io.sluice.core.SequenceView;
import io.sluice.core.SignalGroup;
import io.sluice.core.SignalledIdle;
import io.sluice.core.State;
import java.lang.reflect.Array;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;

/** What the rings of both kinds share: the slots, the gating list, the life cycle, and the counting of what is left. */
abstract class ObjectRing<E> implements RingBuffer<E> {
    private static final long DRAIN_PARK_NANOS = 50_000;

    /** How many rings of this JVM were built without a name. */
    private static final AtomicLong UNNAMED = new AtomicLong();

    final String name;
    final Object[] slots;
    final Supplier<? extends IdleStrategy> producersIdle;
    final Supplier<? extends IdleStrategy> consumersIdle;
    final LifeCycle life = new LifeCycle();
    final Gating gating = new Gating();
    final AbortMarks aborts;
    final Consumers<E> consumers = new Consumers<>();
    final ProducerWatches watches = new ProducerWatches();
    final FailureReports reports = new FailureReports();

    /** Held while claims are aborted by another than their owner, and while an owner learns of it. */
    final Object recovery = new Object();

    /** Told of abandoned claims by consumers that stand before them; null where nobody looks. */
    final @Nullable AbandonedClaimHandler abandonedHandler;

    final long abandonedAfterNanos;

    /** What publishers ask consumers to drop; null where they never do. */
    final @Nullable Shedding<E> shedding;

    private final EventFactory<E> factory;

    /** Whom a publication wakes; null where consumers never block, so that publishing costs a null check. */
    final @Nullable SignalGroup signals;

    // under the lock of `reports`
    private boolean leftoverReported;

    /** Whom the end of the ring, or of a consumer, wakes. */
    private final SignalGroup everyone = new SignalGroup(true);

    /** How far claims may be ahead of the slowest gating sequence: the capacity less what is retained. */
    final int window;

    ObjectRing(Builder<E> builder) {
        Check.inRange(builder.retained, 0, builder.capacity - 1, "retain");
        window = builder.capacity - builder.retained;
        name = builder.name == null ? "ring-" + UNNAMED.incrementAndGet() : builder.name;
        factory = builder.factory;
        abandonedHandler = builder.abandonedHandler;
        abandonedAfterNanos = builder.abandonedAfterNanos;
        shedding = builder.shedHandler == null ? null : new Shedding<>(builder.shedHandler);
        slots = filled(builder.capacity);
        producersIdle = builder.producersIdle;
        consumersIdle = builder.consumersIdle;
        aborts = new AbortMarks(slots.length);
        IdleStrategy sample = Check.notNull(consumersIdle.get(), "consumersIdle.get()");
        signals = sample instanceof SignalledIdle idle ? new SignalGroup(idle.isExact()) : null;
    }

    // what the kinds differ in

    /** A barrier that follows the publications. */
    abstract SequenceBarrier publicationBarrier();

    /** The highest sequence claimed. Exact once no producer can claim any more. */
    abstract long highestClaimed();

    /** Whether a slot, which is not reused before the call returns, holds this sequence published. */
    abstract boolean isPublished(long sequence);

    /** Producers that may still publish, though the ring has refused them. */
    abstract int openProducers();

    /** Whether several producers may contend for the next claim; a recent value. */
    boolean producersContend() {
        return false;
    }

    /** The open claim that begins at a sequence, and whose it is as far as can be told. */
    abstract AbandonedClaim openClaimAt(long sequence, long stoodNanos);

    /** Makes the end of RUNNING known to the producers' claims, where the life-cycle word does not do it. */
    abstract void closeClaims();

    /** Events in an array of their own class: see {@link ProducerClasses}. Where another event may come in, of objects. */
    private Object[] filled(int capacity) {
        Object[] events = new Object[capacity];
        boolean alike = !tracksClaims();
        for (int i = 0; i < capacity; i++) {
            events[i] = newEvent();
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

    /**
     * Aborts an open claim in its owner's stead, on a ring that tracks claims.
     *
     * @return how many sequences it aborted; 0 if the owner was quicker
     */
    long abortInStead(AbstractProducer<?> owner, long lo, long hi) {
        throw new IllegalStateException("claims are not tracked: allowed on a ring built with trackClaims");
    }

    // the face

    @Override
    public final long capacity() {
        return slots.length;
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
            consumers.checkNotOwn(Check.notNull(sequence, "sequence"));
        }
        synchronized (consumers) {
            checkNothingClaimed("gating sequences");
            gating.add(sequences);
        }
    }

    @Override
    public final boolean removeGating(SequenceView sequence) {
        consumers.checkNotOwn(Check.notNull(sequence, "sequence"));
        return gating.remove(sequence);
    }

    /** A consumer that comes later would miss events, and a producer's limit might not know of it. */
    final void checkNothingClaimed(String what) {
        long claimed = highestClaimed();
        if (claimed >= 0) {
            throw new IllegalStateException(
                    what + " added after " + (claimed + 1) + " claims: allowed is before the first");
        }
    }

    // life

    @Override
    public final Leftover drain(long timeoutNanos) {
        consumers.checkMayWait("drain");
        boolean first = life.drain();
        closeClaims(); // also where another has ended the ring: that call may stand just before its own closeClaims()
        if (first) {
            wakeAll();
        }
        long started = System.nanoTime();
        for (; ; ) {
            State state = life.state();
            Throwable cause = life.cause();
            if (cause != null) {
                throw new RingFailedException("the ring has failed: " + cause + "; left are " + leftover(), cause);
            }
            Leftover left = leftover();
            if (left.isNone()
                    || state == State.CLOSED
                    || Thread.currentThread().isInterrupted()
                    || System.nanoTime() - started >= timeoutNanos) {
                return left;
            }
            if (left.unhandled() > 0 || left.openClaims() > 0) {
                consumers.checkNotAwaitedBy(Thread.currentThread(), "drain");
            }
            LockSupport.parkNanos(this, DRAIN_PARK_NANOS);
        }
    }

    @Override
    public final void close() {
        consumers.checkMayWait("close");
        life.close();
        closeClaims();
        consumers.halt();
        wakeAll();
        try {
            consumers.awaitThreads();
        } finally {
            reportLeftover();
        }
    }

    /** Once, and only where a pipeline is there to be told by. */
    private void reportLeftover() {
        synchronized (reports) {
            if (leftoverReported || !consumers.havePipeline()) {
                return;
            }
            leftoverReported = true;
        }
        Leftover left = leftover();
        if (left.unhandled() > 0 || left.openClaims() > 0) {
            reports.left(new EventsLeftException(name, left));
        }
    }

    /** Ends the ring by a consumer's failure. The first cause is kept. Allocates nothing, if {@link Rehearsal} is done. */
    final void fail(Throwable cause) {
        if (life.fail(cause)) {
            closeClaims();
        }
        wakeAll();
    }

    final void wakeAll() {
        everyone.signal();
    }

    /**
     * A producer has found no room. Perhaps since a claim stands in the way that was made after the consumers had parked: then no
     * publication wakes them, since nobody has room to publish behind it. So they are woken, and look.
     */
    final void noRoom() {
        if (abandonedHandler != null) {
            wakeAll();
        }
    }

    final void wakeOnEnd(SignalledIdle idle) {
        everyone.add(idle);
    }

    final void wakeNoMore(SignalledIdle idle) {
        everyone.remove(idle);
    }

    // refusals

    /** Why claims are refused, as a result constant. */
    final long refusalCode() {
        return life.state() == State.FAILED ? Producer.FAILED : Producer.CLOSED;
    }

    /** Why a claim was refused, as an exception. */
    final RingException refusal(long result, boolean producerClosed) {
        if (result == Producer.INTERRUPTED) {
            return new ClaimInterruptedException("interrupted while waiting for room");
        }
        Throwable cause = life.cause();
        if (result == Producer.FAILED && cause != null) {
            return new RingFailedException("the ring has failed: " + cause, cause);
        }
        State state = life.state();
        return new RingClosedException(
                producerClosed && state == State.RUNNING
                        ? "this producer is closed: allowed is a new one from the ring"
                        : "the ring is " + state + ": claims are allowed while it is RUNNING");
    }

    // what is left

    @Override
    public final Leftover leftover() {
        // Producers first: once none is open, the highest claim is final. Consumers before claims: their lag is never
        // understated.
        int openProducers = openProducers();
        SequenceView[] gates = gating.listAcquire();
        long handled = gates.length == 0 ? Long.MAX_VALUE : gating.minimum(Long.MAX_VALUE);
        String slowest = consumers.slowest();
        long claimed = highestClaimed();
        long unhandled = 0;
        int openClaims = 0;
        for (long sequence = Math.max(claimed - slots.length, Math.min(handled, claimed)) + 1;
                sequence <= claimed;
                sequence++) {
            if (!isPublished(sequence)) {
                openClaims++;
            } else if (!aborts.isAborted(sequence)) {
                unhandled++;
            }
        }
        if (gates.length == 0) {
            unhandled = 0;
            openClaims = openClaimsWithoutConsumers(claimed);
        }
        return new Leftover(unhandled, openClaims, openProducers, unhandled + openClaims == 0 ? "" : slowest);
    }

    private int openClaimsWithoutConsumers(long claimed) {
        int open = 0;
        for (long sequence = Math.max(claimed - slots.length, -1) + 1; sequence <= claimed; sequence++) {
            if (!isPublished(sequence)) {
                open++;
            }
        }
        return open;
    }
}
