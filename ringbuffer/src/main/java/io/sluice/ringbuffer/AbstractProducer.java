package io.sluice.ringbuffer;

import static io.sluice.ringbuffer.TranslatorCall.NONE;

import io.sluice.core.IdleStrategies;
import io.sluice.core.access.VarHandles;
import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.concurrent.IdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * The common part of all kinds of producers: the forms that claim, fill and publish in one call, refusals, and one step of waiting
 * for room. Subclasses hold the claim state. The fields belong to the producer's thread; only the owner and the closed flag are shared.
 */
abstract class AbstractProducer<E> implements Producer<E>, ClaimOwner {
    static final long NO_LIMIT = Long.MAX_VALUE;

    /** There is no room for so many, but perhaps for fewer, or once the oldest are dropped. Not counted as a refusal. */
    static final long LESS_ROOM = -7;

    /** A claim without a time limit that one call fills and publishes: a single producer must have nothing else open by then. */
    static final long TO_FILL = -8;

    /** Steps of {@link #claimSlowNoInline} that only call the next. HotSpot's compilers inline one step of a recursion, and no more. */
    static final int STEPS_NO_INLINE = 2;

    final ObjectRing<E> ring;
    final Object[] slots;

    /**
     * The bits of a sequence that are its slot's index. The array's length would give them too, but it needs two more registers in a
     * publisher's loop and a longer way to the slot: a seventh less throughput.
     */
    private final int mask;

    final IdleStrategy idle;

    // the producer's thread; made when it first meets a full ring
    private @Nullable ProducerCounters counters;

    // shared: written once, by the first thread that claims; read by drain, monitors and each user of this producer
    private @Nullable Thread owner;
    private boolean closedUnused; // so its owner never claimed; under ring.recovery
    private boolean closed;

    /** An abort was cut off, as by a stack overflow: open sequences may be marked. Written plain, which takes no stack. */
    boolean abortCutOff;

    AbstractProducer(ObjectRing<E> ring) {
        this.ring = ring;
        this.slots = ring.slots;
        this.mask = ring.slots.length - 1;
        this.idle = Check.notNull(ring.producersIdle.get(), "producersIdle.get()");
        IdleStrategies.checkWakesByItself(idle, "producersIdle", "producers");
    }

    // claims

    @Override
    public final long next() {
        return next(1);
    }

    @Override
    public final long next(int n, long timeoutNanos) {
        long hi = claimFast(n);
        return hi >= 0 ? hi : claimSlowNoInline(n, Math.max(0, timeoutNanos), TIMED_OUT, STEPS_NO_INLINE);
    }

    /** Claims after a wait for room, if {@link #claimFast} did not claim; throws the refusal. */
    final long claimSlow(int n) {
        return claimSlow(n, TIMED_OUT);
    }

    private long claimSlow(int n, long purpose) {
        long result = claimSlowNoInline(n, NO_LIMIT, purpose, STEPS_NO_INLINE);
        if (result < 0) {
            throw ring.refusal(result, isClosed());
        }
        return result;
    }

    /** Claims without waiting, if {@link #claimFast} did not claim. */
    final long tryClaimSlow(int n) {
        return claimSlowNoInline(n, 0, FULL, STEPS_NO_INLINE);
    }

    /**
     * The slow way of a claim, behind a call that the compiler never inlines. It is hot where a ring is full often. Then the compiler
     * would inline it into {@code next}, and find {@code next} too large for its callers' loops. A method handle was worse.
     */
    final long claimSlowNoInline(int n, long timeoutNanos, long tooLate, int steps) {
        if (steps > 0) {
            return claimSlowNoInline(n, timeoutNanos, tooLate, steps - 1);
        }
        checkCount(n);
        checkOwner(); // first: the wait below is the owner's, and no other thread ends it
        long result = tooLate;
        try {
            result = claim(n, timeoutNanos, tooLate);
            return result;
        } finally {
            if (result < 0 && timeoutNanos != 0) { // no call behind a claim; a try form within a wait does not end it
                stallEnded();
            }
        }
    }

    /**
     * Claims if this producer knows already that there is room, as nearly always. It is small: it is inlined into the caller's loop.
     *
     * @return the highest sequence claimed; -1 if {@link #claim} is to find out, also where {@code n} is out of its range
     */
    abstract long claimFast(int n);

    /**
     * Claims.
     *
     * @param timeoutNanos how long to wait: 0 not at all, {@link #NO_LIMIT} for ever
     * @param tooLate what to return when the time is over: TIMED_OUT or FULL; {@link #TO_FILL} where there is no limit
     */
    abstract long claim(int n, long timeoutNanos, long tooLate);

