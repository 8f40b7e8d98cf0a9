package io.sluice.perf.flow;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A message of longs in bytes, as generated codecs read and write it: it is wrapped around each message, and has an accessor for each
 * field. The first field is the payload that contestants add up, the others are there to be moved.
 */
final class Figures {
    private final int length;
    private DirectBuffer buffer;
    private int offset;

    /**
     * Around nothing yet.
     *
     * @param length how many bytes a message has, a multiple of 8
     * @param none stands in until a message is wrapped
     */
    Figures(int length, DirectBuffer none) {
        this.length = length;
        this.buffer = none;
    }

    Figures wrap(DirectBuffer message, int at) {
        buffer = message;
        offset = at;
        return this;
    }

    /** The sum of all fields. */
    long sum() {
        long sum = buffer.getLong(offset);
        for (int at = Long.BYTES; at < length; at += Long.BYTES) {
            sum += buffer.getLong(offset + at);
        }
        return sum;
    }

    /** Writes the payload, and another number into all other fields. */
    static void encode(MutableDirectBuffer message, int at, int length, long value, long others) {
        message.putLong(at, value);
        for (int field = Long.BYTES; field < length; field += Long.BYTES) {
            message.putLong(at + field, others);
        }
    }
}
