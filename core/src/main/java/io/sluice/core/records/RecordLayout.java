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
        List<Place> places = places(type);
        fields = places.stream().map(place -> place.in(type)).toList();
        size = places.stream().mapToInt(Place::size).sum();
        List<MethodHandle> readers = new ArrayList<>();
        List<Class<?>> types = new ArrayList<>();
        try {
            for (RecordComponent component : type.getRecordComponents()) {
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

    /** Where one component stands: a field that is not checked yet. */
    record Place(String name, Class<?> type, int offset, int size, int maxLength) {
        RecordField in(Class<?> record) {
            return new RecordField(record, name, type, offset, size, maxLength);
        }
    }

    /** Where the components of a record stand, one behind the other. */
    static List<Place> places(Class<?> record) {
        RecordComponent[] components = record.getRecordComponents();
        Check.inRange(components.length, 1, MOST_COMPONENTS, "components of " + record.getSimpleName());
        List<Place> places = new ArrayList<>();
        int end = 0;
        for (RecordComponent component : components) {
            Place place = place(record.getSimpleName() + "." + component.getName(), component, end);
            places.add(place);
            end += place.size();
        }
        return places;
    }

    private static Place place(String name, RecordComponent component, int offset) {
        Class<?> type = component.getType();
        FieldKind kind = FieldKind.of(type);
        if (kind == null) {
            throw new IllegalArgumentException("component " + name
                    + " must be a primitive, an enum, a String, or an array of byte, int, long or double, but was "
                    + FieldKind.named(type));
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
        return new Place(component.getName(), type, offset, kind.size(type, maxLength), maxLength);
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

    /** The text by which a file describes its records: two types with the same text have the same bytes. */
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