    /** How many of its sequences are open. Its thread, or once that has ended, under the ring's recovery lock. */
    abstract long openClaimCount();

    /** Publishes a range that was just claimed, unchecked. */
    abstract void publishClaimed(long lo, long hi);

    /** Publishes a range that a translator has filled; only its open part, if the translator has used this producer. */
    abstract void publishFilled(long lo, long hi);

    /** Aborts the part of a claim that is still open, after a throw. */
    abstract void abortStillOpen(long lo, long hi);

    /** Aborts a range that was just claimed, unchecked. */
    void abortClaimed(long lo, long hi) {
        boolean others = abortCutOff;
        abortCutOff = true; // until it is whole
        ring.aborts.mark(lo, hi); // before the publication, whose acquire makes the marks visible
        publishClaimed(lo, hi);
        abortCutOff = others;
    }

    /** The lowest sequence that this producer has claimed and neither published nor aborted, NO_LIMIT if there is none. */
    abstract long lowestOpen();

    /** Refuses a form that claims, fills and publishes, where it could not publish in order. */
    abstract void checkNoOpenClaim();

    final void checkCount(int n) {
        if (n < 1 || n > ring.window) {
            throw new IllegalArgumentException("n must be from 1 to "
                    + (ring.window == ring.capacity ? "the capacity, " : "the capacity less what is retained, ")
                    + ring.window + ", but was " + n);
        }
    }

    /** The event in a slot that this producer has claimed. */
    abstract E slot(long sequence);

    /**
     * The event in a slot.
     *
     * @param known the class of the slots, null if the producer's class does not know it: see {@link ProducerSpecializer}
     */
    @SuppressWarnings("unchecked") // the slots hold what the event factory made
    final E slot(@Nullable Class<?> known, long sequence) {
        Object[] typed = known == null ? slots : (Object[]) known.cast(slots);
        return (E) typed[(int) sequence & mask];
    }

    @Override
    public final E get(long sequence) {
        return slot(sequence);
    }

    // claim, fill and publish in one call

    private long claimOne(Object translator) {
        checkMayFill(translator);
        long sequence = claimFast(1);
        return sequence >= 0 ? sequence : claimSlow(1, TO_FILL);
    }

    final long tryClaimOne(Object translator) {
        checkMayFill(translator);
        long sequence = claimFast(1);
        return sequence >= 0 ? sequence : tryClaimSlow(1);
    }

    final void checkMayFill(Object translator) {
        Check.notNull(translator, "translator");
        checkNoOpenClaim();
    }

    private void checkMayFill(Object translator, int n) {
        Check.notNull(translator, "translator");
        checkCount(n);
        checkNoOpenClaim();
    }

    /**
     * Fills and publishes a claimed slot: the body of every form that publishes one event.
     *
     * @param sequence the claimed sequence, or the result constant of a refusal; it is returned
     */
    final <T, A, B, C> long fill(
            long sequence,
            TranslatorCall<? super E, T, A, B, C> call,
            T translator,
            A a,
            B b,
            C c,
            long first,
            long second) {
        if (sequence >= 0) {
            try {
                call.fill(slot(sequence), sequence, translator, a, b, c, first, second);
            } catch (Throwable t) {
                abortAfter(t, sequence, sequence);
                throw t;
            }
            publishFilled(sequence, sequence);
        }
        return sequence;
    }

    /** As {@link #fill}, for a claim of several. */
    private long fillAll(long hi, EventTranslatorBatch<? super E> translator, int n) {
        if (hi >= 0) {
            long lo = hi - n + 1;
            try {
                for (int i = 0; i < n; i++) {
                    translator.translateTo(slot(lo + i), lo + i, i);
                }
            } catch (Throwable t) {
                abortAfter(t, lo, hi);
                throw t;
            }
            publishFilled(lo, hi);
        }
        return hi;
    }

    /** Aborts a claim after a throw. The caller gets the first throwable, whatever the abort throws. */
    final void abortAfter(Throwable thrown, long lo, long hi) {
        try {
            if (!isClosed()) { // else the user's code has closed this producer, which has aborted the claim
                abortStillOpen(lo, hi);
            }
        } catch (Throwable t) {
            try {
                thrown.addSuppressed(t);
            } catch (Throwable none) {
                // no memory for it, no stack, or the same once more
            }
        }
    }

    @Override
    public final long publishEvent(EventTranslator<? super E> translator) {
        return fill(claimOne(translator), TranslatorCall.plain(), translator, NONE, NONE, NONE, 0, 0);
    }

