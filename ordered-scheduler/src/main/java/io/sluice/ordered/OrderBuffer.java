package io.sluice.ordered;

import io.sluice.core.access.VarHandles;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/*
 * One stamped word a slot: ticket << 4 | state. Every race is decided by a compare-and-set on that one word.
 *
 *                    finisher                 finisher
 *   EMPTY(s) ------------------> FILLING(s) -------------> VALUE, TASK, FAILURE, TRASH or EXPIRED(s)
 *      |                             |                             |
 *      | drainer                     | drainer                     | drainer (no competitor: plain move)
 *      v         finisher            v                             v
 *   TURN(s) ---------------------> TAKEN(s) ------------------> EMPTY(s + window)
 *
 *   EMPTY, FILLING ----discarding drainer----> DEAD(s): the scheduler has ended before this ticket was completed
 *
 * The drainer is exactly one thread; there is none while one word is in TURN, or while a hand-over is under way. TURN(s) is made once, by
 * the drainer that leaves, and consumed once, by the finisher of s: that finisher is the next drainer (and if the one before was another
 * thread, goes through FILLING(s), with no drainer about, while it writes its id). A drainer that meets FILLING(s) moves it to TAKEN(s):
 * the finisher's second compare-and-set fails, it finds TAKEN(s) and is the drainer. One word orders "the finisher leaves its item" and
 * "the drainer leaves": one of them comes first, and the other sees it. No second variable is read, and no item is left behind.
 *
 * Pairs. item: plain write, released by the change to VALUE..EXPIRED, acquired by waitingState()/passTurn(). Effects of ticket s:
 * released with TURN or TAKEN(s + 1), acquired by the next drainer's change. Slot reuse: EMPTY(s + window) is released before
 * tail > s; a ticket s + window is granted after tail was acquired, and reaches its finisher by the caller's own hand-off.
 *
 * Unchecked: a waiting finisher writes the item first and makes one compare-and-set EMPTY -> VALUE..; the finisher of the
 * head leaves TURN by a store. Two completions of one ticket *at the same moment* are then the caller's fault; one after the
 * other is still refused.
 *
 * Written by the drainer only: tail, drainer, deferred, longest; the role travels with the words, so plain reads of them by the
 * drainer are ordered. A thread has the role if `drainer` is its id and the word of the tail is in TAKEN or a state above. That
 * costs a store only where the role changes threads: the new drainer writes its id before its word is TAKEN, and a thread that
 * gives the role away by anything but TURN takes its own id out before. So a thread that finds its id there is the drainer, or it was
 * the last one to leave, by TURN, and nobody came since. Not promised: progress while the drainer's thread is descheduled.
 *
 * Slots stand in the order of their tickets. Neighbours share a cache line on purpose: tickets are mostly taken
 * and handled in their order, so one cache miss serves eight words.
 */
abstract class PaddingBefore {
    @SuppressWarnings("unused") // the object's header stands before them
    private long p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15;
}

abstract class OrderBufferDrainer extends PaddingBefore {
    static final VarHandle TAIL =
            VarHandles.field(MethodHandles.lookup(), OrderBufferDrainer.class, "tail", long.class);
    static final VarHandle DRAINER =
            VarHandles.field(MethodHandles.lookup(), OrderBufferDrainer.class, "drainer", long.class);
    static final VarHandle DEFERRED =
            VarHandles.field(MethodHandles.lookup(), OrderBufferDrainer.class, "deferred", long.class);
    static final VarHandle LONGEST =
            VarHandles.field(MethodHandles.lookup(), OrderBufferDrainer.class, "longest", long.class);

    @SuppressWarnings("unused")
    private long tail;

    // the id of the thread that has the role, or had it last; 0 while it is given away
    @SuppressWarnings("unused")
    private long drainer;

    @SuppressWarnings("unused")
    private long deferred;

    @SuppressWarnings("unused")
    private long longest;
}

abstract class OrderBufferAfter extends OrderBufferDrainer {
    @SuppressWarnings("unused")
    private long q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15, q16;
}

