package io.sluice.core.records;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Fields in an array of bytes, the memory of a buffer on the heap. The JIT compiler knows that an access to an array changes neither the
 * buffer nor the record, and so does not read these again for each field.
 */
@SuppressWarnings("UnusedMethod") // put... and get... are found by their names
final class ArrayFields {
    private static final VarHandle SHORTS = view(short[].class);
    private static final VarHandle INTS = view(int[].class);
    private static final VarHandle LONGS = view(long[].class);
    private static final VarHandle DOUBLES = view(double[].class);

    private ArrayFields() {}

    private static VarHandle view(Class<?> numbers) {
        return MethodHandles.byteArrayViewVarHandle(numbers, LITTLE_ENDIAN).withInvokeExactBehavior();
    }

    /** The handle that puts a field: {@code (byte[], index of the record, value)void}. */
    static MethodHandle putter(RecordField field, FieldKind kind) throws ReflectiveOperationException {
        return switch (kind) {
            case BYTE -> moved(MethodHandles.arrayElementSetter(byte[].class), field);
            case SHORT, CHAR, INT, LONG, FLOAT, DOUBLE ->
                moved(view(kind.type().arrayType()).toMethodHandle(VarHandle.AccessMode.SET), field);
            default ->
                named("put" + kind, field, MethodType.methodType(void.class, byte[].class, int.class, kind.type()));
        };
    }

    /** The handle that gets a field: {@code (byte[], index of the record)value}. */
    static MethodHandle getter(RecordField field, FieldKind kind) throws ReflectiveOperationException {
        return switch (kind) {
            case BYTE -> moved(MethodHandles.arrayElementGetter(byte[].class), field);
            case SHORT, CHAR, INT, LONG, FLOAT, DOUBLE ->
                moved(view(kind.type().arrayType()).toMethodHandle(VarHandle.AccessMode.GET), field);
            default -> named("get" + kind, field, MethodType.methodType(kind.type(), byte[].class, int.class));
        };
    }

    private static MethodHandle moved(MethodHandle access, RecordField field) throws ReflectiveOperationException {
        MethodHandle place = named("place", field, MethodType.methodType(int.class, int.class));
        return MethodHandles.filterArguments(access, 1, place);
    }

    private static MethodHandle named(String name, RecordField field, MethodType type)
            throws ReflectiveOperationException {
        Object bound = name.equals("getENUM") ? new EnumField(field) : field;
        MethodHandle found = MethodHandles.lookup()
                .findStatic(ArrayFields.class, name, type.insertParameterTypes(0, bound.getClass()));
        return MethodHandles.insertArguments(found, 0, bound);
    }

    private static int place(RecordField field, int at) {
        return at + field.offset();
    }

    private static void putBOOLEAN(RecordField field, byte[] bytes, int at, boolean value) {
        bytes[at + field.offset()] = (byte) (value ? 1 : 0);
    }

    private static boolean getBOOLEAN(RecordField field, byte[] bytes, int at) {
        return bytes[at + field.offset()] != 0;
    }

    private static void putENUM(RecordField field, byte[] bytes, int at, Enum<?> value) {
        int ordinal = EnumField.ordinal(field, value);
        if (field.size() == Byte.BYTES) {
            bytes[at + field.offset()] = (byte) ordinal;
        } else {
            SHORTS.set(bytes, at + field.offset(), (short) ordinal);
        }
    }

    private static Enum<?> getENUM(EnumField constants, byte[] bytes, int at) {
        int place = at + constants.field().offset();
        return constants.constant(
                constants.field().size() == Byte.BYTES
                        ? bytes[place] & 0xFF
                        : (short) SHORTS.get(bytes, place) & 0xFFFF);
    }

    private static void putASCII(RecordField field, byte[] bytes, int at, String text) {
        int length = AsciiField.length(field, text);
        int from = at + field.offset();
        for (int i = 0; i < length; i++) {
            bytes[from + i] = (byte) AsciiField.ascii(field, text, i);
        }
        Arrays.fill(bytes, from + length, from + field.maxLength(), (byte) 0);
    }

    private static String getASCII(RecordField field, byte[] bytes, int at) {
        int from = at + field.offset();
        int length = 0;
        while (length < field.maxLength() && bytes[from + length] != 0) {
            AsciiField.check(field, bytes[from + length], length);
            length++;
        }
        return new String(bytes, from, length, StandardCharsets.ISO_8859_1);
    }

    private static void putBYTES(RecordField field, byte[] bytes, int at, byte[] values) {
        int from = putLength(field, bytes, at, Check.notNull(values, field.name()).length);
        System.arraycopy(values, 0, bytes, from, values.length);
    }

    private static byte[] getBYTES(RecordField field, byte[] bytes, int at) {
        int length = length(field, bytes, at);
        int from = at + field.offset() + FieldKind.LENGTH;
        return Arrays.copyOfRange(bytes, from, from + length);
    }

    private static void putINTS(RecordField field, byte[] bytes, int at, int[] values) {
        int from = putLength(field, bytes, at, Check.notNull(values, field.name()).length);
        for (int i = 0; i < values.length; i++) {
            INTS.set(bytes, from + i * Integer.BYTES, values[i]);
        }
    }

    private static int[] getINTS(RecordField field, byte[] bytes, int at) {
        int[] values = new int[length(field, bytes, at)];
        int from = at + field.offset() + FieldKind.LENGTH;
        for (int i = 0; i < values.length; i++) {
            values[i] = (int) INTS.get(bytes, from + i * Integer.BYTES);
        }
        return values;
    }

    private static void putLONGS(RecordField field, byte[] bytes, int at, long[] values) {
        int from = putLength(field, bytes, at, Check.notNull(values, field.name()).length);
        for (int i = 0; i < values.length; i++) {
            LONGS.set(bytes, from + i * Long.BYTES, values[i]);
        }
    }

    private static long[] getLONGS(RecordField field, byte[] bytes, int at) {
        long[] values = new long[length(field, bytes, at)];
        int from = at + field.offset() + FieldKind.LENGTH;
        for (int i = 0; i < values.length; i++) {
            values[i] = (long) LONGS.get(bytes, from + i * Long.BYTES);
        }
        return values;
    }

    private static void putDOUBLES(RecordField field, byte[] bytes, int at, double[] values) {
        int from = putLength(field, bytes, at, Check.notNull(values, field.name()).length);
        for (int i = 0; i < values.length; i++) {
            DOUBLES.set(bytes, from + i * Double.BYTES, values[i]);
        }
    }

    private static double[] getDOUBLES(RecordField field, byte[] bytes, int at) {
        double[] values = new double[length(field, bytes, at)];
        int from = at + field.offset() + FieldKind.LENGTH;
        for (int i = 0; i < values.length; i++) {
            values[i] = (double) DOUBLES.get(bytes, from + i * Double.BYTES);
        }
        return values;
    }

    private static int putLength(RecordField field, byte[] bytes, int at, int length) {
        field.mustHold(length);
        INTS.set(bytes, at + field.offset(), length);
        return at + field.offset() + FieldKind.LENGTH;
    }

    private static int length(RecordField field, byte[] bytes, int at) {
        int length = (int) INTS.get(bytes, at + field.offset());
        field.mustHold(length);
        return length;
    }
}
