package io.sluice.examples.itch;

import io.sluice.examples.feed.ByteSource;
import io.sluice.examples.feed.EventKind;
import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.FeedFormat;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.InputBuffer;
import io.sluice.examples.feed.MarketEvent;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads NASDAQ TotalView-ITCH 5.0 messages, each after its length in 2 bytes, big-endian.
 *
 * <p>Directory and order messages are decoded; messages of every other type of the specification are passed on
 * undecoded, as {@link EventKind#OTHER}. An instrument's key is its stock field, 8 characters in a {@code long}; an order
 * message without a stock field belongs to the instrument of the order, so the stock locate code is not needed.
 */
public final class ItchReader implements FeedReader {
    private static final int PREFIX = 2;

    // Where the fields of a message are, counted from its type; fields that follow one another are named once.
    private static final int TIMESTAMP = 5;
    private static final int BODY = 11;
    private static final int REFERENCE = BODY;
    private static final int ADD_SIDE = 19;
    private static final int ADD_SHARES = 20;
    private static final int ADD_STOCK = 24;
    private static final int ADD_PRICE = 32;
    private static final int REDUCED_SHARES = 19;
    private static final int NEW_REFERENCE = 19;
    private static final int NEW_SHARES = 27;
    private static final int NEW_PRICE = 31;

    private final InputBuffer input;
    private @Nullable FeedFault fault;
    private ItchType type = ItchType.SYSTEM_EVENT;
    private int recordLength;

    /**
     * Creates the reader.
     *
     * @param file the name for faults
     * @param source the records; closed with the reader
     */
    public ItchReader(String file, ByteSource source) {
        this.input = new InputBuffer(file, source);
    }

    @Override
    public boolean next() throws FeedFault {
        if (fault != null) {
            throw fault;
        }
        input.skip(recordLength);
        recordLength = 0;
        if (!input.require(PREFIX)) {
            return atEnd();
        }
        int length = Wire.get2(input.bytes(), input.position());
        if (length == 0) {
            throw failed("message of length 0");
        }
        if (!input.require(PREFIX + 1)) {
            throw truncated(length);
        }
        byte[] bytes = input.bytes();
        byte code = bytes[input.position() + PREFIX];
        @Nullable ItchType known = ItchType.of(code);
        if (known == null) {
            throw failed(String.format(Locale.ROOT, "unknown message type %s", printable(code)));
        }
        if (length != known.length()) {
            throw failed(String.format(
                    Locale.ROOT, "message of type %c has length %d, must be %d", known.code(), length, known.length()));
        }
        if (!input.require(PREFIX + length)) {
            throw truncated(length);
        }
        type = known;
        checkSide(known);
        recordLength = PREFIX + length;
        return true;
    }

    @Override
    public void copyTo(MarketEvent event) {
        byte[] bytes = input.bytes();
        int record = input.position();
        int message = record + PREFIX;
        event.begin(kindOf(type), type.code(), Wire.get6(bytes, message + TIMESTAMP), bytes, record, recordLength);
        switch (type) {
            case STOCK_DIRECTORY -> event.directory(Wire.get8(bytes, message + BODY));
            case ADD_ORDER, ADD_ORDER_ATTRIBUTED ->
                event.order(
                        Wire.get8(bytes, message + ADD_STOCK),
                        Wire.get8(bytes, message + REFERENCE),
                        bytes[message + ADD_SIDE] == 'B',
                        Wire.get4(bytes, message + ADD_SHARES),
                        Wire.get4(bytes, message + ADD_PRICE));
            case ORDER_EXECUTED, ORDER_EXECUTED_WITH_PRICE, ORDER_CANCEL ->
                event.reduction(Wire.get8(bytes, message + REFERENCE), Wire.get4(bytes, message + REDUCED_SHARES));
            case ORDER_DELETE -> event.reduction(Wire.get8(bytes, message + REFERENCE), 0);
            case ORDER_REPLACE ->
                event.replacement(
                        Wire.get8(bytes, message + REFERENCE),
                        Wire.get8(bytes, message + NEW_REFERENCE),
                        Wire.get4(bytes, message + NEW_SHARES),
                        Wire.get4(bytes, message + NEW_PRICE));
            default -> {
                // Skipped by type: the record travels on undecoded.
            }
        }
    }

    @Override
    public FeedFormat format() {
        return FeedFormat.ITCH;
    }

    @Override
    public String instrumentName(long instrument) {
        return Wire.unpackName(instrument);
    }

    @Override
    public void close() {
        input.close();
    }

    private static EventKind kindOf(ItchType type) {
        return switch (type) {
            case STOCK_DIRECTORY -> EventKind.DIRECTORY;
            case ADD_ORDER, ADD_ORDER_ATTRIBUTED -> EventKind.ADD;
            case ORDER_EXECUTED, ORDER_EXECUTED_WITH_PRICE -> EventKind.EXECUTE;
            case ORDER_CANCEL -> EventKind.CANCEL;
            case ORDER_DELETE -> EventKind.DELETE;
            case ORDER_REPLACE -> EventKind.REPLACE;
            default -> EventKind.OTHER;
        };
    }

    /** An order must be on one of two sides; a third would have to be guessed. */
    private void checkSide(ItchType known) throws FeedFault {
        if (known == ItchType.ADD_ORDER || known == ItchType.ADD_ORDER_ATTRIBUTED) {
            byte side = input.bytes()[input.position() + PREFIX + ADD_SIDE];
            if (side != 'B' && side != 'S') {
                throw failed(String.format(Locale.ROOT, "order of side %s, must be 'B' or 'S'", printable(side)));
            }
        }
    }

    private boolean atEnd() throws FeedFault {
        int left = input.available();
        if (left == 0 && input.offset() > 0 && input.sourceFault() == null) {
            return false;
        }
        throw cutOff(input.offset() + left == 0 ? "empty file" : "truncated record: 1 byte left of a 2-byte length");
    }

    private FeedFault truncated(int length) {
        return cutOff(String.format(
                Locale.ROOT,
                "truncated record: message of %d bytes announced, %d left",
                length,
                input.available() - PREFIX));
    }

    /** The fault of the source if it has one, since that is why the record is cut; else a fault of this record. */
    private FeedFault cutOff(String reason) {
        FeedFault failure = input.sourceFault();
        if (failure == null) {
            return failed(reason);
        }
        fault = failure;
        return failure;
    }

    private FeedFault failed(String reason) {
        FeedFault failure = input.fault(reason);
        fault = failure;
        return failure;
    }

    private static String printable(byte code) {
        return code >= '!' && code <= '~' ? "'" + (char) code + "'" : String.format(Locale.ROOT, "0x%02x", code & 0xff);
    }
}
