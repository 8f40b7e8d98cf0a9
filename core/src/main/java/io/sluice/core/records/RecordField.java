package io.sluice.core.records;

import io.sluice.core.check.Check;

/**
 * Where one component of a record stands in its bytes. Made by {@link RecordCodec#field}. Kept in a {@code static final} field, its
 * offset is a constant for the JIT compiler. Immutable; any thread.
 *
 * @param owner the record's class
 * @param name of the component
 * @param type of the component: a primitive type, an enum, {@code String}, or an array of {@code byte}, {@code int}, {@code long} or
 *     {@code double}
 * @param offset of its first byte from the record's first byte
 * @param size in bytes
 * @param maxLength how many characters or elements fit; 1 for a component that is neither a {@code String} nor an array
 */
public record RecordField(Class<?> owner, String name, Class<?> type, int offset, int size, int maxLength) {
    /**
     * Names a field as the record's codec has it.
     *
     * @param owner the record's class
     * @param name of the component
     * @param type of the component
     * @param offset of its first byte, 0 or more
     * @param size in bytes, 1 or more
     * @param maxLength how many characters or elements fit, 1 or more
     * @throws NullPointerException if the owner, the name or the type is null
     * @throws IllegalArgumentException if the offset is negative, the size or the length is below 1, or the record has no such field
     */
    public RecordField {
        Check.notNull(owner, "owner");
        Check.notNull(name, "name");
        Check.notNull(type, "type");
        Check.inRange(offset, 0, Integer.MAX_VALUE, "offset");
        Check.inRange(size, 1, Integer.MAX_VALUE, "size");
        Check.inRange(maxLength, 1, Integer.MAX_VALUE, "maxLength");
        // Here, so that no access has to look.
        // Field by field: on JDK 17 the first equals of a record keeps the loader of its class for good.
        if (!owner.isRecord()
                || RecordLayout.places(owner).stream()
                        .noneMatch(place -> place.name().equals(name)
                                && place.type() == type
                                && place.offset() == offset
                                && place.size() == size
                                && place.maxLength() == maxLength)) {
            throw new IllegalArgumentException(
                    "field must be as a codec of " + owner.getSimpleName() + " has it, but was " + FieldKind.named(type)
                            + " " + name + " at " + offset + ", of " + size + " bytes, up to " + maxLength);
        }
    }

    /** Refuses an access as another type, or to another record. */
    void mustBe(Class<?> asked, Class<?> record) {
        if (type != asked || owner != record) {
            throw refused(asked, record);
        }
    }

    /** Refuses a length that has no room; the check by itself is small enough to be compiled into each field. */
    void mustHold(int length) {
        if (length < 0 || length > maxLength) {
            Check.inRange(length, 0, maxLength, "length of " + name);
        }
    }

    IllegalArgumentException refused(Class<?> asked, Class<?> record) {
        return new IllegalArgumentException("field must be " + FieldKind.named(asked) + " of " + record.getSimpleName()
                + ", but was " + FieldKind.named(type) + " " + name + " of " + owner.getSimpleName());
    }
}
