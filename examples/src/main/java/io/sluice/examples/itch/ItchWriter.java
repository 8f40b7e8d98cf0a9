package io.sluice.examples.itch;

import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes NASDAQ TotalView-ITCH 5.0 messages, each after its length in 2 bytes, big-endian. A message is begun, its own
 * fields are put in the order of the specification, and it is ended; {@link #end()} refuses a message whose fields do not
 * add up to the length of its type. Used by one thread; does not allocate.
 *
 * <pre>{@code
 * writer.begin(ItchType.ORDER_DELETE, locate, timestamp).number8(reference).end();
 * }</pre>
 */
public final class ItchWriter {
    private static final int PREFIX = 2;

    private final OutputStream out;
    private final byte[] record = new byte[PREFIX + ItchType.MAX_LENGTH];
    private ItchType type = ItchType.SYSTEM_EVENT;
    private int position;

    /**
     * Creates the writer.
     *
     * @param out where to; buffered if that matters, since each message is one call
     */
    public ItchWriter(OutputStream out) {
        this.out = out;
    }

    /**
     * Begins a message with the fields that all types share.
     *
     * @param ofType the type
     * @param locate the stock locate code, 0 to 65,535; 0 where no stock is meant
     * @param timestamp nanoseconds since midnight
     * @return this
     */
    public ItchWriter begin(ItchType ofType, int locate, long timestamp) {
        type = ofType;
        Wire.put2(record, 0, ofType.length());
        record[PREFIX] = (byte) ofType.code();
        Wire.put2(record, PREFIX + 1, locate);
        Wire.put2(record, PREFIX + 3, 0); // NASDAQ's internal tracking number
        Wire.put6(record, PREFIX + 5, timestamp);
        position = PREFIX + 11;
        return this;
    }

    /**
     * Puts text of fixed width.
     *
     * @param text ASCII characters
     * @param width how many of them, filled up with spaces at the right
     * @return this
     */
    public ItchWriter text(String text, int width) {
        for (int i = 0; i < width; i++) {
            record[position + i] = (byte) (i < text.length() ? text.charAt(i) : ' ');
        }
        position += width;
        return this;
    }

    /**
     * Puts one character.
     *
     * @param character an ASCII character
     * @return this
     */
    public ItchWriter character(char character) {
        record[position] = (byte) character;
        position++;
        return this;
    }

    /**
     * Puts a number of 4 bytes.
     *
     * @param number from 0 to 4,294,967,295
     * @return this
     */
    public ItchWriter number4(long number) {
        Wire.put4(record, position, number);
        position += 4;
        return this;
    }

    /**
     * Puts a number of 8 bytes.
     *
     * @param number any
     * @return this
     */
    public ItchWriter number8(long number) {
        Wire.put8(record, position, number);
        position += 8;
        return this;
    }

    /**
     * Ends the message and writes it.
     *
     * @throws IOException if the stream throws it
     * @throws IllegalStateException if the fields do not fill the message
     */
    public void end() throws IOException {
        if (position != PREFIX + type.length()) {
            throw new IllegalStateException("message of type " + type.code() + " has " + (position - PREFIX)
                    + " bytes, must have " + type.length());
        }
        out.write(record, 0, position);
    }
}
