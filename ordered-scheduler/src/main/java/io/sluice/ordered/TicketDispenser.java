package io.sluice.ordered;

import io.sluice.core.State;
import io.sluice.core.check.Check;
import java.lang.invoke.VarHandle;

/**
 * Hands out the tickets of a stage, and lets ticket takers wait for room. {@link Admission} decides who gets one. Any thread;
 * with {@link TicketMode#SINGLE} one at a time.
 */
final class TicketDispenser {
    private static final int SPINS = 100;

    /** Stands for no ticket in particular: the next one is issued. */
    private static final long NEXT = -1;

    /** As {@link #NEXT}, but the ticket's time does not begin yet, and the caller holds a lock: no handler is called. */
    private static final long UNTIMED = -2;

    /** While takers wait they fail overdue tickets themselves, each tenth of the limit, but not more often than this. */
    private static final long MIN_EXPIRY_NANOS = 100_000;

    /** An executor has this time, that of a first park. After it a taker that waits shorter than a park goes on in its stead. */
    private static final long EXECUTORS_TIME_NANOS = Admission.MIN_PARK_NANOS;

    private final Delivery<?> stage;
    private final Admission admission;

    // false if tickets come from outside, or this is a later stage
    private final boolean issues;

    TicketDispenser(Delivery<?> stage) {
        this.stage = stage;
        this.admission = stage.admission;
        this.issues = stage.firstStage == stage && !admission.isExternal();
    }

    /** As {@link OrderedScheduler#next()}. */
    long next() throws InterruptedException {
        long ticket = issues && stage.life.isRunning() ? issue() : OrderedScheduler.FULL;
        return ticket >= 0 ? ticket : awaitNext();
    }

    private long awaitNext() throws InterruptedException {
        long ticket = next(Long.MAX_VALUE);
        return ticket >= 0 ? ticket : issuedOrThrow(ticket);
    }

    /**
     * As {@link #next()}, but the ticket's time begins with {@link #startClocks}. The caller is its owner until then. Calls no handler:
     * it is {@link OrderedScheduler#FULL} where the caller has to {@link #helpOn} first, and then call again.
     */
    long nextUntimed() throws InterruptedException {
        checkIssues();
        long ticket = await(UNTIMED, Long.MAX_VALUE);
        if (ticket < 0) {
            return ticket == OrderedScheduler.FULL ? ticket : issuedOrThrow(ticket);
        }
        try {
            own(ticket);
        } catch (Throwable noStack) { // the ticket is the caller's all the same
            return ticket;
        }
        return ticket;
    }

    /** Work of a thread that waits for a ticket, for all: it goes on in an executor's stead, and fails overdue tickets. */
    void helpOn() {
        stage.helpOn();
        expireOverdue();
    }

    private long issuedOrThrow(long ticket) throws InterruptedException {
        if (ticket >= 0) {
            return ticket;
        }
        if (ticket == OrderedScheduler.INTERRUPTED) {
            Thread.interrupted();
            throw new InterruptedException("next() must wait without an interrupt, but the thread was interrupted");
        }
        throw Refusals.ended(stage, stage.nextTicket());
    }

    /** As {@link OrderedScheduler#next(long, java.util.concurrent.TimeUnit)}, in nanoseconds, 0 or more. */
    long next(long timeoutNanos) {
        checkIssues();
        return await(NEXT, timeoutNanos);
    }

    /** As {@link OrderedScheduler#tryNext}. */
    long tryNext() {
        checkIssues();
        long ticket = stage.life.isRunning() ? issue() : endCode();
        if (ticket == OrderedScheduler.FULL) { // who only tries never waits, where that would be found
            stage.haltIfCutOff();
            return stage.life.isRunning() ? ticket : endCode();
        }
        return ticket;
    }

    /** As {@link OrderedScheduler#awaitRoom}. */
    long awaitRoom(long ticket, long timeoutNanos) {
        if (!admission.isExternal()) {
            throw new UnsupportedOperationException(
                    "awaitRoom() must be called where tickets come from outside, but here next() issues them");
        }
        Check.inRange(ticket, admission.firstTicket, OrderBuffer.MAX_TICKET, "ticket");
        return await(ticket, Math.max(0, timeoutNanos));
    }

    /** After the grant nothing may throw, nor may a call need more stack than there may be: the ticket would be lost. */
    private long issue() {
        long ticket = admission.tryIssue();
        if (ticket < 0) {
            return orEndCode(ticket);
        }
        try {
            startClocks(ticket);
        } catch (Throwable noStack) { // the ticket is the caller's all the same, and its time begins with the next look
            for (Delivery<?> each = stage; each != null; each = each.nextStage) {
                TicketClock ages = each.clock;
                if (ages != null) {
                    long[] issued = ages.issued;
                    int slot = (int) ticket & (issued.length - 1);
                    // plain: takes no stack; nobody else has the ticket yet
                    issued[slot] = issued[slot] == 0 ? TicketClock.AT_NEXT_LOOK : issued[slot];
                }
            }
        }
        return ticket;
    }

    private long issueUntimed() {
        long ticket = admission.tryIssue();
        return ticket >= 0 ? ticket : orEndCode(ticket);
    }