/** The order buffer: the state machine of the scheduler, without handlers, threads or policies. */
final class OrderBuffer extends OrderBufferAfter {
    static final int STATE_BITS = 4;
    static final int STATE_MASK = (1 << STATE_BITS) - 1;
    /** The highest ticket: its stamp, and that of a whole window beyond it, fit a word. */
    static final long MAX_TICKET = (1L << (62 - STATE_BITS)) - 1;

    static final int EMPTY = 0;
    static final int FILLING = 1;
    static final int TURN = 2;
    static final int TAKEN = 3;
    static final int DEAD = 4;
    /** This state and those above: an item waits for its turn. */
    static final int VALUE = 5;

    static final int TASK = 6;
    static final int FAILURE = 7;
    static final int TRASH = 8;
    static final int EXPIRED = 9;

    /** In place of an item, for a ticket that is trashed. */
    static final Object NO_ITEM = new Object();

    /** The item was left for the drainer. */
    static final int LEFT = 0;
    /** It is this ticket's turn, and the caller is the drainer now; the item was not stored. */
    static final int OURS = 1;
    /** Nothing was changed. */
    static final int REFUSED = -1;

    private static final long NOBODY = 0; // thread ids are positive

    final long[] words;
    final @Nullable Object[] items;
    final int window;
    final boolean unchecked;

    // the buffer of the next stage of the same tickets; set while the stages are built
    @Nullable
    OrderBuffer nextStage;

    // the end of the stack cut off the thread that had the role, or was about to have it: nobody has it any more
    @Nullable
    Throwable cutOff;

    OrderBuffer(int window, long first, boolean unchecked) {
        this.window = window;
        this.unchecked = unchecked;
        this.words = new long[window];
        this.items = new @Nullable Object[window];
        for (int k = 0; k < window; k++) {
            words[index(first + k)] = word(first + k, EMPTY); // plain: published by the final field
        }
        words[index(first)] = word(first, TURN); // plain: published by the final field
        TAIL.setRelease(this, first); // release: whoever is handed the object sees it
    }

    static long word(long ticket, int state) {
        return ticket << STATE_BITS | state;
    }

    static long ticketOf(long word) {
        return word >>> STATE_BITS;
    }

    static int stateOf(long word) {
        return (int) word & STATE_MASK;
    }

    int index(long ticket) {
        return (int) ticket & (words.length - 1);
    }

    // ---- finishers ----

    /** Leaves an item for its turn, or takes the turn. Wait-free: no loop, at most two compare-and-sets. */
    int offer(long ticket, int state, Object item) {
        int i = index(ticket);
        long empty = word(ticket, EMPTY);
        long now = wordAcquire(i); // acquire: TURN releases what the tickets before did
        if (now == (empty | TURN)) {
            return takeTurn(i, empty);
        }
        if (now != empty) {
            return REFUSED;
        }
        return unchecked ? leaveUnchecked(i, empty, state, item) : leave(i, empty, state, item);
    }

    private int takeTurn(int i, long empty) {
        if (unchecked) {
            becomeDrainer(); // before the word says so
            wordRelease(i, empty | TAKEN); // release: no competitor but one that broke the caller's promise
            return OURS;
        }
        boolean mine = (long) DRAINER.get(this) == Thread.currentThread().getId(); // plain: with TURN, or the CAS fails
        // CAS: one of two completions of the head wins
        return (mine ? casWord(i, empty | TURN, empty | TAKEN) : takeTurnFromAnother(i, empty)) ? OURS : REFUSED;
    }

    private boolean takeTurnFromAnother(int i, long empty) {
        if (!casWord(i, empty | TURN, empty | FILLING)) { // CAS: as above; nobody drains meanwhile
            return false;
        }
        try {
            becomeDrainer();
            wordRelease(i, empty | TAKEN); // release: with the drainer's id
        } catch (Throwable thrown) { // no stack, or no memory for the first call
            cutOff = thrown; // plain: a store needs no stack; Shutdown says who reads it
            throw thrown;
        }
        return true;
    }

