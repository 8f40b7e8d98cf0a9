package io.sluice.core.records;

import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;

/**
 * The bytes of one record type: its components one after the other in the order of their declaration, packed, little-endian. And the
 * handles of its accessors and its constructor, found once.
 */
final class RecordLayout<T extends Record> {
    static final int MOST_COMPONENTS = 100;
    static final int MOST_ELEMENTS = 1 << 16;

    private final Class<T> type;
    private final List<RecordField> fields;
    private final List<MethodHandle> accessors;
    private final MethodHandle constructor;
    private final int size;

    RecordLayout(MethodHandles.Lookup lookup, Class<T> type) {
        this.type = type;
        if (!type.isRecord()) {
            throw new IllegalArgumentException("type must be a record, but was '" + type.getName() + "'");
        }
        RecordComponent[] components = type.getRecordComponents();
        Check.inRange(components.length, 1, MOST_COMPONENTS, "components of " + type.getSimpleName());
        List<RecordField> placed = new ArrayList<>();
        int end = 0;
        for (RecordComponent component : components) {
            RecordField field = field(component, end);
            placed.add(field);
            end += field.size();
        }
        fields = List.copyOf(placed);
        size = end;
        List<MethodHandle> readers = new ArrayList<>();
        List<Class<?>> types = new ArrayList<>();
        try {
            for (RecordComponent component : components) {
                types.add(component.getType());
                readers.add(lookup.unreflect(component.getAccessor()));
            }
            constructor = lookup.findConstructor(type, MethodType.methodType(void.class, types));
        } catch (IllegalAccessException | NoSuchMethodException e) {
            throw new IllegalArgumentException(
                    "type must be public in an exported package, or be given with a lookup that sees it, but '"
                            + type.getName() + "' can not be seen",
                    e);
        }
        accessors = List.copyOf(readers);
    }

    private RecordField field(RecordComponent component, int offset) {
        String name = type.getSimpleName() + "." + component.getName();
        FieldKind kind = FieldKind.of(component.getType());
        if (kind == null) {
            throw new IllegalArgumentException("component " + name
                    + " must be a primitive, an enum, a String, or an array of byte, int, long or double, but was "
                    + FieldKind.named(component.getType()));
        }
        MaxLength longest = component.getAnnotation(MaxLength.class);
        if (kind.hasLength() != (longest != null)) {
            throw new IllegalArgumentException("component " + name
                    + (kind.hasLength()
                            ? " must have @MaxLength, since its room is fixed, but has none"
                            : " must have no @MaxLength, but has one"));
        }
        int maxLength = longest == null ? 1 : longest.value();
        Check.inRange(maxLength, 1, MOST_ELEMENTS, "@MaxLength of " + name);
        return new RecordField(
                type,
                component.getName(),
                component.getType(),
                offset,
                kind.size(component.getType(), maxLength),
                maxLength);
    }

    /** Whether a record has such a component there, with that length. */
    static boolean has(Class<?> record, String name, Class<?> type, int offset, int size, int maxLength) {
        int at = 0;
        for (RecordComponent component : record.isRecord() ? record.getRecordComponents() : new RecordComponent[0]) {
            FieldKind kind = FieldKind.of(component.getType());
            MaxLength longest = component.getAnnotation(MaxLength.class);
            int most = longest == null ? 1 : longest.value();
            int bytes = kind == null ? 0 : kind.size(component.getType(), most);
            if (component.getName().equals(name)) {
                return component.getType() == type && at == offset && bytes == size && most == maxLength;
            }
            at += bytes;
        }
        return false;
    }

    Class<T> type() {
        return type;
    }

    List<RecordField> fields() {
        return fields;
    }

    List<MethodHandle> accessors() {
        return accessors;
    }

    MethodHandle constructor() {
        return constructor;
    }

    int size() {
        return size;
    }

    RecordField field(String name) {
        for (RecordField field : fields) {
            if (field.name().equals(name)) {
                return field;
            }
        }
        throw new IllegalArgumentException("name must be one of "
                + String.join(", ", fields.stream().map(RecordField::name).toList()) + ", but was '" + name + "'");
    }

    /** What a file says about its records: two types with the same text have the same bytes. */
    String description() {
        StringBuilder text = new StringBuilder();
        for (RecordField field : fields) {
            text.append(text.length() == 0 ? "" : "; ").append(field.name()).append(' ');
            Object[] constants = field.type().getEnumConstants();
            if (constants == null) {
                text.append(field.type().getSimpleName());
            } else {
                text.append("enum");
                for (Object constant : constants) {
                    text.append(' ').append(((Enum<?>) constant).name());
                }
            }
            text.append(field.maxLength() > 1 || field.type() == String.class ? " up to " + field.maxLength() : "");
        }
        return text.toString();
    }
}
