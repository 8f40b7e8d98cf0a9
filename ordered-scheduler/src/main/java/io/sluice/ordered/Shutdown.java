package io.sluice.ordered;

import io.sluice.core.State;
import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/*
 * How a stage ends, and with it the other stages of its tickets.
 *
 * A close or a halt moves the life-cycle word. From then on the drainer discards instead of delivering. Each slot of the window,
 * from the head on, is decided once, by its word, between its finisher and the discarder. If nobody is the drainer, the closer
 * takes the role: the turn, or a hand-over on its way, or the role of a drainer that broke. A drainer that did not see the end
 * passes the turn; the closer looks again until `settled`, and takes the turn then. `settled` is released after the last discard.
 *
 * A drainer that breaks offers its role by `abandoned`. Where the end of the stack leaves it no call to do so, it offers the role
 * by the plain store of OrderBuffer.cutOff, for which `offered` decides who takes it. Then a thread that waits for a ticket or a drain
 * halts the stage. That store is the last one of its thread here, and any look that finds it will do.
 *
 * A closer that breaks in its midst, by the end of the stack or by an item that is gone, leaves the role by `abandoned` to the next close,
 * in any thread. For a slot without its item, `taken` says that this closer broke there: so the next closer goes on behind it.
 *
 * Closers and drains that are inside handlers may wait for each other in a circle. While it parks, each of them enters what it waits for.
 * A thread that finds that the circle leads back to itself waits no more. A closer heeds closers only: a drain in the circle gives way.
 */

/**
 * The end of a stage: drain, close, halt, and the discarding of the rest.
 *
 * @param <T> the values' type
 */
final class Shutdown<T> {
    /** How long a closer or {@link #drain} parks between two looks. */
    private static final long POLL_NANOS = 50_000;

    /** By the id of a thread that waits in a close: the stage whose handler call it waits for. */
    private static final Map<Long, Delivery<?>> CLOSERS = new ConcurrentHashMap<>();

    /** The same for threads that wait in a drain. The rest comes through the stages before, so they wait for those too. */
    private static final Map<Long, Delivery<?>> DRAINS = new ConcurrentHashMap<>();

    private final Delivery<T> stage;

    // written by the discarding drainer
    private long discarded;
    private @Nullable Throwable discardFailure;

    // the ticket whose item the discarding drainer has taken out last, or wanted to
    private long taken = -1;

    // written by the discarding drainer, last
    @SuppressWarnings("unused")
    private boolean settled;

    // written by a drainer or closer that broke: the next closer takes the role
    @SuppressWarnings("unused")
    private boolean abandoned;

    // the role of a drainer that broke was offered, or taken because of OrderBuffer.cutOff
    private boolean offered;

    Shutdown(Delivery<T> stage) {
        this.stage = stage;
    }

    // ---- drain and close ----

    /** Ends the issue of tickets and waits until all are handled: {@link OrderedScheduler#drain}. */
    boolean drain(long timeoutNanos) {
        beginDrain();
        long start = stage.time.nanoTime();
        long me = Thread.currentThread().getId();
        while (true) {
            if (isDrained() || stage.hasEnded()) {
                return isDrained();
            }
            if (waitsForItself(me, stage.firstStage, stage, true, new HashSet<>())) {
                throw Refusals.drainByDrainer(stage);
            }
            if (stage.time.nanoTime() - start >= timeoutNanos
                    || Thread.currentThread().isInterrupted()) {
                return isDrained();
            }
            // nobody takes tickets any more, and would look; the rest comes through the stages before
            for (Delivery<?> each = stage.firstStage; each != null; each = each == stage ? null : each.nextStage) {
                each.expireOverdue();
            }
            if (!stage.helpOn()) {
                park(DRAINS, me); // a cold path: polls
            }
        }
    }

    /** Ends the issue of tickets, and waits for nothing. */
    void beginDrain() {
        drainAllStages();
        stage.admission.endIssue();
        stage.admission.wakeTakersAtEnd();
    }

    private boolean isDrained() {
        OrderBuffer buffer = stage.buffer;
        long head = buffer.tailAcquire();
        if (!stage.admission.isExternal()) {
            return head >= stage.admission.nextTicket();
        }
        for (long ticket = head; ticket < head + buffer.window; ticket++) {
            int state = OrderBuffer.stateOf(buffer.stateWord(ticket));
            if (state != OrderBuffer.EMPTY && state != OrderBuffer.TURN) {
                return false;
            }
        }
        return true;
    }