    private int leave(int i, long empty, int state, Object item) {
        if (!casWord(i, empty, empty | FILLING)) { // CAS: owns the slot before the item is written
            return wordAcquire(i) == (empty | TURN) ? takeTurn(i, empty) : REFUSED; // acquire: the turn came meanwhile
        }
        items[i] = item; // plain: released by the next change, acquired by the drainer
        if (casWord(i, empty | FILLING, empty | state)) { // CAS: against a drainer that passes the turn
            return LEFT;
        }
        items[i] = null; // plain: still the owner; nobody reads it
        if (wordAcquire(i) != (empty | TAKEN)) { // acquire: what the tickets before did; else DEAD
            return REFUSED;
        }
        try {
            becomeDrainer();
        } catch (Throwable thrown) { // as above
            cutOff = thrown; // plain: as above
            throw thrown;
        }
        return OURS;
    }

    private int leaveUnchecked(int i, long empty, int state, Object item) {
        items[i] = item; // plain: the caller promised to be alone; released by the change
        if (casWord(i, empty, empty | state)) { // CAS: against a drainer that passes the turn
            return LEFT;
        }
        items[i] = null; // plain: still the owner; nobody reads it
        return wordAcquire(i) == (empty | TURN) ? takeTurn(i, empty) : REFUSED; // acquire: the turn came meanwhile
    }

    /** Takes the turn if the ticket has it and nobody took it: for closers. */
    boolean tryTakeTurn(long ticket) {
        return takeTurnFromAnother(index(ticket), word(ticket, EMPTY));
    }

    // ---- the drainer ----

    /** The state of a ticket that has an item waiting, else 0. */
    int waitingState(long ticket) {
        int state = stateOf(wordAcquire(index(ticket))); // acquire: sees the item
        return state >= VALUE ? state : 0;
    }

    /** Takes the item out of the slot. Only after {@link #waitingState} or {@link #passTurn} returned a state. */
    Object takeItem(long ticket) {
        int i = index(ticket);
        Object item = items[i]; // plain: acquired with the state
        items[i] = null; // plain: released by freeSlot()
        if (item == null) {
            throw new IllegalStateException(
                    "the item of ticket " + ticket
                            + " must be in its slot, but is gone; was it completed twice at the same moment on an unchecked scheduler?");
        }
        return item;
    }

    /** Whether an item is left in the slot. For a closer that has the role. */
    boolean hasItem(long ticket) {
        return items[index(ticket)] != null; // plain: the role brought what the drainer before had acquired
    }

    /** Frees the slot, then opens the window by one. */
    void freeSlot(long ticket) {
        wordRelease(
                index(ticket),
                word(ticket + words.length, EMPTY)); // release: after takeItem(); before the window opens
        TAIL.setRelease(this, ticket + 1); // release: pairs with the acquire of those who issue tickets
    }

    /**
     * Gives the turn to the ticket's finisher and returns 0; the caller is no longer the drainer. Or returns the state of the
     * item that came first; the caller goes on. Each failed attempt is a step of that finisher, so there are at most three.
     */
    int passTurn(long ticket) {
        int i = index(ticket);
        long empty = word(ticket, EMPTY);
        while (true) {
            long now = wordAcquire(i); // acquire: sees the item
            if (now == empty) {
                if (casWord(i, empty, empty | TURN)) { // CAS: against the finisher; releases what was done so far
                    return 0;
                }
            } else if (now == (empty | FILLING)) {
                resignAsDrainer(); // before the word says that somebody drains
                if (casWord(i, now, empty | TAKEN)) { // CAS: the finisher's second change fails, and it is the drainer
                    return 0;
                }
                becomeDrainer();
            } else {
                return stateOf(now);
            }
        }
    }

    /** Ends a ticket that has no item: 0; or the state of the item that came first. Discarding drainer only. */
    int tryMarkDead(long ticket) {
        int i = index(ticket);
        while (true) {
            long now = wordAcquire(i); // acquire: sees the item
            int state = stateOf(now);
            if (state >= VALUE || state == DEAD) {
                return state == DEAD ? 0 : state;
            }
            if (casWord(i, now, word(ticket, DEAD))) { // CAS: against the finisher
                return 0;
            }
        }
    }

