package io.sluice.examples.demo;

import io.sluice.batching.Batch;
import io.sluice.examples.feed.EventKind;
import io.sluice.examples.feed.MarketEvent;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * How market data travels in a datagram: a header, then messages that follow each other without a gap, each after its length
 * in 2 bytes. Little-endian. Used by one thread on each side.
 *
 * <pre>
 *   0        8                16        20         24
 *   |datagram|first sequence  |messages |CRC-32C   |length, record|length, record|...
 * </pre>
 *
 * <p>The checksum is of everything but itself. Sequences tell the subscriber which messages are missing.
 */
final class Datagram {
    /** The payload that fits an Ethernet frame over IPv4. */
    static final int LENGTH = 1472;

    /** Bytes before the first message. */
    static final int HEADER = 24;

    /** Bytes of the length before each record. */
    static final int PREFIX = 2;

    private static final int NUMBER_AT = 0;
    private static final int FIRST_AT = 8;
    private static final int MESSAGES_AT = 16;
    private static final int CHECKSUM_AT = 20;

    private final CRC32C crc = new CRC32C();
    private long sent;

    /** Writes a message; the mark at the end of the feed makes none. */
    static int encode(MarketEvent event, ByteBuffer buffer, int offset) {
        if (event.kind() == EventKind.END) {
            return 0;
        }
        int length = event.rawLength();
        buffer.putShort(offset, (short) length);
        buffer.put(offset + PREFIX, event.raw(), 0, length);
        return PREFIX + length;
    }

    /** Writes the header of a batch that is complete. */
    void encodeHeader(Batch batch) {
        ByteBuffer buffer = batch.buffer();
        buffer.putLong(NUMBER_AT, sent);
        buffer.putLong(FIRST_AT, batch.sequence(0));
        buffer.putInt(MESSAGES_AT, batch.messages());
        buffer.putInt(CHECKSUM_AT, checksum(buffer, batch.length()));
        sent++;
    }

    /**
     * Checks a datagram from index 0 to the buffer's limit.
     *
     * @return what is wrong with it, or an empty text
     */
    String fault(ByteBuffer buffer) {
        int length = buffer.limit();
        if (length < HEADER) {
            return "a datagram of " + length + " bytes, at least " + HEADER + " are expected";
        }
        int checksum = checksum(buffer, length);
        buffer.position(0).limit(length);
        if (buffer.getInt(CHECKSUM_AT) != checksum) {
            return "a datagram with a wrong checksum";
        }
        if (messages(buffer) < 1) {
            return "a datagram of " + messages(buffer) + " messages, at least 1 is expected";
        }
        int at = HEADER;
        for (int i = messages(buffer); i > 0 && at <= length - PREFIX; i--) {
            at += PREFIX + recordLength(buffer, at);
        }
        return at == length ? "" : "a datagram whose messages end at byte " + at + " of " + length;
    }

    /** The sequence of the first message. */
    static long firstSequence(ByteBuffer buffer) {
        return buffer.getLong(FIRST_AT);
    }

    /** How many messages there are. */
    static int messages(ByteBuffer buffer) {
        return buffer.getInt(MESSAGES_AT);
    }

    /** The length of the record whose prefix is at an index. */
    static int recordLength(ByteBuffer buffer, int at) {
        return buffer.getShort(at) & 0xFFFF;
    }

    private int checksum(ByteBuffer buffer, int length) {
        crc.reset();
        crc.update(buffer.limit(CHECKSUM_AT).position(0));
        crc.update(buffer.limit(length).position(HEADER));
        return (int) crc.getValue();
    }
}
