package io.sluice.core.records;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.core.bytes.SafeBuffer;

/**
 * A field as unsigned numbers of up to eight bytes whose order is that of the field's values. A number or an enum is one; a string is one
 * for each eight characters, the first of them the greatest.
 */
final class SortKey {
    private final RecordField field;
    private final FieldKind kind;

    SortKey(RecordField field, Class<?> record) {
        FieldKind found = FieldKind.of(field.type());
        if (found == null || found.isArray() || field.owner() != record) {
            throw new IllegalArgumentException(
                    "field must be a number, an enum or a string of " + record.getSimpleName()
                            + ", but was " + FieldKind.named(field.type()) + " " + field.name() + " of "
                            + field.owner().getSimpleName());
        }
        this.field = field;
        kind = found;
    }

    /** How many numbers make a value. */
    int groups() {
        return kind == FieldKind.ASCII ? (field.size() + Long.BYTES - 1) / Long.BYTES : 1;
    }

    /** How many bytes the number of a group has. */
    int digits(int group) {
        return Math.min(Long.BYTES, field.size() - group * Long.BYTES);
    }

    long of(SafeBuffer page, int offset, int group) {
        int at = offset + field.offset();
        return switch (kind) {
            case BOOLEAN -> page.getByte(at) == 0 ? 0 : 1;
            case BYTE -> page.getByte(at) - (long) Byte.MIN_VALUE;
            case SHORT -> page.getShort(at, LITTLE_ENDIAN) - (long) Short.MIN_VALUE;
            case CHAR -> page.getChar(at, LITTLE_ENDIAN);
            case INT -> page.getInt(at, LITTLE_ENDIAN) - (long) Integer.MIN_VALUE;
            case LONG -> page.getLong(at, LITTLE_ENDIAN) ^ Long.MIN_VALUE;
            case FLOAT -> ordered(Float.floatToIntBits(page.getFloat(at, LITTLE_ENDIAN))) - (long) Integer.MIN_VALUE;
            case DOUBLE -> ordered(Double.doubleToLongBits(page.getDouble(at, LITTLE_ENDIAN))) ^ Long.MIN_VALUE;
            case ENUM -> EnumField.ordinal(field, page, offset);
            default -> characters(page, at, group);
        };
    }

    /** The bits of a float in the order of signed numbers: of a negative one, all but the sign are inverted. */
    private static int ordered(int bits) {
        return bits ^ ((bits >> (Integer.SIZE - 1)) & Integer.MAX_VALUE);
    }

    private static long ordered(long bits) {
        return bits ^ ((bits >> (Long.SIZE - 1)) & Long.MAX_VALUE);
    }

    private long characters(SafeBuffer page, int at, int group) {
        long key = 0;
        int from = at + group * Long.BYTES;
        for (int i = 0; i < digits(group); i++) {
            key = (key << Byte.SIZE) | (page.getByte(from + i) & 0xFF);
        }
        return key;
    }
}