    /** Marks a ticket whose item the discarding drainer took. */
    void markDead(long ticket) {
        wordRelease(index(ticket), word(ticket, DEAD)); // release: the drainer's own slot
    }

    /** The calling thread has the role now. */
    void becomeDrainer() {
        long me = Thread.currentThread().getId();
        if ((long) DRAINER.get(this) != me) { // plain: the role orders its holders
            DRAINER.setOpaque(this, me); // opaque: released with the word, or its holder has nothing to tell yet
        }
    }

    /** It is about to give the role away other than by its turn, or has discarded all. */
    void resignAsDrainer() {
        DRAINER.setOpaque(this, NOBODY); // opaque: released with what hands the role on
    }

    /** Whether the thread has the role: it is inside the handler, between two tickets, or discards. */
    boolean isDrainer(long threadId) {
        return drainer() == threadId;
    }

    /** The id of the thread that has the role, 0 if none has. Exact if it is the caller's; else it may have changed meanwhile. */
    long drainer() {
        long head = tailAcquire();
        long word = wordAcquire(index(head)); // acquire: with it, and with the tail, the thread that took the turn
        boolean taken = ticketOf(word) == head && stateOf(word) >= TAKEN;
        return taken ? (long) DRAINER.getOpaque(this) : NOBODY; // opaque: acquired above
    }

    /** Counts a run of tickets handled by one thread. */
    void countDrain(long run, long left) {
        if (left > 0) {
            long before = (long) DEFERRED.get(this); // plain: the drainer is the only writer
            DEFERRED.setOpaque(this, before + left); // opaque: for monitors
        }
        if (run > (long) LONGEST.get(this)) { // plain: the drainer is the only writer
            LONGEST.setOpaque(this, run); // opaque: for monitors
        }
    }

    /** {@link #tailAcquire}, for the drainer. */
    long tailPlain() {
        return (long) TAIL.get(this); // plain: the drainer is the only writer
    }

    // ---- issuers of tickets, and monitors ----

    /** The first ticket that has not been handled yet. */
    long tailAcquire() {
        return (long) TAIL.getAcquire(this); // acquire: the slots before it have been freed
    }

    /** Whether it is the ticket's turn and its finisher has not come, in the total order of volatile accesses. */
    boolean hasTurnVolatile(long ticket) {
        return (long) WORDS.getVolatile(words, index(ticket)) == word(ticket, TURN); // volatile: see Admission
    }

    long deferred() {
        return (long) DEFERRED.getOpaque(this); // opaque: a counter for monitors
    }

    long longestDrain() {
        return (long) LONGEST.getOpaque(this); // opaque: as deferred()
    }

    long stateWord(long ticket) {
        return wordAcquire(index(ticket)); // acquire: for messages and the time limit
    }

    /** The failure with which a ticket waits for its turn, null if there is none, or its drainer takes it just now. */
    @Nullable
    Throwable waitingFailure(long ticket) {
        // plain: the item was acquired with the word; null once the drainer has taken it
        return stateWord(ticket) == word(ticket, FAILURE) ? (Throwable) items[index(ticket)] : null;
    }

    /** Whether the slot is the ticket's now: the ticket lies within the window and has not been handled. */
    boolean isInSlot(long ticket) {
        return ticketOf(stateWord(ticket)) == ticket;
    }

    /** Whether nobody has completed the ticket, which is in its slot. */
    boolean isOpen(long ticket) {
        long word = stateWord(ticket);
        return word == word(ticket, EMPTY) || word == word(ticket, TURN);
    }

    private long wordAcquire(int i) {
        return (long) WORDS.getAcquire(words, i); // acquire: reasons at the callers
    }

    private void wordRelease(int i, long word) {
        WORDS.setRelease(words, i, word); // release: reasons at the callers
    }

    private boolean casWord(int i, long from, long to) {
        return WORDS.compareAndSet(words, i, from, to); // CAS: reasons at the callers
    }

    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);
}
