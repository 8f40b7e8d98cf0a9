package io.sluice.core.bytes;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.core.check.Check;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteOrder;
import org.agrona.AsciiEncoding;
import org.agrona.AsciiNumberFormatException;
import org.jspecify.annotations.Nullable;

/*
 * Strings and numbers in digits, as Agrona lays them out: a string is its length, an int, and then its bytes.
 */
abstract class TextBytes extends PlainBytes {
    private static final int MOST_INT_DIGITS = 10;
    private static final int MOST_LONG_DIGITS = 19;
    private static final byte[] NULL = "null".getBytes(US_ASCII);

    // ---- ASCII ----------------------------------------------------------------------------------------------------

    @Override
    public String getStringAscii(int index) {
        return getStringWithoutLengthAscii(index + STR_HEADER_LEN, getInt(index));
    }

    @Override
    public String getStringAscii(int index, ByteOrder byteOrder) {
        return getStringWithoutLengthAscii(index + STR_HEADER_LEN, getInt(index, byteOrder));
    }

    @Override
    public String getStringAscii(int index, int length) {
        return getStringWithoutLengthAscii(index + STR_HEADER_LEN, length);
    }

    @Override
    public int getStringAscii(int index, Appendable appendable) {
        return getStringWithoutLengthAscii(index + STR_HEADER_LEN, getInt(index), appendable);
    }

    @Override
    public int getStringAscii(int index, Appendable appendable, ByteOrder byteOrder) {
        return getStringWithoutLengthAscii(index + STR_HEADER_LEN, getInt(index, byteOrder), appendable);
    }

    @Override
    public int getStringAscii(int index, int length, Appendable appendable) {
        boundsCheck(index, STR_HEADER_LEN);
        return getStringWithoutLengthAscii(index + STR_HEADER_LEN, length, appendable);
    }

    @Override
    public String getStringWithoutLengthAscii(int index, int length) {
        return length == 0 && isWithin(index) ? "" : new String(bytes(index, length), US_ASCII);
    }

