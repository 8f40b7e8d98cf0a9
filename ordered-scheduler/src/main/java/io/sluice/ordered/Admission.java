package io.sluice.ordered;

import io.sluice.core.LifeCycle;
import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/*
 * Ticket s is granted while s < tail + window holds for the order buffer of every stage.
 *
 * `claim` (next << 1 | CLOSED) is written by the one issuer (SINGLE, by a store; the CLOSED bit is not used) or by issuers and closer
 * (MANY, by CAS, only after room is known: a taker that gives up leaves no hole). `limit` is a bound that an issuer has found:
 * release/acquire, so that an issuer that relies on it has acquired the tails too. `issuedAtLeast` is a value that `claim` had, kept
 * by finishers so that they rarely read the issuers' line.
 *
 * Parking, without a fence for the drainer. A taker that finds no room (A1) enters its thread in the queue, (A2) adds to
 * `waiting` by a volatile read-modify-write, (A3) reads the blocking tail t again, and if there is still no room (A4) reads
 * the word of ticket t with a volatile read. A drainer (D1) has left TURN(t) by a volatile CAS, later releases tail, passes
 * the turn by a volatile CAS, and then (D2) reads `waiting` with a volatile read.
 *   If A4 finds TURN(t): the CAS that leaves it, D1, comes after A4 in the total order of volatile accesses, so A2 < A4 < D1 <
 *   D2: the drainer sees `waiting`, finds the queue, and unparks. The taker may park for long.
 *   If A4 finds anything else: a drain is under way or over; the taker parks for a short time (50 us, doubling to 10 ms) and
 *   looks again.
 * A taker that parks for long looks again after 5 s all the same: where the stack of the drainer ends, nobody may be left to wake it.
 * A drainer that keeps an interrupt back counts itself in `waiting` too, so that D2 leads it to give the flag back.
 * It costs the drainer no fence, and one read of a line that is hardly ever written. In unchecked mode D1 is a
 * store, so that the argument does not hold in the model (it does on x86, where the passing CAS is a fence): there every park
 * has a limit of 10 ms.
 */
abstract class AdmissionIssuer extends PaddingBefore {
    static final VarHandle CLAIM = VarHandles.field(MethodHandles.lookup(), AdmissionIssuer.class, "claim", long.class);
    static final VarHandle LIMIT = VarHandles.field(MethodHandles.lookup(), AdmissionIssuer.class, "limit", long.class);

    @SuppressWarnings("unused")
    private long claim;

    @SuppressWarnings("unused")
    private long limit;
}

abstract class AdmissionBetween extends AdmissionIssuer {
    @SuppressWarnings("unused")
    private long q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15, q16;
}

abstract class AdmissionFinishers extends AdmissionBetween {
    static final VarHandle ISSUED_AT_LEAST =
            VarHandles.field(MethodHandles.lookup(), AdmissionFinishers.class, "issuedAtLeast", long.class);

    @SuppressWarnings("unused")
    private long issuedAtLeast;
}

abstract class AdmissionAfter extends AdmissionFinishers {
    @SuppressWarnings("unused")
    private long r01, r02, r03, r04, r05, r06, r07, r08, r09, r10, r11, r12, r13, r14, r15, r16;
}

/** The issuing of tickets. */
final class Admission extends AdmissionAfter {
    /** The answer of {@link #tryIssue} when issuing has ended. */
    static final long ENDED = -4;

    static final long FULL = -2;

    /** In {@code waiting}, above the count of the ticket takers. */
    private static final int ENDED_FLAG = 1 << 30;

    static final long MIN_PARK_NANOS = 50_000;
    private static final long MAX_PARK_NANOS = 10_000_000;

    /** While a drainer is sure to wake the taker, unless the end of the stack cuts it off. */
    private static final long MAX_SURE_PARK_NANOS = 5_000_000_000L;

    /** An interrupt that a thread has yet to be given back. */
    private record Kept(Admission of, Thread thread) {}

    /** Of all schedulers; hardly ever one. */
    private static final Set<Kept> INTERRUPTS = ConcurrentHashMap.newKeySet();

    private final TicketMode mode;
    final int window;
    final long firstTicket;

    // the order buffer of the first stage, which leads to those of the later ones
    private final OrderBuffer firstStage;

    // the parked takers; made by the first one, so that an idle scheduler stays small
    @SuppressWarnings("unused")
    private @Nullable ConcurrentLinkedQueue<Thread> queue;

    @SuppressWarnings("unused")
    private int waiting;

    @SuppressWarnings("unused")
    private long parks;

