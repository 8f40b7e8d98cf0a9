package io.sluice.core.records;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.core.check.Check;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes single fields of a record where it stands, without making a record. Made by {@link RecordCodec#flyweight}, and put
 * in place by {@link #wrap} or {@link RecordTable#at}.
 *
 * <pre>{@code
 * private static final RecordField PRICE = TRADES.field("price");
 * ...
 * RecordFlyweight trade = TRADES.flyweight();
 * for (long row = 0; row < table.rows(); row++) {
 *     table.at(row, trade);
 *     sum += trade.getLong(PRICE);
 * }
 * }</pre>
 *
 * <p>A call takes a check of the field's type, which costs nothing where the field is a {@code static final} constant, and one plain
 * access to the buffer, which checks its bounds; before the flyweight is put anywhere, a read throws {@link IndexOutOfBoundsException}, and
 * a write {@link IllegalStateException}. Only {@link #getAscii} allocates. An array is read as part of the whole record. One thread at a
 * time may use a flyweight.
 */
public final class RecordFlyweight {
    private static final DirectBuffer NOWHERE = new SafeBuffer();

    private final Class<?> type;
    private final int size;

    private DirectBuffer source = NOWHERE;
    private @Nullable MutableDirectBuffer target;
    private int offset;

    RecordFlyweight(Class<?> type, int size) {
        this.type = type;
        this.size = size;
    }

    /**
     * Puts the flyweight on a record for reading.
     *
     * @param buffer with the record
     * @param at index of its first byte
     * @return this
     * @throws NullPointerException if the buffer is null
     * @throws IndexOutOfBoundsException if the buffer ends before the record; the flyweight stands where it stood
     */
    public RecordFlyweight wrap(DirectBuffer buffer, int at) {
        Check.notNull(buffer, "buffer").boundsCheck(at, size);
        source = buffer;
        target = null;
        offset = at;
        return this;
    }

    /**
     * Puts the flyweight on a record for reading and writing.
     *
     * @param buffer with the record
     * @param at index of its first byte
     * @return this
     * @throws NullPointerException if the buffer is null
     * @throws IndexOutOfBoundsException if the buffer ends before the record; the flyweight stands where it stood
     */
    public RecordFlyweight wrap(MutableDirectBuffer buffer, int at) {
        Check.notNull(buffer, "buffer").boundsCheck(at, size);
        place(buffer, at);
        return this;
    }

    /** For a table, whose own check has said that the row is there. */
    void place(MutableDirectBuffer buffer, int at) {
        if (target != buffer) { // rarely: a store of a reference costs the garbage collector's barrier
            source = buffer;
            target = buffer;
        }
        offset = at;
    }

    Class<?> type() {
        return type;
    }

    /**
     * Reads a {@code boolean} field.
     *
     * @param field the field
     * @return its value
     * @throws IllegalArgumentException if the field is of another type or record
     */
    public boolean getBoolean(RecordField field) {
        field.mustBe(boolean.class, type);
        return source.getByte(offset + field.offset()) != 0;
    }

    /**
     * Writes a {@code boolean} field.
     *
     * @param field the field
     * @param value its new value
     * @throws IllegalArgumentException if the field is of another type or record
     * @throws IllegalStateException if the flyweight was put there for reading only
     * @throws java.nio.ReadOnlyBufferException if the memory is for reading only
     */
    public void setBoolean(RecordField field, boolean value) {
        field.mustBe(boolean.class, type);
        writable().putByte(offset + field.offset(), (byte) (value ? 1 : 0));
    }

    /**
     * Reads a {@code byte} field.
     *
     * @param field the field
     * @return its value
     * @throws IllegalArgumentException if the field is of another type or record
     */
    public byte getByte(RecordField field) {
        field.mustBe(byte.class, type);
        return source.getByte(offset + field.offset());
    }

    /**
     * Writes a {@code byte} field.
     *
     * @param field the field
     * @param value its new value
     * @throws IllegalArgumentException if the field is of another type or record
     * @throws IllegalStateException if the flyweight was put there for reading only
     * @throws java.nio.ReadOnlyBufferException if the memory is for reading only
     */
    public void setByte(RecordField field, byte value) {
        field.mustBe(byte.class, type);
        writable().putByte(offset + field.offset(), value);
    }

    /**
     * Reads a {@code short} field.
     *
     * @param field the field
     * @return its value
     * @throws IllegalArgumentException if the field is of another type or record
     */
    public short getShort(RecordField field) {
        field.mustBe(short.class, type);
        return source.getShort(offset + field.offset(), LITTLE_ENDIAN);
    }

    /**
     * Writes a {@code short} field.
     *
     * @param field the field
     * @param value its new value
     * @throws IllegalArgumentException if the field is of another type or record
     * @throws IllegalStateException if the flyweight was put there for reading only
     * @throws java.nio.ReadOnlyBufferException if the memory is for reading only
     */
    public void setShort(RecordField field, short value) {
        field.mustBe(short.class, type);
        writable().putShort(offset + field.offset(), value, LITTLE_ENDIAN);
    }

    /**
     * Reads a {@code char} field.
     *
     * @param field the field
     * @return its value
     * @throws IllegalArgumentException if the field is of another type or record
     */
    public char getChar(RecordField field) {
        field.mustBe(char.class, type);
        return source.getChar(offset + field.offset(), LITTLE_ENDIAN);
    }

    /**
     * Writes a {@code char} field.
     *
     * @param field the field
     * @param value its new value
     * @throws IllegalArgumentException if the field is of another type or record
     * @throws IllegalStateException if the flyweight was put there for reading only
     * @throws java.nio.ReadOnlyBufferException if the memory is for reading only
     */
    public void setChar(RecordField field, char value) {
        field.mustBe(char.class, type);
        writable().putChar(offset + field.offset(), value, LITTLE_ENDIAN);
    }

    /**
     * Reads an {@code int} field.
     *
     * @param field the field
     * @return its value
     * @throws IllegalArgumentException if the field is of another type or record
     */
    public int getInt(RecordField field) {
        field.mustBe(int.class, type);
        return source.getInt(offset + field.offset(), LITTLE_ENDIAN);
    }

    /**
     * Writes an {@code int} field.
     *
     * @param field the field
     * @param value its new value
     * @throws IllegalArgumentException if the field is of another type or record
     * @throws IllegalStateException if the flyweight was put there for reading only
     * @throws java.nio.ReadOnlyBufferException if the memory is for reading only
     */
    public void setInt(RecordField field, int value) {
        field.mustBe(int.class, type);
        writable().putInt(offset + field.offset(), value, LITTLE_ENDIAN);
    }

    /**
     * Reads a {@code long} field.
     *
     * @param field the field
     * @return its value
     * @throws IllegalArgumentException if the field is of another type or record
     */
    public long getLong(RecordField field) {
        field.mustBe(long.class, type);
        return source.getLong(offset + field.offset(), LITTLE_ENDIAN);
    }

    /**
     * Writes a {@code long} field.
     *
     * @param field the field
     * @param value its new value
     * @throws IllegalArgumentException if the field is of another type or record
     * @throws IllegalStateException if the flyweight was put there for reading only
     * @throws java.nio.ReadOnlyBufferException if the memory is for reading only
     */
    public void setLong(RecordField field, long value) {
        field.mustBe(long.class, type);
        writable().putLong(offset + field.offset(), value, LITTLE_ENDIAN);
    }

    /**
     * Reads a {@code float} field.
     *
     * @param field the field
     * @return its value
     * @throws IllegalArgumentException if the field is of another type or record
     */
    public float getFloat(RecordField field) {
        field.mustBe(float.class, type);
        return source.getFloat(offset + field.offset(), LITTLE_ENDIAN);
    }

    /**
     * Writes a {@code float} field.
     *
     * @param field the field
     * @param value its new value
     * @throws IllegalArgumentException if the field is of another type or record
     * @throws IllegalStateException if the flyweight was put there for reading only
     * @throws java.nio.ReadOnlyBufferException if the memory is for reading only
     */
    public void setFloat(RecordField field, float value) {
        field.mustBe(float.class, type);
        writable().putFloat(offset + field.offset(), value, LITTLE_ENDIAN);
    }

    /**
     * Reads a {@code double} field.
     *
     * @param field the field
     * @return its value
     * @throws IllegalArgumentException if the field is of another type or record
     */
    public double getDouble(RecordField field) {
        field.mustBe(double.class, type);
        return source.getDouble(offset + field.offset(), LITTLE_ENDIAN);
    }

    /**
     * Writes a {@code double} field.
     *
     * @param field the field
     * @param value its new value
     * @throws IllegalArgumentException if the field is of another type or record
     * @throws IllegalStateException if the flyweight was put there for reading only
     * @throws java.nio.ReadOnlyBufferException if the memory is for reading only
     */
    public void setDouble(RecordField field, double value) {
        field.mustBe(double.class, type);
        writable().putDouble(offset + field.offset(), value, LITTLE_ENDIAN);
    }

    /**
     * Reads an enum field.
     *
     * @param field the field
     * @return the ordinal as it stands there, 0 or more; it is not checked
     * @throws IllegalArgumentException if the field is of another type or record
     */
    public int getOrdinal(RecordField field) {
        if (!field.type().isEnum() || field.owner() != type) {
            throw field.refused(Enum.class, type);
        }
        return EnumField.ordinal(field, source, offset);
    }

    /**
     * Writes an enum field.
     *
     * @param field the field
     * @param value its new value
     * @throws NullPointerException if the value is null
     * @throws IllegalArgumentException if the field is of another type or record
     * @throws IllegalStateException if the flyweight was put there for reading only
     * @throws java.nio.ReadOnlyBufferException if the memory is for reading only
     */
    public void setEnum(RecordField field, Enum<?> value) {
        field.mustBe(Check.notNull(value, "value").getDeclaringClass(), type);
        EnumField.put(field, writable(), offset, value);
    }

    /**
     * Reads a string field. Allocates the string.
     *
     * @param field the field
     * @return its value
     * @throws IllegalArgumentException if the field is of another type or record, or its bytes are not ASCII
     */
    public String getAscii(RecordField field) {
        field.mustBe(String.class, type);
        return AsciiField.get(field, source, offset);
    }

    /**
     * Whether a string field has a value. Allocates nothing.
     *
     * @param field the field
     * @param text the value
     * @return whether it is equal
     * @throws NullPointerException if the text is null
     * @throws IllegalArgumentException if the field is of another type or record
     */
    public boolean hasAscii(RecordField field, CharSequence text) {
        field.mustBe(String.class, type);
        return AsciiField.equals(field, source, offset, Check.notNull(text, "text"));
    }

    /**
     * Writes a string field. A value that is refused changes nothing.
     *
     * @param field the field
     * @param value its new value
     * @throws NullPointerException if the value is null
     * @throws IllegalArgumentException if the field is of another type or record, or the value is too long or not ASCII from 1 to 127
     * @throws IllegalStateException if the flyweight was put there for reading only
     * @throws java.nio.ReadOnlyBufferException if the memory is for reading only
     */
    public void setAscii(RecordField field, String value) {
        field.mustBe(String.class, type);
        AsciiField.checkRest(field, value);
        AsciiField.put(field, writable(), offset, value);
    }

    private MutableDirectBuffer writable() {
        MutableDirectBuffer buffer = target;
        if (buffer == null) {
            throw new IllegalStateException(
                    "flyweight must be on a buffer that can be written, but was on one for reading only, or on none");
        }
        return buffer;
    }
}
