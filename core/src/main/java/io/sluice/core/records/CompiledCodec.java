package io.sluice.core.records;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.core.access.ArrayPart;
import io.sluice.core.access.ArrayParts;
import io.sluice.core.bytes.SafeBuffer;
import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A codec whose method handles are constants, in a hidden copy of this class: see {@link CodecClasses}. In the template they are
 * fields.
 *
 * <pre>
 *   encode:  put(field 1, buffer, offset, record.accessor1()); put(field 2, ...); ...
 *   decode:  new T(get(field 1, buffer, offset), get(field 2, ...), ...)
 * </pre>
 *
 * <p>The methods that put into a buffer and get from it stand in this class, so that each copy has a profile of its own of the buffers that
 * it meets. Where a buffer is over an array, {@link ArrayFields} goes to the array itself.
 */
@SuppressWarnings("UnusedMethod") // put... and get... are found by their names
final class CompiledCodec<T extends Record> extends RecordCodec<T> {
    private static final @Nullable RecordLayout<?> OWN = CodecClasses.layoutOf(MethodHandles.lookup());
    private static final @Nullable MethodHandle ENCODE = OWN == null ? null : encoder(OWN, MutableDirectBuffer.class);
    private static final @Nullable MethodHandle DECODE = OWN == null ? null : decoder(OWN, DirectBuffer.class);
    private static final @Nullable MethodHandle ENCODE_TO_ARRAY = OWN == null ? null : encoder(OWN, byte[].class);
    private static final @Nullable MethodHandle DECODE_FROM_ARRAY = OWN == null ? null : decoder(OWN, byte[].class);

    private final int size;
    private final MethodHandle encode;
    private final MethodHandle decode;
    private final MethodHandle encodeToArray;
    private final MethodHandle decodeFromArray;

    CompiledCodec(RecordLayout<T> layout) {
        super(layout);
        size = layout.size();
        encode = ENCODE == null ? encoder(layout, MutableDirectBuffer.class) : ENCODE;
        decode = DECODE == null ? decoder(layout, DirectBuffer.class) : DECODE;
        encodeToArray = ENCODE_TO_ARRAY == null ? encoder(layout, byte[].class) : ENCODE_TO_ARRAY;
        decodeFromArray = DECODE_FROM_ARRAY == null ? decoder(layout, byte[].class) : DECODE_FROM_ARRAY;
    }