    Admission(TicketMode mode, OrderBuffer buffer, long firstTicket) {
        this.mode = mode;
        this.window = buffer.window;
        this.firstTicket = firstTicket;
        this.firstStage = buffer;
        // release: a thread that is handed the object sees it
        ISSUED_AT_LEAST.setRelease(this, mode == TicketMode.EXTERNAL ? OrderBuffer.MAX_TICKET + 1 : firstTicket);
        CLAIM.setRelease(this, firstTicket << 1); // release: as above
        LIMIT.setRelease(this, firstTicket + window); // release: as above
    }

    boolean isExternal() {
        return mode == TicketMode.EXTERNAL;
    }

    // ---- issuers ----

    /** The next ticket, or {@link #FULL}, or {@link #ENDED} (MANY only: SINGLE asks the life-cycle word). */
    long tryIssue() {
        if (mode == TicketMode.SINGLE) {
            long claim = (long) CLAIM.get(this); // plain: only the issuer writes it
            long ticket = claim >>> 1;
            if (!hasRoom(ticket)) {
                return FULL;
            }
            CLAIM.setRelease(
                    this, claim + 2); // release: the ticket reaches its finisher by a hand-off; monitors see it
            return ticket;
        }
        while (true) {
            long claim = (long) CLAIM.getAcquire(this); // acquire: pairs with the other issuers' CAS
            long ticket = claim >>> 1;
            if ((claim & 1) != 0) {
                return ENDED;
            }
            if (!hasRoom(ticket)) {
                return FULL;
            }
            if (CLAIM.compareAndSet(this, claim, claim + 2)) { // CAS: unique and gapless
                return ticket;
            }
        }
    }

    boolean hasRoom(long ticket) {
        if (ticket < (long) LIMIT.getAcquire(this)) { // acquire: with it the freed slots that its finder acquired
            return true;
        }
        long now = lowestTail() + window;
        LIMIT.setRelease(this, now); // release: hands on what the tails' acquire has shown; a lower value does no harm
        return ticket < now;
    }

    /** Ends issuing for good (MANY): tickets before are known exactly. */
    void endIssue() {
        long claim;
        do {
            claim = (long) CLAIM.getAcquire(this); // acquire: pairs with the issuers' CAS
        } while (mode == TicketMode.MANY && !CLAIM.compareAndSet(this, claim, claim | 1)); // CAS: against issuers
    }

    /**
     * One round of waiting for room for a ticket: parks until the drainer wakes it, for at most the limit. Spurious returns
     * are allowed.
     *
     * @param round how many rounds came before
     */
    void park(long ticket, int round, long maxNanos, LifeCycle life) {
        Thread me = Thread.currentThread();
        ConcurrentLinkedQueue<Thread> takers = takersOrNew();
        takers.add(me); // A1
        WAITING.getAndAdd(this, 1); // A2, volatile: before the reads below in the total order
        VarHandle.fullFence(); // full: the entry | the life-cycle word; pairs with wakeTakersAtEnd()
        try {
            OrderBuffer blocking = blockingStage(ticket); // A3
            if (blocking == null || !life.isRunning()) {
                return;
            }
            boolean announced = !blocking.unchecked && blocking.hasTurnVolatile(blocking.tailAcquire()); // A4
            PARKS.getAndAdd(this, 1L); // volatile: a count by several threads, on the way to a park
            LockSupport.parkNanos(this, Math.min(maxNanos, announced ? MAX_SURE_PARK_NANOS : parkNanos(round)));
        } finally {
            WAITING.getAndAdd(this, -1); // volatile: undoes A2
            takers.remove(me);
        }
    }

    private static long parkNanos(int round) {
        return round >= 8 ? MAX_PARK_NANOS : Math.min(MAX_PARK_NANOS, MIN_PARK_NANOS << round);
    }

    /** The stage that has no room for the ticket, the slowest; null if all have. */
    @Nullable
    OrderBuffer blockingStage(long ticket) {
        OrderBuffer slowest = null;
        long lowest = ticket - window + 1;
        for (OrderBuffer stage = firstStage; stage != null; stage = stage.nextStage) {
            long tail = stage.tailAcquire();
            if (tail < lowest) {
                lowest = tail;
                slowest = stage;
            }
        }
        return slowest;
    }

