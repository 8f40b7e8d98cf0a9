package com.lmax.disruptor;

import com.lmax.disruptor.util.Util;
import io.sluice.core.access.ClaimRace;
import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/*
 * A claim is a compare-and-set of the cursor, after room is known. So a claim that waits holds nothing, and the cursor
 * never runs ahead of the ring's capacity.
 *
 * A sequence is published if its slot has its stamp: stamps[sequence & mask] == sequence >>> shift, the lap of the ring. The
 * producer releases the stamp after it has written the slot, a reader acquires it before it reads the slot. A stamp of an
 * earlier lap differs, so nobody has to clear it.
 *
 * A claim of several slots needs them free at one moment. Claims of one would take each slot as it is given back. So a claim of several
 * that has waited for some time goes first in line: until it has its slots, other claims find no room beyond the gate that is known, and
 * nobody raises that gate. A consumer may wait for room itself, in its handler: so the claim that is first lends its place for a pause
 * when no consumer has moved for about a quarter of a second.
 *
 * Not promised: that the cursor is published. It says what is claimed.
 */

/** Claims for any number of producers. A claim is one compare-and-set, a publication one release store and the wait strategy's signal. */
public final class MultiProducerSequencer extends AbstractSequencer {
    private static final VarHandle STAMPS = MethodHandles.arrayElementVarHandle(int[].class);

    private static final long NO_ROOM = Long.MIN_VALUE; // no claim ends there

    // of the line
    private static final long FREE = 0;
    static final long TAKEN = 1; // not private for tests
    private static final long LENT = 2;

    /** So many pauses take about a quarter of a second. */
    private static final int PATIENCE = 256;

    private final int[] stamps;
    private final int mask;
    private final int shift;

    /** A lower bound of the gating sequences. Written by each thread that has looked at them. */
    private final Sequence gate = new Sequence();

    /** How many producers wait for room. A claim is counted here or in the cursor from its first pause on, for a moment in both. */
    private final Sequence waiting = new Sequence(0);

    /** The right to claim: of anybody, of the one first in line, or of anybody while that one keeps its place. */
    final Sequence line = new Sequence(0); // not private for tests

    /** When a claim of any producer lost last: see {@link ClaimRace}. */
    final Sequence lastLoss = new Sequence(0); // not private for tests

    /**
     * Creates a sequencer.
     *
     * @param bufferSize the number of slots, a power of two
     * @param waitStrategy how consumers wait
     * @throws IllegalArgumentException if {@code bufferSize} is no power of two
     * @throws NullPointerException if {@code waitStrategy} is null
     */
    public MultiProducerSequencer(int bufferSize, WaitStrategy waitStrategy) {
        super(bufferSize, waitStrategy);
        stamps = new int[bufferSize];
        Arrays.fill(stamps, -1);
        mask = bufferSize - 1;
        shift = Util.log2(bufferSize);
    }

    @Override
    public boolean hasAvailableCapacity(int requiredCapacity) {
        long claimed = cursor.get();
        long wrapPoint = claimed + requiredCapacity - bufferSize;
        // acquire: as in roomUpTo; it leaves the gate alone, since somebody may be first in line
        return wrapPoint <= gate.get() || wrapPoint <= Util.getMinimumSequence(gatingSequences, claimed);
    }

    private boolean roomUpTo(long wrapPoint, long claimed, boolean first) {
        if (wrapPoint <= gate.get()) { // acquire: who wrote it has acquired the consumers' progress
            return true;
        }
        if (!first && line.get() == TAKEN) { // acquire: as old as it may be, few claims pass the line for it
            return false;
        }
        long minimum = Util.getMinimumSequence(gatingSequences, claimed);
        if (!first) {
            gate.set(minimum); // release: hands on what was acquired
        }
        return wrapPoint <= minimum;
    }

    @Override
    public void claim(long sequence) {
        gate.set(Math.min(gate.get(), sequence));
        cursor.set(sequence);
    }