    @Override
    public void encode(T record, MutableDirectBuffer buffer, int offset) {
        Check.notNull(record, "record");
        ArrayPart part = part(Check.notNull(buffer, "buffer"), offset);
        byte[] array = array(buffer, part);
        try {
            if (array == null) {
                if (ENCODE == null) {
                    encode.invokeExact(buffer, offset, (Object) record);
                } else {
                    ENCODE.invokeExact(buffer, offset, (Object) record);
                }
            } else {
                int at = (part == null ? buffer.wrapAdjustment() : part.start()) + offset;
                if (ENCODE_TO_ARRAY == null) {
                    encodeToArray.invokeExact(array, at, (Object) record);
                } else {
                    ENCODE_TO_ARRAY.invokeExact(array, at, (Object) record);
                }
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw undeclared(t);
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    public T decode(DirectBuffer buffer, int offset) {
        ArrayPart part = part(Check.notNull(buffer, "buffer"), offset);
        byte[] array = array(buffer, part);
        try {
            if (array == null) {
                return (T)
                        (DECODE == null
                                ? (Object) decode.invokeExact(buffer, offset)
                                : (Object) DECODE.invokeExact(buffer, offset));
            }
            int at = (part == null ? buffer.wrapAdjustment() : part.start()) + offset;
            return (T)
                    (DECODE_FROM_ARRAY == null
                            ? (Object) decodeFromArray.invokeExact(array, at)
                            : (Object) DECODE_FROM_ARRAY.invokeExact(array, at));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw undeclared(t);
        }
    }

    /** The part that holds the record, if a buffer of ours is over an array; else null, and the buffer has checked its bounds. */
    private @Nullable ArrayPart part(DirectBuffer buffer, int offset) {
        ArrayPart part = buffer instanceof SafeBuffer ours ? ArrayParts.of(ours) : null;
        if (part != null && part.holds(offset, size)) {
            return part;
        }
        buffer.boundsCheck(offset, size);
        return null;
    }

    /** The array; null if the methods of the buffer reach the record, also in one of ours that another thread wraps just now. */
    private static byte @Nullable [] array(DirectBuffer buffer, @Nullable ArrayPart part) {
        return part != null ? part.array() : buffer instanceof SafeBuffer ? null : buffer.byteArray();
    }

    private static IllegalStateException undeclared(Throwable t) {
        return new IllegalStateException(
                "a record's accessors and constructor must throw unchecked exceptions only, but threw " + t, t);
    }

    // ---- how the handles are composed

    private static MethodHandle encoder(RecordLayout<?> layout, Class<?> memory) {
        MethodHandle all = MethodHandles.empty(MethodType.methodType(void.class, memory, int.class, Object.class));
        for (int i = layout.fields().size() - 1; i >= 0; i--) {
            MethodHandle put = putter(layout.fields().get(i), memory);
            MethodHandle accessor = layout.accessors().get(i);
            MethodHandle value =
                    accessor.asType(MethodType.methodType(put.type().parameterType(2), Object.class));
            all = MethodHandles.foldArguments(all, MethodHandles.filterArguments(put, 2, value));
        }
        return all;
    }

    private static MethodHandle decoder(RecordLayout<?> layout, Class<?> memory) {
        List<RecordField> fields = layout.fields();
        MethodHandle all = layout.constructor();
        int[] order = new int[2 * fields.size()];
        for (int i = fields.size() - 1; i >= 0; i--) {
            MethodHandle get = getter(fields.get(i), memory);
            get = get.asType(get.type().changeReturnType(all.type().parameterType(i)));
            all = MethodHandles.collectArguments(all, i, get);
            order[2 * i + 1] = 1;
        }
        return MethodHandles.permuteArguments(
                all.asType(all.type().changeReturnType(Object.class)),
                MethodType.methodType(Object.class, memory, int.class),
                order);
    }

    /** The handle that puts a field: {@code (memory, index of the record, value)void}. */
    private static MethodHandle putter(RecordField field, Class<?> memory) {
        FieldKind kind = FieldKind.ofField(field);
        try {
            return memory == byte[].class
                    ? ArrayFields.putter(field, kind)
                    : named("put", kind, field, MethodType.methodType(void.class, memory, int.class, kind.type()));
        } catch (ReflectiveOperationException e) {
            throw missing(kind, e);
        }
    }

    /** The handle that gets a field: {@code (memory, index of the record)value}. */
    private static MethodHandle getter(RecordField field, Class<?> memory) {
        FieldKind kind = FieldKind.ofField(field);
        try {
            return memory == byte[].class
                    ? ArrayFields.getter(field, kind)
                    : named(
                            "get",
                            kind,
                            kind == FieldKind.ENUM ? new EnumField(field) : field,
                            MethodType.methodType(kind.type(), memory, int.class));
        } catch (ReflectiveOperationException e) {
            throw missing(kind, e);
        }
    }

    private static MethodHandle named(String verb, FieldKind kind, Object bound, MethodType type)
            throws ReflectiveOperationException {
        MethodHandles.Lookup here = MethodHandles.lookup();
        MethodHandle found =
                here.findStatic(here.lookupClass(), verb + kind, type.insertParameterTypes(0, bound.getClass()));
        return MethodHandles.insertArguments(found, 0, bound);
    }

    private static IllegalStateException missing(FieldKind kind, ReflectiveOperationException e) {
        return new IllegalStateException("every kind must have its methods, but those of " + kind + " are missing", e);
    }

    // ---- one value

    private static void putBOOLEAN(RecordField field, MutableDirectBuffer b, int offset, boolean value) {
        b.putByte(offset + field.offset(), (byte) (value ? 1 : 0));
    }

    private static boolean getBOOLEAN(RecordField field, DirectBuffer b, int offset) {
        return b.getByte(offset + field.offset()) != 0;
    }

    private static void putBYTE(RecordField field, MutableDirectBuffer b, int offset, byte value) {
        b.putByte(offset + field.offset(), value);
    }

    private static byte getBYTE(RecordField field, DirectBuffer b, int offset) {
        return b.getByte(offset + field.offset());
    }

    private static void putSHORT(RecordField field, MutableDirectBuffer b, int offset, short value) {
        b.putShort(offset + field.offset(), value, LITTLE_ENDIAN);
    }

    private static short getSHORT(RecordField field, DirectBuffer b, int offset) {
        return b.getShort(offset + field.offset(), LITTLE_ENDIAN);
    }

    private static void putCHAR(RecordField field, MutableDirectBuffer b, int offset, char value) {
        b.putChar(offset + field.offset(), value, LITTLE_ENDIAN);
    }

    private static char getCHAR(RecordField field, DirectBuffer b, int offset) {
        return b.getChar(offset + field.offset(), LITTLE_ENDIAN);
    }

    private static void putINT(RecordField field, MutableDirectBuffer b, int offset, int value) {
        b.putInt(offset + field.offset(), value, LITTLE_ENDIAN);
    }

    private static int getINT(RecordField field, DirectBuffer b, int offset) {
        return b.getInt(offset + field.offset(), LITTLE_ENDIAN);
    }

    private static void putLONG(RecordField field, MutableDirectBuffer b, int offset, long value) {
        b.putLong(offset + field.offset(), value, LITTLE_ENDIAN);
    }

    private static long getLONG(RecordField field, DirectBuffer b, int offset) {
        return b.getLong(offset + field.offset(), LITTLE_ENDIAN);
    }

    private static void putFLOAT(RecordField field, MutableDirectBuffer b, int offset, float value) {
        b.putFloat(offset + field.offset(), value, LITTLE_ENDIAN);
    }

    private static float getFLOAT(RecordField field, DirectBuffer b, int offset) {
        return b.getFloat(offset + field.offset(), LITTLE_ENDIAN);
    }

    private static void putDOUBLE(RecordField field, MutableDirectBuffer b, int offset, double value) {
        b.putDouble(offset + field.offset(), value, LITTLE_ENDIAN);
    }

    private static double getDOUBLE(RecordField field, DirectBuffer b, int offset) {
        return b.getDouble(offset + field.offset(), LITTLE_ENDIAN);
    }

    private static void putENUM(RecordField field, MutableDirectBuffer b, int offset, Enum<?> value) {
        EnumField.put(field, b, offset, value);
    }

    private static Enum<?> getENUM(EnumField constants, DirectBuffer b, int offset) {
        return constants.constant(EnumField.ordinal(constants.field(), b, offset));
    }

    // ---- several bytes

    private static void putASCII(RecordField field, MutableDirectBuffer b, int offset, String text) {
        AsciiField.put(field, b, offset, text);
    }

    private static String getASCII(RecordField field, DirectBuffer b, int offset) {
        return AsciiField.get(field, b, offset);
    }

    private static void putBYTES(RecordField field, MutableDirectBuffer b, int offset, byte[] values) {
        b.putBytes(putLength(field, b, offset, Check.notNull(values, field.name()).length), values);
    }

    private static byte[] getBYTES(RecordField field, DirectBuffer b, int offset) {
        byte[] values = new byte[length(field, b, offset)];
        b.getBytes(offset + field.offset() + FieldKind.LENGTH, values);
        return values;
    }

    private static void putINTS(RecordField field, MutableDirectBuffer b, int offset, int[] values) {
        int at = putLength(field, b, offset, Check.notNull(values, field.name()).length);
        for (int i = 0; i < values.length; i++) {
            b.putInt(at + i * Integer.BYTES, values[i], LITTLE_ENDIAN);
        }
    }

    private static int[] getINTS(RecordField field, DirectBuffer b, int offset) {
        int[] values = new int[length(field, b, offset)];
        int at = offset + field.offset() + FieldKind.LENGTH;
        for (int i = 0; i < values.length; i++) {
            values[i] = b.getInt(at + i * Integer.BYTES, LITTLE_ENDIAN);
        }
        return values;
    }

    private static void putLONGS(RecordField field, MutableDirectBuffer b, int offset, long[] values) {
        int at = putLength(field, b, offset, Check.notNull(values, field.name()).length);
        for (int i = 0; i < values.length; i++) {
            b.putLong(at + i * Long.BYTES, values[i], LITTLE_ENDIAN);
        }
    }

    private static long[] getLONGS(RecordField field, DirectBuffer b, int offset) {
        long[] values = new long[length(field, b, offset)];
        int at = offset + field.offset() + FieldKind.LENGTH;
        for (int i = 0; i < values.length; i++) {
            values[i] = b.getLong(at + i * Long.BYTES, LITTLE_ENDIAN);
        }
        return values;
    }

    private static void putDOUBLES(RecordField field, MutableDirectBuffer b, int offset, double[] values) {
        int at = putLength(field, b, offset, Check.notNull(values, field.name()).length);
        for (int i = 0; i < values.length; i++) {
            b.putDouble(at + i * Double.BYTES, values[i], LITTLE_ENDIAN);
        }
    }

    private static double[] getDOUBLES(RecordField field, DirectBuffer b, int offset) {
        double[] values = new double[length(field, b, offset)];
        int at = offset + field.offset() + FieldKind.LENGTH;
        for (int i = 0; i < values.length; i++) {
            values[i] = b.getDouble(at + i * Double.BYTES, LITTLE_ENDIAN);
        }
        return values;
    }

    private static int putLength(RecordField field, MutableDirectBuffer b, int offset, int length) {
        field.mustHold(length);
        b.putInt(offset + field.offset(), length, LITTLE_ENDIAN);
        return offset + field.offset() + FieldKind.LENGTH;
    }

    private static int length(RecordField field, DirectBuffer b, int offset) {
        int length = b.getInt(offset + field.offset(), LITTLE_ENDIAN);
        field.mustHold(length);
        return length;
    }
}
