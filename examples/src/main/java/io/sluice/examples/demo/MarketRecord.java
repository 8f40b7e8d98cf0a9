package io.sluice.examples.demo;

import io.sluice.examples.feed.EventKind;
import io.sluice.examples.feed.MarketEvent;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/*
 * A message of a market as bytes: numbers that all have, those of an order if the message has one, then the record it came in.
 *
 *   0         8      16          24            32      36     40
 *   | number  | due  | timestamp | instrument  | type  | buy  | reference, new reference, shares, price | record |
 *
 * The kind is the type of the message in the ring. A message without an order has its record at 40, others at 72.
 */

/** How a message of a market lies in a ring of messages. Allocates nothing. */
final class MarketRecord {
    /** The fewest bytes that a message takes in a ring, with the ring's header: a power of two, no more than they are. */
    static final int SHORTEST = 32;

    private static final int DUE = 8;
    private static final int TIMESTAMP = 16;
    private static final int INSTRUMENT = 24;
    private static final int TYPE = 32;
    private static final int BUY = 36;
    private static final int REFERENCE = 40;
    private static final int NEW_REFERENCE = 48;
    private static final int SHARES = 56;
    private static final int PRICE = 64;
    private static final int BEHIND_ORDER = 72;

    private static final EventKind[] KINDS = EventKind.values();

    private MarketRecord() {}

    /** The type that a message is claimed with. */
    @SuppressWarnings("EnumOrdinal") // within one process
    static int type(MarketEvent event) {
        return event.kind().ordinal() + 1;
    }

    /** How many bytes a message takes. */
    static int length(MarketEvent event) {
        return record(event.kind()) + event.rawLength();
    }

    private static int record(EventKind kind) {
        return switch (kind) {
            case ADD, EXECUTE, CANCEL, DELETE, REPLACE -> BEHIND_ORDER;
            case DIRECTORY, OTHER, END -> REFERENCE;
        };
    }

    /** Writes a message, and its number. */
    static void write(MarketEvent event, long number, MutableDirectBuffer buffer, int offset) {
        int record = record(event.kind());
        buffer.putLong(offset, number);
        buffer.putLong(offset + DUE, event.dueNanos());
        buffer.putLong(offset + TIMESTAMP, event.timestamp());
        buffer.putLong(offset + INSTRUMENT, event.instrument());
        buffer.putInt(offset + TYPE, event.type());
        buffer.putInt(offset + BUY, event.buy() ? 1 : 0);
        if (record == BEHIND_ORDER) {
            buffer.putLong(offset + REFERENCE, event.reference());
            buffer.putLong(offset + NEW_REFERENCE, event.newReference());
            buffer.putLong(offset + SHARES, event.shares());
            buffer.putLong(offset + PRICE, event.price());
        }
        buffer.putBytes(offset + record, event.raw(), 0, event.rawLength());
    }

    /** Reads a message; gives its number. */
    static long read(int type, DirectBuffer buffer, int offset, int length, MarketEvent event) {
        EventKind kind = KINDS[type - 1];
        int record = record(kind);
        event.begin(
                kind,
                (char) buffer.getInt(offset + TYPE),
                buffer.getLong(offset + TIMESTAMP),
                buffer,
                offset + record,
                length - record);
        event.dueNanos(buffer.getLong(offset + DUE));
        long instrument = buffer.getLong(offset + INSTRUMENT);
        switch (kind) {
            case ADD ->
                event.order(
                        instrument,
                        buffer.getLong(offset + REFERENCE),
                        buffer.getInt(offset + BUY) != 0,
                        buffer.getLong(offset + SHARES),
                        buffer.getLong(offset + PRICE));
            case EXECUTE, CANCEL, DELETE ->
                event.reduction(buffer.getLong(offset + REFERENCE), buffer.getLong(offset + SHARES));
            case REPLACE ->
                event.replacement(
                        buffer.getLong(offset + REFERENCE),
                        buffer.getLong(offset + NEW_REFERENCE),
                        buffer.getLong(offset + SHARES),
                        buffer.getLong(offset + PRICE));
            case DIRECTORY -> event.directory(instrument);
            case OTHER, END -> {
                // nothing more
            }
        }
        return buffer.getLong(offset);
    }
}