    @Override
    public long next() {
        return next(1);
    }

    @Override
    public long next(int n) {
        Check.inRange(n, 1, bufferSize, "n");
        long claimed = claimIfRoom(n, false);
        return claimed == NO_ROOM ? awaitRoom(n) : claimed;
    }

    private long awaitRoom(int n) {
        waiting.getAndAdd(1); // full fence: before the first pause
        boolean first = false;
        boolean lent = false;
        long seen = 0;
        try {
            for (int attempt = 0; ; ) {
                attempt = RoomPause.pause(attempt);
                signalNowAndThen(attempt);
                long claimed = claimIfRoom(n, first);
                if (claimed != NO_ROOM) {
                    return claimed;
                }
                if (n == 1 || attempt < RoomPause.PARKS_FROM) {
                    continue;
                }
                long minimum = getMinimumSequence();
                if (!first) {
                    if (!line.compareAndSet(FREE, TAKEN)) { // CAS: one goes first
                        continue;
                    }
                    first = true;
                } else if (lent) {
                    lent = false;
                    line.set(TAKEN); // release: the pause is over
                } else if (minimum == seen) {
                    if (attempt >= PATIENCE) {
                        lent = true;
                        line.set(LENT); // release: a claim that sees it looks for room
                    }
                    continue;
                }
                seen = minimum;
                attempt = RoomPause.PARKS_FROM; // others wait for this claim: it parks for short again
            }
        } finally {
            if (first) {
                line.set(FREE); // release: a claim that sees it looks for room
            }
            waiting.getAndAdd(-1); // full fence: after the claim
        }
    }

    @Override
    boolean hasWaitingProducer() {
        return waiting.get() > 0; // acquire: the claim of who is no longer counted is in the cursor
    }

    private long claimIfRoom(int n, boolean first) {
        while (true) {
            long claimed = cursor.get();
            long next = claimed + n;
            if (!roomUpTo(next - bufferSize, claimed, first)) {
                return NO_ROOM;
            }
            if (cursor.compareAndSet(claimed, next)) { // CAS: room was known for exactly this claim
                return next;
            }
            long last = lastLoss.get(); // acquire: a hint
            lastLoss.set(ClaimRace.lost(last)); // release: a hint; nothing is lost if one overwrites another's
        }
    }

    @Override
    public long tryNext() throws InsufficientCapacityException {
        return tryNext(1);
    }

    @Override
    public long tryNext(int n) throws InsufficientCapacityException {
        Check.inRange(n, 1, Integer.MAX_VALUE, "n");
        long claimed = claimIfRoom(n, false);
        if (claimed == NO_ROOM) {
            throw InsufficientCapacityException.INSTANCE;
        }
        return claimed;
    }

    @Override
    public long remainingCapacity() {
        long claimed = cursor.get();
        return bufferSize - (claimed - Util.getMinimumSequence(gatingSequences, claimed));
    }

    @Override
    public void publish(long sequence) {
        stamp(sequence);
        signalConsumers();
    }

    @Override
    public void publish(long lo, long hi) {
        for (long sequence = lo; sequence <= hi; sequence++) {
            stamp(sequence);
        }
        signalConsumers();
    }

    private void stamp(long sequence) {
        // release: publishes the slot; pairs with isAvailable
        STAMPS.setRelease(stamps, (int) sequence & mask, (int) (sequence >>> shift));
    }

    @Override
    public boolean isAvailable(long sequence) {
        // acquire: the slot's contents are visible
        return (int) STAMPS.getAcquire(stamps, (int) sequence & mask) == (int) (sequence >>> shift);
    }

    @Override
    public long getHighestPublishedSequence(long nextSequence, long availableSequence) {
        for (long sequence = nextSequence; sequence <= availableSequence; sequence++) {
            if (!isAvailable(sequence)) {
                return sequence - 1;
            }
        }
        return availableSequence;
    }
}
