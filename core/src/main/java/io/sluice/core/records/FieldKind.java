package io.sluice.core.records;

import org.jspecify.annotations.Nullable;

/** The kind of a component of a record, and how many bytes one value, character or element of it takes. */
enum FieldKind {
    BOOLEAN(boolean.class, 1),
    BYTE(byte.class, 1),
    SHORT(short.class, 2),
    CHAR(char.class, 2),
    INT(int.class, 4),
    LONG(long.class, 8),
    FLOAT(float.class, 4),
    DOUBLE(double.class, 8),
    ENUM(Enum.class, 1),
    ASCII(String.class, 1),
    BYTES(byte[].class, 1),
    INTS(int[].class, 4),
    LONGS(long[].class, 8),
    DOUBLES(double[].class, 8);

    /** Bytes of an array's length, which stands before its elements. */
    static final int LENGTH = Integer.BYTES;

    /** An enum with more constants takes two bytes. */
    static final int CONSTANTS_OF_A_BYTE = 256;

    private final Class<?> type;
    private final int width;

    FieldKind(Class<?> type, int width) {
        this.type = type;
        this.width = width;
    }

    static @Nullable FieldKind of(Class<?> type) {
        if (type.isEnum()) {
            return ENUM;
        }
        for (FieldKind kind : values()) {
            if (kind != ENUM && kind.type == type) {
                return kind;
            }
        }
        return null;
    }

    static FieldKind ofField(RecordField field) {
        FieldKind kind = of(field.type());
        if (kind == null) {
            throw new IllegalArgumentException("field must be of a known type, but was " + field);
        }
        return kind;
    }

    /** The type as an accessor or constructor of the codec sees it: an enum as {@code Enum}. */
    Class<?> type() {
        return type;
    }

    boolean hasLength() {
        return this == ASCII || isArray();
    }

    boolean isArray() {
        return type.isArray();
    }

    int size(Class<?> component, int maxLength) {
        if (this == ENUM) {
            return component.getEnumConstants().length > CONSTANTS_OF_A_BYTE ? Short.BYTES : Byte.BYTES;
        }
        return width * maxLength + (isArray() ? LENGTH : 0);
    }

    static String named(Class<?> type) {
        return type.isPrimitive() || type.isArray() || type == String.class
                ? type.getSimpleName()
                : type == Enum.class ? "enum" : type.getName();
    }
}
