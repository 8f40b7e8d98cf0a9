package io.sluice.examples.demo;

import io.sluice.examples.feed.MarketEvent;
import java.nio.ByteBuffer;

/** A message that arrived at the subscriber: a slot of its queue. */
final class Arrival {
    private final byte[] record = new byte[MarketEvent.MAX_RAW_LENGTH];
    private long sequence;
    private int length;

    /** Copies a record out of a datagram. One that is longer than any record is kept as none: it will not be the expected one. */
    void set(long newSequence, ByteBuffer datagram, int offset, int recordLength) {
        sequence = newSequence;
        length = recordLength <= record.length ? recordLength : 0;
        datagram.get(offset, record, 0, length);
    }

    long sequence() {
        return sequence;
    }

    /** Whether it holds the very bytes of a message. */
    boolean sameAs(MarketEvent message) {
        return java.util.Arrays.equals(record, 0, length, message.raw(), 0, message.rawLength());
    }
}
