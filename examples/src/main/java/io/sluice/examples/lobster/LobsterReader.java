package io.sluice.examples.lobster;

import io.sluice.examples.feed.ByteSource;
import io.sluice.examples.feed.EventKind;
import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.FeedFormat;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.InputBuffer;
import io.sluice.examples.feed.MarketEvent;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads a LOBSTER message file: rows of time, type, order, size, price and direction, without a header.
 *
 * <p>Types 1 to 4 (new order, partial cancel, deletion, visible execution) touch the book; 5, 6 and 7 (hidden execution,
 * cross trade, halt) are passed on as {@link EventKind#OTHER}. Lines end with LF or CR LF; the last may lack its end. A
 * file holds one instrument, the one its name begins with.
 */
public final class LobsterReader implements FeedReader {
    private static final int COLUMNS = 6;
    private static final long MAX_TIME_SECONDS = 86_400;
    private static final long MAX_SIZE = 0xffff_ffffL;
    private static final long MAX_PRICE = 999_999_999_999L;
    private static final long NANOS_A_SECOND = 1_000_000_000;

    private final String file;
    private final String instrument;
    private final InputBuffer input;
    private @Nullable FeedFault fault;
    private int recordLength;
    private long line;

    // The fields of the current row, and where its parsing has come to.
    private int cursor;
    private int rowEnd;
    private long timestamp;
    private int type;
    private long order;
    private long size;
    private long price;
    private boolean buy;

    /**
     * Creates the reader.
     *
     * @param file the name for faults
     * @param instrument the name of the instrument
     * @param source the rows; closed with the reader
     */
    public LobsterReader(String file, String instrument, ByteSource source) {
        this.file = file;
        this.instrument = instrument;
        this.input = new InputBuffer(file, source);
    }

    /**
     * The instrument that a file holds.
     *
     * @param fileName the name of the file, without folders
     * @return what comes before the first {@code _} or {@code .}
     */
    public static String instrumentOf(String fileName) {
        int end = 0;
        while (end < fileName.length() && fileName.charAt(end) != '_' && fileName.charAt(end) != '.') {
            end++;
        }
        return fileName.substring(0, end);
    }

    @Override
    public boolean next() throws FeedFault {
        if (fault != null) {
            throw fault;
        }
        input.skip(recordLength);
        recordLength = 0;
        line++;
        int length = findRow();
        if (length == 0) {
            return false;
        }
        parse(length);
        recordLength = length;
        return true;
    }

    @Override
    public void copyTo(MarketEvent event) {
        EventKind kind = switch (type) {
            case 1 -> EventKind.ADD;
            case 2 -> EventKind.CANCEL;
            case 3 -> EventKind.DELETE;
            case 4 -> EventKind.EXECUTE;
            default -> EventKind.OTHER;
        };
        event.begin(kind, (char) ('0' + type), timestamp, input.bytes(), input.position(), recordLength);
        if (kind == EventKind.ADD) {
            event.order(0, order, buy, size, price);
        } else if (kind != EventKind.OTHER) {
            event.reduction(order, kind == EventKind.DELETE ? 0 : size);
        }
    }

    @Override
    public FeedFormat format() {
        return FeedFormat.LOBSTER;
    }

    @Override
    public String instrumentName(long key) {
        return instrument;
    }

    @Override
    public void close() {
        input.close();
    }

    /** The length of the next row, its end of line included; 0 at the end of the file. */
    private int findRow() throws FeedFault {
        int scanned = 0;
        while (true) {
            byte[] bytes = input.bytes();
            int start = input.position();
            int limit = Math.min(input.available(), MarketEvent.MAX_RAW_LENGTH);
            for (; scanned < limit; scanned++) {
                if (bytes[start + scanned] == '\n') {
                    return scanned + 1;
                }
            }
            if (scanned == MarketEvent.MAX_RAW_LENGTH) {
                throw failed("line longer than " + MarketEvent.MAX_RAW_LENGTH + " bytes");
            }
            if (!input.require(scanned + 1)) {
                return lastRow(scanned);
            }
        }
    }

    private int lastRow(int length) throws FeedFault {
        FeedFault sourceFault = input.sourceFault();
        if (sourceFault != null) {
            fault = sourceFault;
            throw sourceFault;
        }
        if (length == 0 && line == 1) {
            throw failed("empty file");
        }
        return length;
    }

    private void parse(int length) throws FeedFault {
        byte[] bytes = input.bytes();
        cursor = input.position();
        rowEnd = cursor + length;
        if (bytes[rowEnd - 1] == '\n') {
            rowEnd--;
        }
        if (rowEnd > cursor && bytes[rowEnd - 1] == '\r') {
            rowEnd--;
        }
        checkColumns(bytes);
        timestamp = time();
        type = (int) integer("type", 1, 7);
        boolean touchesBook = type <= 4;
        order = integer("order id", Long.MIN_VALUE, Long.MAX_VALUE);
        size = integer("size", 0, MAX_SIZE);
        price = integer("price", touchesBook ? 0 : -MAX_PRICE, MAX_PRICE);
        long direction = integer("direction", -1, 1);
        if (direction == 0 && touchesBook) {
            throw failed("direction '0', must be 1 (buy) or -1 (sell)");
        }
        buy = direction > 0;
    }

    private void checkColumns(byte[] bytes) throws FeedFault {
        if (cursor == rowEnd) {
            throw failed("empty line");
        }
        int columns = 1;
        for (int i = cursor; i < rowEnd; i++) {
            if (bytes[i] == ',') {
                columns++;
            }
        }
        if (columns != COLUMNS) {
            throw failed(columns + " columns, must be " + COLUMNS);
        }
    }

    /** Reads seconds with decimals, as nanoseconds; decimals beyond the ninth are dropped. */
    private long time() throws FeedFault {
        byte[] bytes = input.bytes();
        int start = cursor;
        int end = fieldEnd();
        long seconds = 0;
        int i = start;
        while (i < end && isDigit(bytes[i]) && seconds <= MAX_TIME_SECONDS) {
            seconds = seconds * 10 + bytes[i] - '0';
            i++;
        }
        boolean good = i > start;
        long nanos = 0;
        if (i < end && bytes[i] == '.') {
            i++;
            good &= i < end;
            long unit = NANOS_A_SECOND / 10;
            while (i < end && isDigit(bytes[i])) {
                nanos += (bytes[i] - '0') * unit;
                unit /= 10;
                i++;
            }
        }
        if (!good || i < end || seconds > MAX_TIME_SECONDS) {
            throw failed(
                    "time '" + text(start, end) + "', must be seconds after midnight, at most " + MAX_TIME_SECONDS);
        }
        cursor = end + 1;
        return seconds * NANOS_A_SECOND + nanos;
    }

    private long integer(String name, long lowest, long highest) throws FeedFault {
        byte[] bytes = input.bytes();
        int start = cursor;
        int end = fieldEnd();
        boolean negative = start < end && bytes[start] == '-';
        int digits = negative ? start + 1 : start;
        // Counted below zero, where the range of a long has one number more.
        long value = 0;
        boolean good = digits < end;
        for (int i = digits; i < end && good; i++) {
            int digit = bytes[i] - '0';
            good = isDigit(bytes[i]) && (value > Long.MIN_VALUE / 10 || (value == Long.MIN_VALUE / 10 && digit <= 8));
            value = value * 10 - digit;
        }
        if (!negative) {
            good &= value != Long.MIN_VALUE;
            value = -value;
        }
        if (!good || value < lowest || value > highest) {
            throw failed(name + " '" + text(start, end) + "', must be an integer from " + lowest + " to " + highest);
        }
        cursor = end + 1;
        return value;
    }

    private int fieldEnd() {
        byte[] bytes = input.bytes();
        int end = cursor;
        while (end < rowEnd && bytes[end] != ',') {
            end++;
        }
        return end;
    }

    private static boolean isDigit(byte character) {
        return character >= '0' && character <= '9';
    }

    private String text(int start, int end) {
        return new String(input.bytes(), start, end - start, StandardCharsets.ISO_8859_1);
    }

    private FeedFault failed(String reason) {
        FeedFault failure = FeedFault.atLine(file, line, reason);
        fault = failure;
        return failure;
    }
}