    /** Whether a stage has no room for the ticket, and only the thread can make it, since it is that stage's drainer. */
    boolean isHeldUpBy(long threadId, long ticket) {
        for (OrderBuffer stage = firstStage; stage != null; stage = stage.nextStage) {
            if (ticket - stage.tailAcquire() >= window && stage.isDrainer(threadId)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the thread is the drainer of a stage. */
    boolean isDrainer(long threadId) {
        for (OrderBuffer stage = firstStage; stage != null; stage = stage.nextStage) {
            if (stage.isDrainer(threadId)) {
                return true;
            }
        }
        return false;
    }

    // ---- finishers and drainers ----

    /**
     * Whether a ticket lies below what has been issued (of external tickets: below all that there may be). Those before the
     * first one do too; no slot has their stamp.
     */
    boolean isIssued(long ticket) {
        // opaque: any value that it ever had is a lower bound of what is issued; unsigned: refuses negative tickets
        return Long.compareUnsigned(ticket, (long) ISSUED_AT_LEAST.getOpaque(this)) < 0 || isIssuedMeanwhile(ticket);
    }

    private boolean isIssuedMeanwhile(long ticket) {
        if (mode == TicketMode.EXTERNAL) {
            return false;
        }
        long next = nextTicket();
        ISSUED_AT_LEAST.setOpaque(this, next); // opaque: a lower bound; racing stores do no harm
        return Long.compareUnsigned(ticket, next) < 0;
    }

    /** Whether anybody waits for the turn to be passed: ticket takers, or the thread that ended the scheduler. */
    boolean isAwaited() {
        return (int) WAITING.getVolatile(this) != 0; // volatile: D2, after the CAS that passed the turn
    }

    /** Wakes ticket takers, if any. */
    void wakeIfAwaited() {
        if (isAwaited()) {
            wakeTakers();
        }
    }

    void wakeTakers() {
        ConcurrentLinkedQueue<Thread> takers = queueAcquire();
        if (takers != null) {
            for (Thread thread = takers.poll(); thread != null; thread = takers.poll()) {
                LockSupport.unpark(thread);
            }
        }
    }

    /** Called after the life-cycle word has reached its end, so that every drainer sees it once it has passed its turn. */
    void announceEnd() {
        WAITING.getAndBitwiseOr(
                this, ENDED_FLAG); // volatile: after the life-cycle word; D2 finds it, or has passed the turn before
    }

    /** Wakes ticket takers after the life-cycle word has moved. */
    void wakeTakersAtEnd() {
        VarHandle.fullFence(); // full: the life-cycle word | the queue; pairs with park()
        wakeTakers();
    }

    @SuppressWarnings("unchecked") // the field's type
    private @Nullable ConcurrentLinkedQueue<Thread> queueAcquire() {
        return (ConcurrentLinkedQueue<Thread>) QUEUE.getAcquire(this); // acquire: with its contents
    }

    private ConcurrentLinkedQueue<Thread> takersOrNew() {
        ConcurrentLinkedQueue<Thread> takers = queueAcquire();
        if (takers != null) {
            return takers;
        }
        ConcurrentLinkedQueue<Thread> made = new ConcurrentLinkedQueue<>();
        QUEUE.compareAndSet(this, null, made); // CAS: one queue
        takers = queueAcquire();
        return takers == null ? made : takers;
    }

    // ---- interrupts of the drainer ----

    /**
     * Keeps back the flag of the thread that delivers, so that the tickets that it handles next do not fail by it.
     *
     * @param thrown whether the handler has cleared the flag and thrown; else it may have set the flag again
     */
    void keepInterrupt(boolean thrown) {
        Thread me = Thread.currentThread();
        if (thrown || me.isInterrupted()) {
            if (INTERRUPTS.add(new Kept(this, me))) {
                WAITING.getAndAdd(this, 1); // volatile: as A2, for the thread itself
            }
            Thread.interrupted(); // last: what is cut off before it leaves the flag set
        }
    }

    /** Sets the flag that was kept back, once the thread delivers in none of the stages any more. */
    void giveInterruptBack() {
        Thread me = Thread.currentThread();
        if (!INTERRUPTS.isEmpty() && !isDrainer(me.getId()) && INTERRUPTS.remove(new Kept(this, me))) {
            WAITING.getAndAdd(this, -1); // volatile: undoes the other
            me.interrupt();
        }
    }

    // ---- monitors ----

    long nextTicket() {
        return (long) CLAIM.getAcquire(this) >>> 1; // acquire: whoever was handed a ticket sees it counted
    }

    long lowestTail() {
        long lowest = firstStage.tailAcquire();
        for (OrderBuffer stage = firstStage.nextStage; stage != null; stage = stage.nextStage) {
            lowest = Math.min(lowest, stage.tailAcquire());
        }
        return lowest;
    }

    long parks() {
        return (long) PARKS.getOpaque(this); // opaque: a counter for monitors
    }

    private static final VarHandle QUEUE =
            VarHandles.field(MethodHandles.lookup(), Admission.class, "queue", ConcurrentLinkedQueue.class);
    private static final VarHandle WAITING =
            VarHandles.field(MethodHandles.lookup(), Admission.class, "waiting", int.class);
    private static final VarHandle PARKS =
            VarHandles.field(MethodHandles.lookup(), Admission.class, "parks", long.class);
}