    private long orEndCode(long ticket) {
        return ticket == Admission.ENDED ? endCode() : ticket;
    }

    /** The ticket's time begins, in this stage and in all later ones; the caller is its owner. */
    void startClocks(long ticket) {
        for (Delivery<?> each = stage; each != null; each = each.nextStage) {
            TicketClock ages = each.clock;
            if (ages != null) {
                startClock(each, ages, ticket);
            }
        }
    }

    private void startClock(Delivery<?> each, TicketClock ages, long ticket) {
        int slot = each.buffer.index(ticket);
        long time = 0;
        while (time == 0) {
            long before = ages.started(slot);
            // it may have been handled already: then its slot and its clock belong to a later one
            if (!each.buffer.isInSlot(ticket)) {
                return;
            }
            time = ages.start(slot, before, Thread.currentThread());
        }
        // an external ticket may be completed while it is let in, and the stage before may end one in a later stage
        if (admission.isExternal() || each != stage) {
            VarHandle.fullFence(); // full: the time | the word, which its finisher moves before the time is cleared
            if (!each.buffer.isOpen(ticket)) {
                ages.stop(slot, time);
            }
        }
    }

    /** As {@link OrderedScheduler#own}. */
    void own(long ticket) {
        TicketClock ages = stage.clock;
        if (ages != null && stage.buffer.isInSlot(ticket)) {
            ages.own(stage.buffer.index(ticket), Thread.currentThread());
        }
    }

    /** Waits for room: for the given ticket, or for the next one, which is then issued. */
    private long await(long wanted, long timeoutNanos) {
        long start = 0;
        boolean helped = false; // with the time over: there may be room now
        for (int round = -SPINS; ; round++) {
            if (!stage.life.isRunning()) {
                return endCode();
            }
            if (wanted < 0) {
                long ticket = wanted == NEXT ? issue() : issueUntimed();
                if (ticket != OrderedScheduler.FULL) {
                    return ticket;
                }
            } else if (admission.hasRoom(wanted)) {
                startClocks(wanted);
                return wanted;
            }
            long ticket = wanted < 0 ? admission.nextTicket() : wanted;
            if (round == -SPINS) {
                if (timeoutNanos == 0) {
                    return OrderedScheduler.TIMED_OUT;
                }
                refuseSelfDeadlock(ticket);
                start = stage.time.nanoTime();
            } else if (Thread.currentThread().isInterrupted()) {
                return OrderedScheduler.INTERRUPTED;
            } else {
                refuseSelfDeadlock(
                        ticket); // again: others may have taken tickets, up to this thread's own stage's bound
            }
            if (round < 0) {
                Thread.onSpinWait();
                continue;
            }
            long left =
                    timeoutNanos == Long.MAX_VALUE ? Long.MAX_VALUE : timeoutNanos - (stage.time.nanoTime() - start);
            if (left <= 0) {
                if (!helped && helpAtLast(round)) {
                    helped = true;
                    continue;
                }
                return OrderedScheduler.TIMED_OUT;
            }
            if (wanted == UNTIMED) {
                boolean looks = stage.time.nanoTime() - start >= parkAtMost(Long.MAX_VALUE); // for overdue tickets
                if (round > 0 && (looks || stage.needsHelp())) {
                    return OrderedScheduler.FULL;
                }
            } else if (round > 0 && stage.helpOn()) { // an executor has the time of a park to go on by itself
                continue;
            } else {
                expireOverdue();
            }
            admission.park(ticket, round, parkAtMost(left), stage.life);
        }
    }

    /** Helps once the time is over: a taker that waits shorter than a park, or than the spins, has not helped before. True if it did. */
    private boolean helpAtLast(int round) {
        boolean goesOn = stage.helpOnAfter(EXECUTORS_TIME_NANOS);
        boolean expired = round == 0 && expireOverdue(); // in a later round it has looked already
        return goesOn || expired;
    }

    /** Fails overdue tickets of this stage and of later ones; true if there were any. */
    private boolean expireOverdue() {
        int expired = 0;
        for (Delivery<?> each = stage; each != null; each = each.nextStage) {
            expired += each.expireOverdue();
        }
        return expired > 0;
    }

    /** How long to park until the next look for overdue tickets, at most the time left. */
    private long parkAtMost(long left) {
        long park = left;
        for (Delivery<?> each = stage; each != null; each = each.nextStage) {
            TimeLimit limit = each.timeLimit;
            if (limit != null) {
                park = Math.min(park, Math.max(MIN_EXPIRY_NANOS, limit.nanos / 10));
            }
        }
        return park;
    }

    private void refuseSelfDeadlock(long ticket) {
        if (admission.isHeldUpBy(Thread.currentThread().getId(), ticket)) {
            throw Refusals.waitForOneself(stage, ticket);
        }
    }

    private void checkIssues() {
        if (!issues) {
            throw new UnsupportedOperationException(
                    admission.isExternal()
                            ? "tickets must be taken where they come from, but next() was called, and they come from outside"
                            : "tickets must be taken from the first stage, but this is a later one");
        }
    }

    private long endCode() {
        return stage.life.state() == State.FAILED ? OrderedScheduler.FAILED : OrderedScheduler.CLOSED;
    }
}
