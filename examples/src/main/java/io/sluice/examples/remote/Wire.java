package io.sluice.examples.remote;

import io.sluice.aeron.EventEncoder;
import io.sluice.aeron.MessageDecoder;
import io.sluice.examples.feed.EventKind;
import io.sluice.examples.feed.MarketEvent;
import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** An update as a message. It has a state, so each side has one of its own. For one thread. */
final class Wire implements EventEncoder<Update>, MessageDecoder<Update> {
    /*
     * | kind | type | side | 0 | record's length, 4 | time, 8 | instrument, 8 | reference, 8 | new reference, 8 | shares, 8 | price, 8 | record | name |
     */
    private static final EventKind[] KINDS = {
        EventKind.ADD,
        EventKind.EXECUTE,
        EventKind.CANCEL,
        EventKind.DELETE,
        EventKind.REPLACE,
        EventKind.DIRECTORY,
        EventKind.OTHER,
        EventKind.END
    };
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    private static final int TYPE = 1;
    private static final int SIDE = 2;
    private static final int RECORD_LENGTH = 4;
    private static final int TIME = 8;
    private static final int INSTRUMENT = 16;
    private static final int REFERENCE = 24;
    private static final int NEW_REFERENCE = 32;
    private static final int SHARES = 40;
    private static final int PRICE = 48;
    private static final int RECORD = 56;

    private final byte[] record = new byte[MarketEvent.MAX_RAW_LENGTH];

    @Override
    public int length(Update update) {
        return RECORD + update.market.rawLength() + update.name.length();
    }

    @Override
    public void encode(Update update, MutableDirectBuffer buffer, int offset, int length) {
        MarketEvent market = update.market;
        buffer.putByte(offset, code(market.kind()));
        buffer.putByte(offset + TYPE, (byte) market.type());
        buffer.putByte(offset + SIDE, (byte) (market.buy() ? 1 : 0));
        buffer.putByte(offset + SIDE + 1, (byte) 0);
        buffer.putInt(offset + RECORD_LENGTH, market.rawLength(), ORDER);
        buffer.putLong(offset + TIME, market.timestamp(), ORDER);
        buffer.putLong(offset + INSTRUMENT, market.instrument(), ORDER);
        buffer.putLong(offset + REFERENCE, market.reference(), ORDER);
        buffer.putLong(offset + NEW_REFERENCE, market.newReference(), ORDER);
        buffer.putLong(offset + SHARES, market.shares(), ORDER);
        buffer.putLong(offset + PRICE, market.price(), ORDER);
        buffer.putBytes(offset + RECORD, market.raw(), 0, market.rawLength());
        buffer.putStringWithoutLengthAscii(offset + RECORD + market.rawLength(), update.name);
    }

    /** The kind's place in {@link #KINDS}. */
    private static byte code(EventKind kind) {
        return switch (kind) {
            case ADD -> 0;
            case EXECUTE -> 1;
            case CANCEL -> 2;
            case DELETE -> 3;
            case REPLACE -> 4;
            case DIRECTORY -> 5;
            case OTHER -> 6;
            case END -> 7;
        };
    }

    /**
     * Fills an update.
     *
     * @throws IllegalArgumentException if the lengths do not fit each other, or the kind is none
     */
    @Override
    public void decode(Update update, DirectBuffer buffer, int offset, int length, long number) {
        int recordLength = length < RECORD ? -1 : buffer.getInt(offset + RECORD_LENGTH, ORDER);
        int kind = buffer.getByte(offset);
        if (recordLength < 0 || recordLength > Math.min(record.length, length - RECORD)) {
            throw new IllegalArgumentException("record must be from 0 to " + record.length
                    + " bytes within a message of " + length + ", but is " + recordLength);
        }
        if (kind < 0 || kind >= KINDS.length) {
            throw new IllegalArgumentException("kind must be from 0 to " + (KINDS.length - 1) + ", but was " + kind);
        }
        if (KINDS[kind] == EventKind.END) {
            update.end();
            return;
        }
        MarketEvent market = update.market;
        long shares = buffer.getLong(offset + SHARES, ORDER);
        long price = buffer.getLong(offset + PRICE, ORDER);
        long reference = buffer.getLong(offset + REFERENCE, ORDER);
        buffer.getBytes(offset + RECORD, record, 0, recordLength);
        market.begin(
                KINDS[kind],
                (char) (buffer.getByte(offset + TYPE) & 0xff),
                buffer.getLong(offset + TIME, ORDER),
                record,
                0,
                recordLength);
        market.replacement(reference, buffer.getLong(offset + NEW_REFERENCE, ORDER), shares, price);
        market.order(
                buffer.getLong(offset + INSTRUMENT, ORDER),
                reference,
                buffer.getByte(offset + SIDE) == 1,
                shares,
                price);
        int nameLength = length - RECORD - recordLength;
        update.name =
                nameLength == 0 ? "" : buffer.getStringWithoutLengthAscii(offset + RECORD + recordLength, nameLength);
    }
}