    @Override
    public final long tryPublishEvent(EventTranslator<? super E> translator) {
        return fill(tryClaimOne(translator), TranslatorCall.plain(), translator, NONE, NONE, NONE, 0, 0);
    }

    @Override
    public final <A> long publishEvent(EventTranslatorOneArg<? super E, ? super A> translator, A a) {
        return fill(claimOne(translator), TranslatorCall.oneArg(), translator, a, NONE, NONE, 0, 0);
    }

    @Override
    public final <A> long tryPublishEvent(EventTranslatorOneArg<? super E, ? super A> translator, A a) {
        return fill(tryClaimOne(translator), TranslatorCall.oneArg(), translator, a, NONE, NONE, 0, 0);
    }

    @Override
    public final <A, B> long publishEvent(EventTranslatorTwoArg<? super E, ? super A, ? super B> translator, A a, B b) {
        return fill(claimOne(translator), TranslatorCall.twoArg(), translator, a, b, NONE, 0, 0);
    }

    @Override
    public final <A, B> long tryPublishEvent(
            EventTranslatorTwoArg<? super E, ? super A, ? super B> translator, A a, B b) {
        return fill(tryClaimOne(translator), TranslatorCall.twoArg(), translator, a, b, NONE, 0, 0);
    }

    @Override
    public final <A, B, C> long publishEvent(
            EventTranslatorThreeArg<? super E, ? super A, ? super B, ? super C> translator, A a, B b, C c) {
        return fill(claimOne(translator), TranslatorCall.threeArg(), translator, a, b, c, 0, 0);
    }

    @Override
    public final <A, B, C> long tryPublishEvent(
            EventTranslatorThreeArg<? super E, ? super A, ? super B, ? super C> translator, A a, B b, C c) {
        return fill(tryClaimOne(translator), TranslatorCall.threeArg(), translator, a, b, c, 0, 0);
    }

    @Override
    public final long publishEvent(EventTranslatorLong<? super E> translator, long value) {
        return fill(claimOne(translator), TranslatorCall.oneLong(), translator, NONE, NONE, NONE, value, 0);
    }

    @Override
    public final long tryPublishEvent(EventTranslatorLong<? super E> translator, long value) {
        return fill(tryClaimOne(translator), TranslatorCall.oneLong(), translator, NONE, NONE, NONE, value, 0);
    }

    @Override
    public final long publishEvent(EventTranslatorTwoLongs<? super E> translator, long first, long second) {
        return fill(claimOne(translator), TranslatorCall.twoLongs(), translator, NONE, NONE, NONE, first, second);
    }

    @Override
    public final long tryPublishEvent(EventTranslatorTwoLongs<? super E> translator, long first, long second) {
        return fill(tryClaimOne(translator), TranslatorCall.twoLongs(), translator, NONE, NONE, NONE, first, second);
    }

    @Override
    public final long publishEvents(EventTranslatorBatch<? super E> translator, int n) {
        checkMayFill(translator, n);
        long hi = claimFast(n);
        return fillAll(hi >= 0 ? hi : claimSlow(n, TO_FILL), translator, n);
    }

    @Override
    public final long tryPublishEvents(EventTranslatorBatch<? super E> translator, int n) {
        checkMayFill(translator, n);
        return fillAll(tryNext(n), translator, n);
    }

    // waiting

    /** One step of a wait for room that began at `started`, by System.nanoTime(): 0 to look again, or the result of giving up. */
    final long waitForRoom(long hi, boolean first, long started, long timeoutNanos, long tooLate) {
        if (first) {
            ring.noRoom();
        }
        ring.wakeUps.settle(); // at each step: what owes a signal may be published while this waits
        if (timeoutNanos == 0) {
            if (tooLate != LESS_ROOM) {
                counters().refused();
            }
            return tooLate;
        }
        return waitOnce(hi, first, started, timeoutNanos, tooLate);
    }

    private long waitOnce(long hi, boolean first, long started, long timeoutNanos, long tooLate) {
        checkNotInVain(hi, first);
        if (Thread.currentThread().isInterrupted()) {
            return INTERRUPTED;
        }
        if (timeoutNanos != NO_LIMIT && System.nanoTime() - started >= timeoutNanos) {
            counters().refused();
            return tooLate;
        }
        // not at the first step only: at the end of a wait the idle strategy may have used this producer; it waits on
        if (first || !counters().isWaiting()) {
            counters().stallBegins(hi, first ? started : System.nanoTime());
        }
        idle.idle();
        return 0;
    }

