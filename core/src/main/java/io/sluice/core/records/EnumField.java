package io.sluice.core.records;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.core.check.Check;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** Enums as their ordinals, in one byte or two: the field, and the constants, which the class itself gives out only as copies. */
@SuppressWarnings({"ArrayRecordComponent", "EnumOrdinal"
}) // the constants are never handed out; the ordinal is the format
record EnumField(RecordField field, Object[] constants) {
    EnumField(RecordField field) {
        this(field, field.type().getEnumConstants());
    }

    static void put(RecordField field, MutableDirectBuffer buffer, int offset, Enum<?> value) {
        int ordinal = ordinal(field, value);
        if (field.size() == Byte.BYTES) {
            buffer.putByte(offset + field.offset(), (byte) ordinal);
        } else {
            buffer.putShort(offset + field.offset(), (short) ordinal, LITTLE_ENDIAN);
        }
    }

    /** The ordinal of a constant; refuses null. */
    static int ordinal(RecordField field, Enum<?> value) {
        return Check.notNull(value, field.name()).ordinal();
    }

    static int ordinal(RecordField field, DirectBuffer buffer, int offset) {
        return field.size() == Byte.BYTES
                ? buffer.getByte(offset + field.offset()) & 0xFF
                : buffer.getShort(offset + field.offset(), LITTLE_ENDIAN) & 0xFFFF;
    }

    Enum<?> constant(int ordinal) {
        if (ordinal >= constants.length) {
            throw new IllegalArgumentException("ordinal of " + field.name() + " must be "
                    + (constants.length == 0 ? "of an enum that has constants" : "from 0 to " + (constants.length - 1))
                    + ", but was " + ordinal);
        }
        return (Enum<?>) constants[ordinal];
    }
}
