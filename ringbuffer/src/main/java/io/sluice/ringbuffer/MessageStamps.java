package io.sluice.ringbuffer;

import io.sluice.core.Sequence;
import io.sluice.core.SequenceBarrier;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/*
 * The publications of a ring of messages with many producers. There is a stamp of one byte for each sequence, beside the messages: the lap
 * of the buffer in which it was last published, -1 before the first. A publication writes the stamps of all its sequences, that of the
 * first one last.
 *
 *   producer                                      consumer, at the boundary p of two records
 *   headers and payloads, plain                   laps[p] == lap of p?  acquire
 *   laps[first + 1 .. last] := lap, plain         laps[p + 1 ..] == lap?  eight at a time, plain, then a fence
 *   laps[first] := lap, release          ------>  the first that differs, again: acquire
 *
 * So a consumer finds how far records are published without their headers, each of which would be a wait for another line. It stops at the
 * first stamp that differs. That stamp is no inner one of a record whose first stamp it has seen: behind the fence it sees all of these,
 * and looks again. So it stops at a boundary. The inner stamps of a record that is not yet published mean nothing, since it stops before.
 *
 * Nobody claims a sequence of the next lap before all consumers have passed it, and none passes it before its stamp is written. So a
 * consumer finds either the lap that it waits for, or the one before; 256 laps could not be told apart. A reader that is no consumer may
 * be so far behind, and each reader may on a ring without consumers. So isStamped() asks the claims too whether a later lap has the place.
 *
 * Where nobody gates, others may overtake a producer by a lap. There it writes each stamp by CAS, and only forward.
 *
 * A count of records reads their headers. A consumer may read a header that it has not passed: no producer claims it before. Other readers
 * must look again, behind the read, whether a consumer has yet to pass it: see ObjectRing.behind().
 */
final class MessageStamps extends Stamps {
    private static final VarHandle LAP = MethodHandles.arrayElementVarHandle(byte[].class);
    private static final VarHandle EIGHT = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long EACH_BYTE = 0x0101_0101_0101_0101L;

    private final byte[] laps;
    private final int lapShift;
    private final Sequence claims;

    MessageStamps(Messages messages, Sequence claims) {
        this.claims = claims;
        laps = new byte[messages.capacity()];
        lapShift = Integer.numberOfTrailingZeros(laps.length);
        Arrays.fill(laps, (byte) -1);
        VarHandle.releaseFence(); // release: the fill, before the ring is handed out
    }

    private int index(long sequence) {
        return (int) sequence & (laps.length - 1);
    }

    private byte lap(long sequence) {
        return (byte) (sequence >>> lapShift);
    }

    @Override
    void stamp(long sequence) {
        LAP.setRelease(laps, index(sequence), lap(sequence)); // release: the record, to isFirst() and available()
    }

    /** Publishes a range, which is one record or more. Called by its owner. */
    void stampAll(long lo, long hi) {
        int first = index(lo);
        int last = index(hi);
        if (first <= last) {
            fill(first + 1, last, lap(lo));
        } else { // a claim that was aborted may cross the end of the buffer
            fill(first + 1, laps.length - 1, lap(lo));
            fill(0, last, lap(hi));
        }
        stamp(lo);
    }

    /** As {@link #stampAll}, where others may have overtaken the range by a lap: no stamp goes back. */
    void stampAllForward(long lo, long hi) {
        for (long sequence = hi; sequence >= lo; sequence--) {
            stampForward(sequence);
        }
    }

    @Override
    void stampForward(long sequence) {
        byte lap = lap(sequence);
        int at = index(sequence);
        byte stamp = (byte) LAP.getAcquire(laps, at); // acquire: the CAS decides
        while (!isClaimedAgain(sequence)
                && (byte) (lap - stamp) > 0
                && !LAP.compareAndSet(
                        laps, at, stamp, lap)) { // CAS: never back; publishes the record, by its first one
            stamp = (byte) LAP.getAcquire(laps, at); // acquire: as above
        }
    }

    @Override
    Stamps forward() {
        return new Forward(this);
    }

    /** Plain: the release of the range's first stamp comes after them. */
    private void fill(int from, int to, byte lap) {
        int at = from;
        if (to - from >= Long.BYTES - 1) {
            long eight = (lap & 0xFF) * EACH_BYTE;
            for (; at <= to - (Long.BYTES - 1); at += Long.BYTES) {
                EIGHT.set(laps, at, eight); // plain: as above
            }
        }
        for (; at <= to; at++) {
            laps[at] = lap;
        }
    }

    /** Whether a sequence has been published, in this lap or a later one. */
    @Override
    boolean isStamped(long sequence) {
        byte stamp = (byte) LAP.getAcquire(laps, index(sequence)); // acquire: with stamp()
        return (byte) (stamp - lap(sequence)) >= 0 || isClaimedAgain(sequence);
    }

    /** Whether a later lap has the sequence's place. Asked behind the look at its stamp. */
    private boolean isClaimedAgain(long sequence) {
        return ClaimWord.next(claims.getAcquire()) - sequence > laps.length; // acquire: not before the stamp is read
    }

    /** Whether the record that begins here is published. For a consumer, or a worker that finds out whether it was the first to take it. */
    boolean isFirst(long sequence) {
        return (byte) LAP.getAcquire(laps, index(sequence)) == lap(sequence); // acquire: with stamp()
    }

    /** Follows the stamps from a boundary of records; remembers how far it has seen, so that a cut batch is not walked twice. */
    static final class Barrier implements SequenceBarrier {
        private final MessageStamps stamps;

        // the consumer's thread only
        private long seen = -1;

        Barrier(MessageStamps stamps) {
            this.stamps = stamps;
        }

        @Override
        public long available(long next) {
            long highest = seen;
            if (highest < next) {
                highest = stamps.available(next); // acquire inside
                seen = highest;
            }
            return highest;
        }
    }

    /** The last sequence of an unbroken run of published records from the boundary {@code next} on, {@code next - 1} if there is none. */
    private long available(long next) {
        long sequence = next;
        while (isFirst(sequence)) { // also the look again
            sequence++;
            long eight = (lap(sequence) & 0xFF) * EACH_BYTE;
            long differs = 0;
            for (int at = index(sequence); differs == 0 && at <= laps.length - Long.BYTES; at += Long.BYTES) {
                differs = (long) EIGHT.get(laps, at) ^ eight; // plain: the fence below, and the look again
                sequence += Long.numberOfTrailingZeros(differs) >>> 3; // little-endian: so many are the same
            }
            VarHandle.acquireFence(); // acquire: these stamps before the look again, headers and payloads
        }
        return sequence - 1;
    }
}
