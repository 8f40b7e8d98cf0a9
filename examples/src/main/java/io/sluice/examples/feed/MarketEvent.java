package io.sluice.examples.feed;

import org.agrona.DirectBuffer;

/**
 * One message, decoded, with the bytes it was decoded from. Made once for each slot of the ring and overwritten by
 * every lap; nothing is allocated after construction.
 *
 * <p>Not safe for use by several threads by itself: the ring hands it from one to the next. Numbers that a message does
 * not carry keep the value of an earlier lap and mean nothing; {@link EventKind} says which it carries.
 */
public final class MarketEvent {
    /** The longest record that a feed may deliver, in bytes, its framing included. */
    public static final int MAX_RAW_LENGTH = 128;

    private EventKind kind = EventKind.OTHER;
    private char type;
    private boolean buy;
    private long timestamp;
    private long instrument;
    private long reference;
    private long newReference;
    private long shares;
    private long price;
    private long dueNanos;
    private final byte[] raw = new byte[MAX_RAW_LENGTH];
    private int rawLength;

    /** Creates an empty event. */
    public MarketEvent() {}

    /**
     * Begins a message: its kind, and the record it came in.
     *
     * @param kind what it means to a book
     * @param type its type in its own format
     * @param timestamp nanoseconds since midnight
     * @param record where the record is
     * @param offset the record's first byte
     * @param length the record's bytes, framing included, at most {@link #MAX_RAW_LENGTH}
     */
    public void begin(EventKind kind, char type, long timestamp, byte[] record, int offset, int length) {
        this.kind = kind;
        this.type = type;
        this.timestamp = timestamp;
        System.arraycopy(record, offset, raw, 0, length);
        this.rawLength = length;
    }

    /**
     * As the other {@code begin}, of a record in a buffer.
     *
     * @param kind what it means to a book
     * @param type its type in its own format
     * @param timestamp nanoseconds since midnight
     * @param record where the record is
     * @param offset the record's first byte
     * @param length the record's bytes, framing included, at most {@link #MAX_RAW_LENGTH}
     */
    public void begin(EventKind kind, char type, long timestamp, DirectBuffer record, int offset, int length) {
        this.kind = kind;
        this.type = type;
        this.timestamp = timestamp;
        record.getBytes(offset, raw, 0, length);
        this.rawLength = length;
    }

    /**
     * Makes this a copy of another event.
     *
     * @param other any other
     */
    public void copyFrom(MarketEvent other) {
        kind = other.kind;
        type = other.type;
        buy = other.buy;
        timestamp = other.timestamp;
        instrument = other.instrument;
        reference = other.reference;
        newReference = other.newReference;
        shares = other.shares;
        price = other.price;
        dueNanos = other.dueNanos;
        System.arraycopy(other.raw, 0, raw, 0, other.rawLength);
        rawLength = other.rawLength;
    }

    /** Makes this the mark that follows the last message. */
    public void end() {
        kind = EventKind.END;
        type = 0;
        rawLength = 0;
    }

    /**
     * Sets the numbers of an {@link EventKind#ADD}.
     *
     * @param instrument the instrument's key in its feed
     * @param reference the order's reference
     * @param buy true for a buy order, false for a sell order
     * @param shares the shares
     * @param price the price in 1/10,000
     */
    public void order(long instrument, long reference, boolean buy, long shares, long price) {
        this.instrument = instrument;
        this.reference = reference;
        this.buy = buy;
        this.shares = shares;
        this.price = price;
    }

    /**
     * Sets the numbers of an {@link EventKind#EXECUTE}, {@link EventKind#CANCEL} or {@link EventKind#DELETE}.
     *
     * @param reference the order's reference
     * @param shares the shares; 0 for a delete
     */
    public void reduction(long reference, long shares) {
        this.reference = reference;
        this.shares = shares;
    }

    /**
     * Sets the numbers of a {@link EventKind#REPLACE}.
     *
     * @param reference the reference of the order that goes
     * @param newReference the reference of the order that comes
     * @param shares the shares of the order that comes
     * @param price its price in 1/10,000
     */
    public void replacement(long reference, long newReference, long shares, long price) {
        this.reference = reference;
        this.newReference = newReference;
        this.shares = shares;
        this.price = price;
    }

    /**
     * Sets the instrument of a {@link EventKind#DIRECTORY}.
     *
     * @param instrument the instrument's key in its feed
     */
    public void directory(long instrument) {
        this.instrument = instrument;
    }

    /**
     * Sets the time from which the latency of this event counts.
     *
     * @param nanos a value of {@link System#nanoTime()}
     */
    public void dueNanos(long nanos) {
        this.dueNanos = nanos;
    }

    /**
     * The meaning of the message to a book.
     *
     * @return the kind
     */
    public EventKind kind() {
        return kind;
    }

    /**
     * The message's type in its own format.
     *
     * @return a printable ASCII character
     */
    public char type() {
        return type;
    }

    /**
     * The exchange's time.
     *
     * @return nanoseconds since midnight
     */
    public long timestamp() {
        return timestamp;
    }

    /**
     * The instrument's key; its feed knows the name.
     *
     * @return the key
     */
    public long instrument() {
        return instrument;
    }

    /**
     * The order that the message is about.
     *
     * @return its reference
     */
    public long reference() {
        return reference;
    }

    /**
     * The order that comes with a replacement.
     *
     * @return its reference
     */
    public long newReference() {
        return newReference;
    }

    /**
     * The side of a new order.
     *
     * @return true for a buy order, false for a sell order
     */
    public boolean buy() {
        return buy;
    }

    /**
     * The shares that the message adds, executes or cancels.
     *
     * @return from 0 to 4,294,967,295
     */
    public long shares() {
        return shares;
    }

    /**
     * The price of a new order.
     *
     * @return in 1/10,000
     */
    public long price() {
        return price;
    }

    /**
     * The time from which the latency of this event counts.
     *
     * @return a value of {@link System#nanoTime()}
     */
    public long dueNanos() {
        return dueNanos;
    }

    /**
     * The record as it was read, framing included: the first {@link #rawLength()} bytes of an array that is not to be
     * written to.
     *
     * @return the array itself, not a copy
     */
    public byte[] raw() {
        return raw;
    }

    /**
     * The length of the record.
     *
     * @return bytes, framing included
     */
    public int rawLength() {
        return rawLength;
    }
}