    /** Ends the stage, and waits until all that was left in it is discarded: {@link OrderedScheduler#close}. */
    void close() {
        beginClose();
        boolean interrupted = false;
        long me = Thread.currentThread().getId();
        try {
            // first the role: the thread whose id it has may be the caller, and have been cut off
            while (!isSettled() && !discardAsDrainer() && !waitsForItself(me, stage, stage, false, new HashSet<>())) {
                interrupted |= Thread.interrupted();
                park(CLOSERS, me); // a cold path: polls for the end of a handler call
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Parks for a short while; meanwhile the map says what this thread waits for. */
    private void park(Map<Long, Delivery<?>> waiting, long me) {
        try {
            waiting.put(me, stage);
            LockSupport.parkNanos(this, POLL_NANOS);
        } finally {
            waiting.remove(me);
        }
    }

    /** Ends the stage, and waits for nothing. */
    void beginClose() {
        stage.life.close();
        drainAllStages();
        endTickets();
    }

    /**
     * Whether a handler call under way is the caller's, or that of a thread that waits for the caller's, be it through others.
     *
     * @param from the first stage whose handler call is waited for
     * @param to the last one
     * @param drains whether those who wait in a drain count too
     * @param passed the threads that were looked at
     */
    private static boolean waitsForItself(long me, Delivery<?> from, Delivery<?> to, boolean drains, Set<Long> passed) {
        for (Delivery<?> each = from; each != null; each = each == to ? null : each.nextStage) {
            Long drainer = each.buffer.drainer();
            if (drainer == me) {
                return true;
            }
            if (passed.add(drainer)) {
                Delivery<?> closed = CLOSERS.get(drainer);
                Delivery<?> drained = drains ? DRAINS.get(drainer) : null;
                if ((closed != null && waitsForItself(me, closed, closed, drains, passed))
                        || (drained != null && waitsForItself(me, drained.firstStage, drained, drains, passed))) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Takes the drainer's role if nobody has it, and discards all; false if somebody has it. */
    private boolean discardAsDrainer() {
        OrderBuffer buffer = stage.buffer;
        HandOver over = stage.handOver;
        boolean mine = false; // set by what takes the role: nothing comes in between
        try {
            mine = over != null && over.take() >= 0;
            if (!mine) {
                mine = ABANDONED.compareAndSet(this, true, false); // CAS: one closer takes the role of who broke
            }
            if (!mine) {
                mine = buffer.cutOff != null // plain: looked at again and again
                        && OFFERED.compareAndSet(this, false, true); // CAS: one closer, as above
            }
            long head = buffer.tailAcquire(); // behind the look at `cutOff`: where that drainer has left off
            if (!mine) {
                mine = buffer.tryTakeTurn(head);
            }
            if (!mine) {
                return false;
            }
            buffer.becomeDrainer();
            if (buffer.hasItem(head)) {
                discardSlot(head);
            } else {
                buffer.markDead(head); // nobody has completed it, or a drainer that broke had it in its hands
            }
            discardBehind(head);
            return true;
        } catch (Throwable broken) { // no user code throws up to here
            if (mine) {
                try {
                    buffer.resignAsDrainer();
                    ABANDONED.setRelease(this, true); // release: the role, and what was discarded, to another closer
                } catch (Throwable noStack) {
                    abandoned = true; // plain: a store needs no stack; the CAS of the next closer finds it
                }
            }
            throw broken;
        }
    }

    // ---- halt ----

    /** Ends all stages with a failure, since a ticket that cannot pass one of them holds up all; reports it once. */
    void halt(Throwable cause, long ticket) {
        Throwable kept = failUpTo(null, cause);
        endTickets();
        if (!isReportedByEarlierStage(cause, kept)) {
            stage.failures.report(cause, "failed at ticket ", ticket, " and is halted");
        }
    }

    /** Fails the stages up to the last, or all for null. If two halt at once, the first one's cause is kept, and returned. */
    Throwable failUpTo(@Nullable Delivery<?> last, Throwable cause) {
        Throwable kept = cause;
        for (Delivery<?> each = stage.firstStage; each != null; each = each.nextStage) {
            if (!(each == stage ? stage.life.fail(kept) : each.shutdown.failWithOtherStage(kept))) {
                Throwable before = each.life.cause();
                kept = before == null ? kept : before;
            }
            if (each == last) {
                break;
            }
        }
        return kept;
    }

    private boolean failWithOtherStage(Throwable cause) {
        return stage.life.fail(cause);
    }

    /** Whether the cause only hands on a failure with which an earlier stage halted, and which that stage reports. */
    private static boolean isReportedByEarlierStage(Throwable cause, Throwable kept) {
        return cause != kept
                && cause instanceof TicketFailedException
                && (cause.getCause() == kept
                        || (kept instanceof TicketFailedException && cause.getCause() == kept.getCause()));
    }

    /** No stage issues tickets any more, since one that this stage refuses would hold up the windows of all. */
    private void drainAllStages() {
        for (Delivery<?> each = stage.firstStage; each != null; each = each.nextStage) {
            each.life.drain();
        }
    }

    /** Called after the life-cycle words of all stages have moved, so that a refused caller finds out why. */
    private void endTickets() {
        stage.admission.endIssue();
        stage.admission.announceEnd();
        stage.admission.wakeTakersAtEnd();
    }

    // ---- the drainer ----

    /** The drainer broke: its role is free for a closer, and the stage is halted. */
    void abandon(long ticket, Throwable broken) {
        stage.buffer.resignAsDrainer();
        ABANDONED.setRelease(this, true); // release: the role, to a closer
        offered = true; // plain: before `cutOff`, if what follows is cut off
        halt(broken, ticket);
        stage.admission.giveInterruptBack();
    }

    /** Halts the stage if the end of the stack kept its drainer from that. Any thread. */
    void haltIfCutOff() {
        Throwable thrown = stage.buffer.cutOff; // plain: looked at again and again
        if (thrown != null && !stage.hasEnded()) {
            halt(thrown, stage.buffer.tailAcquire());
        }
    }

    /** The caller has passed the turn: if the stage has ended meanwhile, takes the turn back and discards the rest. */
    void takeTurnBack(long head) {
        // if somebody else has the turn by now, it finds the end as this thread does
        if (stage.hasEnded() && mayTakeTurnBack() && stage.buffer.tryTakeTurn(head)) {
            try {
                stage.buffer.markDead(head);
                discardBehind(head);
            } catch (Throwable broken) { // no user code throws up to here
                try {
                    abandon(head, broken);
                } catch (Throwable noStack) {
                    stage.buffer.cutOff = broken; // plain: a store needs no stack
                }
                throw broken;
            }
        }
    }

    /** An unchecked finisher takes the turn by a store. So after a halt, which nobody can foresee, the turn is left to it. */
    private boolean mayTakeTurnBack() {
        return !stage.buffer.unchecked || stage.life.state() == State.CLOSED;
    }

    /** Discards the item in hand, then everything behind it. */
    void discard(long ticket, int state, Object item) {
        discardItem(ticket, state, item);
        stage.buffer.markDead(ticket);
        discardBehind(ticket);
    }

    private void discardBehind(long ticket) {
        for (long behind = ticket + 1; behind < ticket + stage.buffer.window; behind++) {
            discardSlot(behind);
        }
        stage.buffer.resignAsDrainer();
        SETTLED.setRelease(this, true); // release: with the counts and the handler's effects
        stage.admission.wakeTakersAtEnd();
        stage.admission.giveInterruptBack();
    }

    private void discardSlot(long ticket) {
        OrderBuffer buffer = stage.buffer;
        int state = buffer.tryMarkDead(ticket);
        if (state != 0) {
            if (ticket != taken || buffer.hasItem(ticket)) { // else who broke here had taken it, or had found it gone
                taken = ticket; // plain: the role brings it to the next one
                discardItem(ticket, state, buffer.takeItem(ticket));
            }
            buffer.markDead(ticket);
        }
    }

    @SuppressWarnings("unchecked") // VALUE items were given to complete(long, T)
    private void discardItem(long ticket, int state, Object item) {
        DISCARDED.setOpaque(this, discarded + 1); // opaque: for monitors; the drainer is the only writer
        boolean failure = state == OrderBuffer.FAILURE || state == OrderBuffer.EXPIRED;
        boolean told = false;
        try {
            if (failure && stage.handler instanceof DiscardHandler<?> teller) {
                told = teller.onDiscardedFailure(ticket, (Throwable) item);
            } else {
                stage.handler.onDiscarded(ticket, state == OrderBuffer.VALUE ? (T) item : null);
            }
        } catch (Throwable thrown) {
            if (discardFailure == null) {
                DISCARD_FAILURE.setRelease(this, thrown); // release: with the contents of the exception
            }
        }
        if (failure && !told && item != stage.life.cause()) { // which is reported by itself
            stage.failures.report((Throwable) item, "has discarded the failure of ticket ", ticket, "");
        }
    }

    // ---- monitors ----

    /** Whether the stage has ended, and all that was left in it has been discarded. */
    boolean isSettled() {
        return (boolean) SETTLED.getAcquire(this); // acquire: with the counts
    }

    long discarded() {
        return (long) DISCARDED.getOpaque(this); // opaque: a counter for monitors
    }

    @Nullable
    Throwable discardFailure() {
        return (Throwable) DISCARD_FAILURE.getAcquire(this); // acquire: with the contents of the exception
    }

    private static final VarHandle DISCARDED =
            VarHandles.field(MethodHandles.lookup(), Shutdown.class, "discarded", long.class);
    private static final VarHandle DISCARD_FAILURE =
            VarHandles.field(MethodHandles.lookup(), Shutdown.class, "discardFailure", Throwable.class);
    private static final VarHandle SETTLED =
            VarHandles.field(MethodHandles.lookup(), Shutdown.class, "settled", boolean.class);
    private static final VarHandle ABANDONED =
            VarHandles.field(MethodHandles.lookup(), Shutdown.class, "abandoned", boolean.class);
    private static final VarHandle OFFERED =
            VarHandles.field(MethodHandles.lookup(), Shutdown.class, "offered", boolean.class);
}