    /**
     * Appends characters; one that is not ASCII becomes a question mark.
     *
     * @param index where they begin
     * @param length how many
     * @param appendable gets them
     * @return how many
     * @throws UncheckedIOException if the {@code appendable} fails
     */
    @Override
    public int getStringWithoutLengthAscii(int index, int length, Appendable appendable) {
        boundsCheck(index, length);
        try {
            for (int i = index; i < index + length; i++) {
                byte c = getByte(i);
                appendable.append(c < 0 ? '?' : (char) c);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return length;
    }

    @Override
    public int putStringAscii(int index, @Nullable String value) {
        return putStringAscii(index, (CharSequence) value, NATIVE);
    }

    @Override
    public int putStringAscii(int index, @Nullable CharSequence value) {
        return putStringAscii(index, value, NATIVE);
    }

    @Override
    public int putStringAscii(int index, @Nullable String value, ByteOrder byteOrder) {
        return putStringAscii(index, (CharSequence) value, byteOrder);
    }

    @Override
    public int putStringAscii(int index, @Nullable CharSequence value, ByteOrder byteOrder) {
        int length = value == null ? 0 : value.length();
        boundsCheck(index, STR_HEADER_LEN + length);
        putInt(index, length, byteOrder);
        if (value != null) {
            putAscii(index + STR_HEADER_LEN, value, 0, length);
        }
        return STR_HEADER_LEN + length;
    }

    @Override
    public int putStringWithoutLengthAscii(int index, @Nullable String value) {
        return putStringWithoutLengthAscii(index, (CharSequence) value);
    }

    @Override
    public int putStringWithoutLengthAscii(int index, @Nullable CharSequence value) {
        return value == null ? 0 : putStringWithoutLengthAscii(index, value, 0, value.length());
    }

    @Override
    public int putStringWithoutLengthAscii(int index, @Nullable String value, int valueOffset, int length) {
        return putStringWithoutLengthAscii(index, (CharSequence) value, valueOffset, length);
    }

    @Override
    public int putStringWithoutLengthAscii(int index, @Nullable CharSequence value, int valueOffset, int length) {
        if (value == null) {
            return 0;
        }
        int shorter = Math.min(value.length() - valueOffset, length);
        boundsCheck(index, shorter);
        putAscii(index, value, valueOffset, shorter);
        return shorter;
    }

    private void putAscii(int index, CharSequence value, int from, int length) {
        for (int i = 0; i < length; i++) {
            char c = value.charAt(from + i);
            putByte(index + i, c > 127 ? (byte) '?' : (byte) c);
        }
    }

    // ---- UTF-8 ----------------------------------------------------------------------------------------------------

    @Override
    public String getStringUtf8(int index) {
        return getStringWithoutLengthUtf8(index + STR_HEADER_LEN, getInt(index));
    }

    @Override
    public String getStringUtf8(int index, ByteOrder byteOrder) {
        return getStringWithoutLengthUtf8(index + STR_HEADER_LEN, getInt(index, byteOrder));
    }

    @Override
    public String getStringUtf8(int index, int length) {
        return getStringWithoutLengthUtf8(index + STR_HEADER_LEN, length);
    }

    @Override
    public String getStringWithoutLengthUtf8(int index, int length) {
        return length == 0 && isWithin(index) ? "" : new String(bytes(index, length), UTF_8);
    }

    @Override
    public int putStringUtf8(int index, @Nullable String value) {
        return putStringUtf8(index, value, NATIVE, Integer.MAX_VALUE);
    }

    @Override
    public int putStringUtf8(int index, @Nullable String value, ByteOrder byteOrder) {
        return putStringUtf8(index, value, byteOrder, Integer.MAX_VALUE);
    }

    @Override
    public int putStringUtf8(int index, @Nullable String value, int maxEncodedLength) {
        return putStringUtf8(index, value, NATIVE, maxEncodedLength);
    }

    @Override
    public int putStringUtf8(int index, @Nullable String value, ByteOrder byteOrder, int maxEncodedLength) {
        byte[] bytes = value == null ? NULL : value.getBytes(UTF_8);
        if (bytes.length > maxEncodedLength) {
            throw new IllegalArgumentException(
                    "value must have at most " + maxEncodedLength + " bytes as UTF-8, but had " + bytes.length);
        }
        boundsCheck(index, STR_HEADER_LEN + bytes.length);
        putInt(index, bytes.length, byteOrder);
        putBytes(index + STR_HEADER_LEN, bytes);
        return STR_HEADER_LEN + bytes.length;
    }

    @Override
    public int putStringWithoutLengthUtf8(int index, @Nullable String value) {
        byte[] bytes = value == null ? NULL : value.getBytes(UTF_8);
        putBytes(index, bytes);
        return bytes.length;
    }

    private boolean isWithin(int index) {
        boundsCheck(index, 0);
        return true;
    }

    private byte[] bytes(int index, int length) {
        boundsCheck(index, length); // before the array is made: a length out of the memory may be anything
        byte[] bytes = new byte[length];
        getBytes(index, bytes);
        return bytes;
    }

    // ---- numbers read ---------------------------------------------------------------------------------------------

    @Override
    public int parseNaturalIntAscii(int index, int length) {
        return (int) parse(index, length, false, MOST_INT_DIGITS, Integer.MAX_VALUE);
    }

    @Override
    public long parseNaturalLongAscii(int index, int length) {
        return parse(index, length, false, MOST_LONG_DIGITS, Long.MAX_VALUE);
    }

    @Override
    public int parseIntAscii(int index, int length) {
        return (int) parse(index, length, true, MOST_INT_DIGITS, Integer.MAX_VALUE);
    }

    @Override
    public long parseLongAscii(int index, int length) {
        return parse(index, length, true, MOST_LONG_DIGITS, Long.MAX_VALUE);
    }

    private long parse(int index, int length, boolean signed, int mostDigits, long highest) {
        boundsCheck(index, length);
        if (length == 0) {
            throw new AsciiNumberFormatException("a number must have a digit, but length was 0 at index " + index);
        }
        boolean negative = signed && getByte(index) == '-';
        int at = negative ? index + 1 : index;
        int end = index + length;
        if (at == end || end - at > mostDigits) {
            throw noNumber(index, length, mostDigits);
        }
        long value = 0; // 19 digits fit as an unsigned number
        for (; at < end; at++) {
            int digit = getByte(at) - '0';
            if (digit < 0 || digit > 9) {
                throw noNumber(index, length, mostDigits);
            }
            value = value * 10 + digit;
        }
        if (Long.compareUnsigned(value, negative ? highest + 1 : highest) > 0) {
            throw noNumber(index, length, mostDigits);
        }
        return negative ? -value : value;
    }

    private AsciiNumberFormatException noNumber(int index, int length, int mostDigits) {
        String most = mostDigits == MOST_INT_DIGITS ? "an int" : "a long";
        return new AsciiNumberFormatException("the text must be " + most + " of at most " + mostDigits
                + " digits, but was " + getStringWithoutLengthAscii(index, Math.min(length, 40)));
    }

    // ---- numbers written ------------------------------------------------------------------------------------------

    @Override
    public int putIntAscii(int index, int value) {
        return putLongAscii(index, value);
    }

    @Override
    public int putLongAscii(int index, long value) {
        if (value >= 0) {
            return putNaturalLongAscii(index, value);
        }
        if (value == Long.MIN_VALUE) {
            putBytes(index, AsciiEncoding.MIN_LONG_VALUE);
            return AsciiEncoding.MIN_LONG_VALUE.length;
        }
        int digits = AsciiEncoding.digitCount(-value);
        boundsCheck(index, digits + 1);
        putByte(index, (byte) '-');
        putDigits(index + 1, digits, -value);
        return digits + 1;
    }

    /**
     * Writes digits.
     *
     * @param index where they begin
     * @param value 0 or more
     * @return how many digits
     * @throws IllegalArgumentException if the value is negative
     */
    @Override
    public int putNaturalIntAscii(int index, int value) {
        return putNaturalLongAscii(index, value);
    }

    /**
     * Writes digits.
     *
     * @param index where they begin
     * @param value 0 or more
     * @return how many digits
     * @throws IllegalArgumentException if the value is negative
     */
    @Override
    public int putNaturalLongAscii(int index, long value) {
        Check.inRange(value, 0, Long.MAX_VALUE, "value");
        int digits = value == 0 ? 1 : AsciiEncoding.digitCount(value);
        boundsCheck(index, digits);
        putDigits(index, digits, value);
        return digits;
    }

    /**
     * Writes digits with zeros before them. Writes nothing if the number does not fit.
     *
     * @param index where they begin
     * @param length how many digits
     * @param value 0 or more
     * @throws IllegalArgumentException if the value is negative
     * @throws NumberFormatException if it has more digits
     */
    @Override
    public void putNaturalPaddedIntAscii(int index, int length, int value) {
        Check.inRange(value, 0, Integer.MAX_VALUE, "value");
        boundsCheck(index, length);
        if (value != 0 && AsciiEncoding.digitCount(value) > length) {
            throw new NumberFormatException("value must have at most " + length + " digits, but was " + value);
        }
        putDigits(index, length, value);
    }

    /**
     * Writes digits that end at an index. Of 0 it writes no digit, but wants room for one, as Agrona's own buffers.
     *
     * @param value 0 or more
     * @param endExclusive the index behind the last digit
     * @return the index of the first digit
     * @throws IllegalArgumentException if the value is negative
     */
    @Override
    public int putNaturalIntAsciiFromEnd(int value, int endExclusive) {
        Check.inRange(value, 0, Integer.MAX_VALUE, "value");
        int digits = value == 0 ? 1 : AsciiEncoding.digitCount(value);
        int index = endExclusive - digits;
        boundsCheck(index, digits);
        if (value == 0) {
            return endExclusive;
        }
        putDigits(index, digits, value);
        return index;
    }

    private void putDigits(int index, int digits, long value) {
        long rest = value;
        for (int i = index + digits - 1; i >= index; i--) {
            putByte(i, (byte) ('0' + rest % 10));
            rest /= 10;
        }
    }
}
