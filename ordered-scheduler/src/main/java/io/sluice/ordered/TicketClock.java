package io.sluice.ordered;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/*
 * When each outstanding ticket was issued, and to whom: kept only where a time limit or tracking asks for it.
 *
 * issued[slot] is 0 while unknown. The issuer writes it after the grant; the drainer sets it to 0 before it frees the slot, so
 * that a look never takes the time of the ticket one window before. Opaque throughout: a look acts on a time only by a
 * compare-and-set on the slot's word, whose stamp holds the ticket. Where the issuer has no stack for the time, it leaves a mark by a
 * plain store, and the next look writes the time. Times are odd, the mark is even.
 */
final class TicketClock {
    /** In place of a time: it begins with the next look. */
    static final long AT_NEXT_LOOK = 2;

    private final NanoClock time;
    final long[] issued;
    private final long[] expired;
    private final @Nullable Thread[] owners;

    TicketClock(NanoClock time, int window) {
        this.time = time;
        issued = new long[window];
        expired = new long[window];
        owners = new @Nullable Thread[window];
        java.util.Arrays.fill(expired, -1L); // plain: published by the final field
    }

    /** The value that is kept for the slot, 0 if none is. To be read before the look at whose the slot is. */
    long started(int slot) {
        return (long) ISSUED.getAcquire(issued, slot); // acquire: before the slot's word
    }

    /** Returns the time that is kept now; 0 if what is kept is no longer {@code before}. */
    long start(int slot, long before, Thread owner) {
        long now = time.nanoTime() | 1L;
        OWNERS.setOpaque(owners, slot, owner); // opaque: for monitors
        // CAS: leaves alone the time of a later ticket; with it the owner
        return ISSUED.compareAndSet(issued, slot, before, now) ? now : 0;
    }

    /** Takes a time back, unless the slot has another one by now. */
    void stop(int slot, long time) {
        ISSUED.compareAndSet(issued, slot, time, 0L); // CAS: leaves alone the time of a later ticket
    }

    void own(int slot, Thread owner) {
        OWNERS.setOpaque(owners, slot, owner); // opaque: for monitors
    }

    void clear(int slot) {
        ISSUED.setOpaque(issued, slot, 0L); // opaque: ordered before the freed slot by its release
        OWNERS.setOpaque(owners, slot, (Thread) null); // opaque: lets go of the thread
    }

    /** Nanoseconds since the issue, or since the first look if that time was not kept; or -1 if unknown. */
    long age(int slot, long now) {
        long since = (long) ISSUED.getAcquire(issued, slot); // acquire: with it the owner
        if (since == AT_NEXT_LOOK) {
            ISSUED.compareAndSet(issued, slot, AT_NEXT_LOOK, now | 1L); // CAS: leaves alone what came meanwhile
            return 0;
        }
        return since == 0 ? -1 : Math.max(0, now - since);
    }

    @Nullable
    Thread owner(int slot) {
        return (Thread) OWNERS.getOpaque(owners, slot); // opaque: for messages
    }

    long expiredMark(int slot) {
        return (long) EXPIRED.getAcquire(expired, slot); // acquire: read before the slot's word
    }

    /** Before the ticket is failed, so that an owner that comes too late is told why. */
    boolean markExpired(int slot, long mark, long ticket) {
        return EXPIRED.compareAndSet(
                expired, slot, mark, ticket); // CAS: a look that was delayed overwrites no later mark
    }

    /** The owner came first. */
    void unmarkExpired(int slot, long ticket) {
        EXPIRED.compareAndSet(expired, slot, ticket, -1L); // CAS: only its own mark
    }

    boolean isExpired(int slot, long ticket) {
        return (long) EXPIRED.getOpaque(expired, slot) == ticket; // opaque: the slot's word was acquired before
    }

    private static final VarHandle ISSUED = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle EXPIRED = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle OWNERS = MethodHandles.arrayElementVarHandle(Thread[].class);
}
