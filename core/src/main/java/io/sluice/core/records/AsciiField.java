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
        int length = Check.notNull(text, field.name()).length();
        if (length > field.maxLength()) {
            Check.inRange(length, 0, field.maxLength(), "length of " + field.name());
        }
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

    private static int ascii(RecordField field, String text, int i) {
        char c = text.charAt(i);
        if (c == 0 || c > LAST) {
            throw new IllegalArgumentException("characters of " + field.name()
                    + " must be ASCII from 1 to 127, but character " + i + " was " + (int) c);
        }
        return c;
    }

    static String get(RecordField field, DirectBuffer buffer, int offset) {
        byte[] bytes = new byte[field.maxLength()];
        buffer.getBytes(offset + field.offset(), bytes);
        int length = 0;
        while (length < bytes.length && bytes[length] != 0) {
            if (bytes[length] < 0) {
                throw new IllegalArgumentException("bytes of " + field.name()
                        + " must be ASCII from 1 to 127, but byte " + length + " was " + (bytes[length] & 0xFF));
            }
            length++;
        }
        return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    }

    /** Whether the string of the field is the given one; allocates nothing. */
    static boolean equals(RecordField field, DirectBuffer buffer, int offset, CharSequence text) {
        int length = text.length();
        if (length > field.maxLength()) {
            return false;
        }
        int at = offset + field.offset();
        for (int i = 0; i < length; i++) {
            if (buffer.getByte(at + i) != text.charAt(i)) {
                return false;
            }
        }
        return length == field.maxLength() || buffer.getByte(at + length) == 0;
    }
}
