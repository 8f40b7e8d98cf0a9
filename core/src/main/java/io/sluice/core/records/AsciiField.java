package io.sluice.core.records;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.core.check.Check;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** ASCII strings in fields of a fixed size: one byte for each character, zeros behind the last. Characters are 1 to 127. */
final class AsciiField {
    private static final int LAST = 127;

    private AsciiField() {}

    /** Writes eight characters at a time, so a short string takes few accesses. */
    static void put(RecordField field, MutableDirectBuffer buffer, int offset, String text) {
        int length = length(field, text);
        int at = offset + field.offset();
        int room = field.maxLength();
        for (int i = 0; i < room; i += Long.BYTES) {
            long eight = 0;
            for (int k = Math.min(length - i, Long.BYTES) - 1; k >= 0; k--) {
                eight = (eight << Byte.SIZE) | ascii(field, text, i + k);
            }
            putUpToEight(buffer, at + i, Math.min(room - i, Long.BYTES), eight);
        }
    }

    private static void putUpToEight(MutableDirectBuffer buffer, int index, int bytes, long value) {
        if (bytes == Long.BYTES) {
            buffer.putLong(index, value, LITTLE_ENDIAN);
            return;
        }
        int at = index;
        long rest = value;
        if ((bytes & Integer.BYTES) != 0) {
            buffer.putInt(at, (int) rest, LITTLE_ENDIAN);
            at += Integer.BYTES;
            rest >>>= Integer.SIZE;
        }
        if ((bytes & Short.BYTES) != 0) {
            buffer.putShort(at, (short) rest, LITTLE_ENDIAN);
            at += Short.BYTES;
            rest >>>= Short.SIZE;
        }
        if ((bytes & 1) != 0) {
            buffer.putByte(at, (byte) rest);
        }
    }

    /** Refuses a text that put would refuse only when it has written: put checks the first eight characters before it writes. */
    static void checkRest(RecordField field, String text) {
        for (int i = length(field, text) - 1; i >= Long.BYTES; i--) {
            ascii(field, text, i);
        }
    }

    /** How long a text is; refuses null and one that is too long. */
    static int length(RecordField field, String text) {
        int length = Check.notNull(text, field.name()).length();
        field.mustHold(length);
        return length;
    }

    /** A character; refuses one that is not ASCII. */
    static int ascii(RecordField field, String text, int i) {
        char c = text.charAt(i);
        if (c == 0 || c > LAST) {
            throw new IllegalArgumentException("characters of " + field.name()
                    + " must be ASCII from 1 to 127, but character " + i + " was " + (int) c);
        }
        return c;
    }

    static String get(RecordField field, DirectBuffer buffer, int offset) {
        int at = offset + field.offset();
        int length = 0;
        for (byte c; length < field.maxLength() && (c = buffer.getByte(at + length)) != 0; length++) {
            check(field, c, length);
        }
        byte[] bytes = new byte[length];
        buffer.getBytes(at, bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Refuses a byte that is no character. */
    static void check(RecordField field, byte c, int place) {
        if (c < 0) {
            throw new IllegalArgumentException("bytes of " + field.name() + " must be ASCII from 1 to 127, but byte "
                    + place + " was " + (c & 0xFF));
        }
    }

    /** Whether the string of the field is the given one; allocates nothing. */
    static boolean equals(RecordField field, DirectBuffer buffer, int offset, CharSequence text) {
        int length = text.length();
        if (length > field.maxLength()) {
            return false;
        }
        int at = offset + field.offset();
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (c == 0 || buffer.getByte(at + i) != c) { // a zero is no character, but what stands behind the last one
                return false;
            }
        }
        return length == field.maxLength() || buffer.getByte(at + length) == 0;
    }
}
