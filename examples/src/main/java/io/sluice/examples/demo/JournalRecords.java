package io.sluice.examples.demo;

import io.sluice.examples.feed.EventKind;
import io.sluice.examples.feed.MarketEvent;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The records on their way to or from the journal: counts them, and keeps a checksum over all of their bytes in their order.
 * Used by one thread at a time.
 */
final class JournalRecords {
    private final CRC32C crc = new CRC32C();
    private long records;
    private long bytes;

    /** Writes the record of a message; the mark at the end of the feed makes none. */
    int encode(MarketEvent event, ByteBuffer buffer, int offset) {
        if (event.kind() == EventKind.END) {
            return 0;
        }
        int length = event.rawLength();
        buffer.put(offset, event.raw(), 0, length);
        count(event.raw(), length);
        return length;
    }

    /** Counts a record. */
    void count(byte[] record, int length) {
        crc.update(record, 0, length);
        records++;
        bytes += length;
    }

    long records() {
        return records;
    }

    long bytes() {
        return bytes;
    }

    boolean sameAs(JournalRecords other) {
        return records == other.records && bytes == other.bytes && crc.getValue() == other.crc.getValue();
    }
}
