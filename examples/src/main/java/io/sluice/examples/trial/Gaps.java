package io.sluice.examples.trial;

/*
 * The gaps between the packets of a socket. A visit reads packets until the socket is empty. Messages sent while the reader
 * stood still are counted from the time when the socket was last seen empty before:
 *
 *   empty | stood still | what the socket held | gap | the rest | empty      one visit
 *   empty | stood still | what the socket held | empty | gap | ...           two: a full socket takes nothing until it is
 *                                                                            read, so the gap is before the next packet
 *
 * In the second case the gap is the first thing of a visit, and belongs to the stand-still of the visit before.
 */
final class Gaps {
    private static final long NOT_YET = -1;

    private long expected = NOT_YET;
    private long looked;
    private int packets;
    private long base;
    private long stall;

    // of the last visit with packets
    private long baseBefore;
    private long stallBefore;

    // of this visit
    private long first;
    private long gone;
    private boolean opened; // whether it began with a gap

    Gaps(long now) {
        looked = now;
    }

    /**
     * A packet was read.
     *
     * @param number its first message
     * @param messages how many it has
     * @param now the time, nanoseconds
     * @return whether it is new: neither come before nor late
     */
    boolean packet(long number, int messages, long now) {
        stall = Math.max(stall, now - looked);
        looked = now;
        if (expected == NOT_YET) {
            expected = number;
            base = number;
            baseBefore = number;
        }
        boolean opens = packets++ == 0;
        if (number > expected) {
            opened |= opens;
            first = gone == 0 ? expected : first;
            gone += number - expected;
        }
        if (number < expected) {
            return false;
        }
        expected = number + messages;
        return true;
    }

    /**
     * The socket is empty: the end of a visit, whose losses can be asked for until the next packet.
     *
     * @param now the time, nanoseconds
     * @return how many messages were missing
     */
    long emptied(long now) {
        looked = now;
        return gone;
    }

    /** The losses of a visit in words: the first message, how many, how many were sent meanwhile, how long it stood still. */
    String inWords() {
        long since = opened ? baseBefore : base;
        long stoodStill = opened ? Math.max(stall, stallBefore) : stall;
        return "loss " + first + " " + gone + " " + (expected - since) + " " + stoodStill;
    }

    /** Begins the next visit. */
    void next() {
        if (packets > 0) {
            baseBefore = base;
            stallBefore = stall;
        }
        packets = 0;
        base = expected;
        stall = 0;
        gone = 0;
        opened = false;
    }

    /** The message after the newest, -1 before the first packet. */
    long expected() {
        return expected;
    }
}
