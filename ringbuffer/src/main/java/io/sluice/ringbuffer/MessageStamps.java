package io.sluice.ringbuffer;

import io.sluice.core.SequenceBarrier;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/*
 * The publications of a ring of messages with many producers. There is a stamp for each sequence, beside the messages; a record uses
 * that of its first sequence only.
 *
 *   producer                                  consumer, at the boundary p of two records
 *   header and payload, plain                 firsts[p] == p?  acquire
 *   firsts[first] := first, release  ------>  header, plain: where the next record begins
 *
 * A stamp holds the whole sequence. One that is older than a lap is left where a record begins seldom, and must never look new.
 *
 * A header may be read by a consumer that has not passed it: no producer claims it before. Others must look again, behind the read,
 * whether somebody has yet to pass it: see MessageMultiRing.
 */
final class MessageStamps extends Stamps {
    private static final VarHandle FIRST = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] firsts;
    private final Messages messages;

    MessageStamps(Messages messages) {
        this.messages = messages;
        firsts = new long[messages.capacity()];
        Arrays.fill(firsts, -1);
        VarHandle.releaseFence(); // release: the fill, before the ring is handed out
    }

    private int index(long sequence) {
        return (int) sequence & (firsts.length - 1);
    }

    @Override
    void stamp(long sequence) {
        FIRST.setRelease(firsts, index(sequence), sequence); // release: the record, to isFirst() and available()
    }

    /** Publishes each record of a range. Who owns it. */
    void stampAll(long lo, long hi) {
        long sequence = lo;
        while (sequence <= hi) {
            long following = messages.next(sequence); // before the stamp: afterwards it may be another's
            stamp(sequence);
            sequence = following;
        }
    }

    /** Whether the record that begins here has been published, in this lap or a later one. */
    @Override
    boolean isStamped(long sequence) {
        return (long) FIRST.getAcquire(firsts, index(sequence)) >= sequence; // acquire: with stamp()
    }

    /** Whether the record that begins here is published, and no later one in its place. */
    boolean isFirst(long sequence) {
        return (long) FIRST.getAcquire(firsts, index(sequence)) == sequence; // acquire: with stamp()
    }

    /** Follows the records from one to the next; remembers how far it has seen, so that a cut batch is not walked twice. */
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

    /** The last sequence of an unbroken run of published records from {@code next} on, {@code next - 1} if there is none. */
    private long available(long next) {
        long sequence = next;
        while (isFirst(sequence)) {
            sequence = messages.next(sequence);
        }
        return sequence - 1;
    }
}