    /** Refuses a wait for room, up to a sequence, that could never end. Before each step of every wait, in whatever form. */
    final void checkNotInVain(long hi, boolean first) {
        if (first) {
            ring.followers().checkNotRunBy(Thread.currentThread());
        }
        long open = lowestOpen();
        if (hi - ring.window >= open) {
            throw ProducerRefusals.waitsForItself(open);
        }
        ring.followers().checkNoneEnded(hi - ring.window);
    }

    /** Ends the wait, for whatever reason. Does nothing if it had not begun. */
    final void stallEnded() {
        ProducerCounters own = counters;
        if (own != null && own.isWaiting()) {
            long waited = System.nanoTime() - own.waitsSince();
            own.stallEnds(waited); // first: the user's code may throw
            idle.reset(); // the next wait begins anew
            ring.recordStall(waited);
        }
    }

    /** The counters of this producer's slow paths. */
    final ProducerCounters counters() {
        if (counters == null) {
            counters = ring.producerCounters.join(this);
        }
        return counters;
    }

    // ownership: the first thread that claims owns the producer, for good

    /**
     * The highest sequence that may be claimed, by the gating sequences now, or by `claimed` if there are none. The limit of claims grows
     * nowhere else, and starts below the first claim; so each producer is bound before its first claim.
     */
    final long newLimit(long claimed) {
        bindOwner();
        return ring.gating.minimum(claimed) + ring.window; // acquire inside: slots were read before they are reused
    }

    /** Binds the producer to the calling thread if it is bound to none; refuses a thread that it is not bound to. */
    final void bindOwner() {
        Thread bound = owner; // plain: its thread sees what it wrote; whoever sees none is decided by the CAS
        if (bound == null
                && OWNER.compareAndSet(this, null, Thread.currentThread())) { // CAS: of two threads one is bound
            VarHandle.fullFence(); // full, once: the owner | the caller's next look at the ring's state; with owner()
        } else if (bound != Thread.currentThread()) {
            checkOwner();
        }
    }

    /** Refuses a thread that the producer is not bound to. On each slow path; there is no check where there is room. */
    final void checkOwner() {
        Thread bound = owner();
        if (bound != null && bound != Thread.currentThread()) {
            synchronized (ring.recovery) { // whoever closes it holds it until it is closed
                ProducerRefusals.checkClosedUnused(closedUnused && isClosed(), bound);
            }
        }
    }

    /** Refuses to close the producer of another thread that has not ended: it may be claiming now. */
    final void checkMayClose() {
        closedUnused |= OWNER.compareAndSet(this, null, Thread.currentThread()); // CAS: a first claim comes before it
        ProducerRefusals.checkMayClose(owner());
    }

    @Override
    public final boolean hasEnded() {
        Thread bound = owner();
        return bound != null && !bound.isAlive(); // who sees the end of a thread sees all that it did
    }

    @Override
    public final long abortAll() {
        synchronized (ring.recovery) {
            long aborted = isClosed() ? 0 : openClaimCount();
            close();
            return aborted;
        }
    }

    @Override
    public long abortForOwner(long lo, long hi) {
        return NOT_ALLOWED;
    }

    /** As {@link #checkOwner}; as an assertion, where there is room too. Always true. */
    public final boolean ownedByCaller() {
        checkOwner();
        return true;
    }

    final @Nullable Thread owner() {
        return (Thread) OWNER.getVolatile(this); // volatile: none behind RUNNING means no claim, see bindOwner
    }

    final boolean isClosed() {
        return (boolean) CLOSED_FLAG.getAcquire(this); // acquire: whoever sees it sees the last claim
    }

    final void markClosed() {
        CLOSED_FLAG.setRelease(this, true); // release: the last claim and publication come before
        if (counters != null) {
            ring.producerCounters.leave(counters, this);
            counters = null;
        }
        ring.wakeUps.settle();
    }

    public final void settleWakeUp() { // of MessageClaims too
        ring.wakeUps.settle();
    }

    final IllegalArgumentException badRange(String call, long lo, long hi, String open) {
        settleWakeUp(); // what is refused may be published already, and was cut off behind that
        return new IllegalArgumentException(call + " must get sequences that are claimed and open (" + open
                + "), but was called as " + call + "(" + lo + ", " + hi + ")");
    }

    private static final VarHandle OWNER =
            VarHandles.field(MethodHandles.lookup(), AbstractProducer.class, "owner", Thread.class);
    private static final VarHandle CLOSED_FLAG =
            VarHandles.field(MethodHandles.lookup(), AbstractProducer.class, "closed", boolean.class);
}
