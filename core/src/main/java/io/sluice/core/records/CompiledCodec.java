package io.sluice.core.records;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A codec whose two method handles are constants, in a hidden copy of this class: see {@link CodecClasses}. In the template they are
 * fields.
 *
 * <pre>
 *   encode:  put(field 1, buffer, offset, record.accessor1()); put(field 2, ...); ...
 *   decode:  new T(get(field 1, buffer, offset), get(field 2, ...), ...)
 * </pre>
 *
 * <p>The methods that put and get stand in this class, so that each copy has a profile of its own of the buffers that it meets.
 */
@SuppressWarnings("UnusedMethod") // put... and get... are found by their names
final class CompiledCodec<T extends Record> extends RecordCodec<T> {
    private static final MethodType ENCODER =
            MethodType.methodType(void.class, MutableDirectBuffer.class, int.class, Object.class);
    private static final MethodType DECODER = MethodType.methodType(Object.class, DirectBuffer.class, int.class);

    private static final @Nullable RecordLayout<?> OWN = CodecClasses.layoutOf(MethodHandles.lookup());
    private static final @Nullable MethodHandle ENCODE = OWN == null ? null : encoder(OWN);
    private static final @Nullable MethodHandle DECODE = OWN == null ? null : decoder(OWN);

    private static final VarHandle INTS = MethodHandles.byteArrayViewVarHandle(int[].class, LITTLE_ENDIAN);
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, LITTLE_ENDIAN);
    private static final VarHandle DOUBLES = MethodHandles.byteArrayViewVarHandle(double[].class, LITTLE_ENDIAN);

    private final int size;
    private final MethodHandle encode;
    private final MethodHandle decode;

    CompiledCodec(RecordLayout<T> layout) {
        super(layout);
        size = layout.size();
        encode = ENCODE == null ? encoder(layout) : ENCODE;
        decode = DECODE == null ? decoder(layout) : DECODE;
    }

    @Override
    public void encode(T record, MutableDirectBuffer buffer, int offset) {
        Check.notNull(record, "record");
        Check.notNull(buffer, "buffer").boundsCheck(offset, size);
        try {
            if (ENCODE == null) {
                encode.invokeExact(buffer, offset, (Object) record);
            } else {
                ENCODE.invokeExact(buffer, offset, (Object) record);
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
        Check.notNull(buffer, "buffer").boundsCheck(offset, size);
        try {
            return (T)
                    (DECODE == null
                            ? (Object) decode.invokeExact(buffer, offset)
                            : (Object) DECODE.invokeExact(buffer, offset));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable t) {
            throw undeclared(t);
        }
    }

    private static IllegalStateException undeclared(Throwable t) {
        return new IllegalStateException(
                "a record's accessors and constructor must throw unchecked exceptions only, but threw " + t, t);
    }

    // ---- how the handles are composed

    private static MethodHandle encoder(RecordLayout<?> layout) {
        MethodHandle all = MethodHandles.empty(ENCODER);
        for (int i = layout.fields().size() - 1; i >= 0; i--) {
            RecordField field = layout.fields().get(i);
            MethodHandle put = helper("put", void.class, MutableDirectBuffer.class, field);
            MethodHandle accessor = layout.accessors().get(i);
            MethodHandle value =
                    accessor.asType(MethodType.methodType(put.type().parameterType(2), Object.class));
            all = MethodHandles.foldArguments(all, MethodHandles.filterArguments(put, 2, value));
        }
        return all;
    }

    private static MethodHandle decoder(RecordLayout<?> layout) {
        List<RecordField> fields = layout.fields();
        MethodHandle all = layout.constructor();
        int[] order = new int[2 * fields.size()];
        for (int i = fields.size() - 1; i >= 0; i--) {
            MethodHandle get = helper("get", all.type().parameterType(i), DirectBuffer.class, fields.get(i));
            all = MethodHandles.collectArguments(all, i, get);
            order[2 * i + 1] = 1;
        }
        return MethodHandles.permuteArguments(all.asType(all.type().changeReturnType(Object.class)), DECODER, order);
    }

    /** The method that puts or gets a field, with the field bound: {@code (buffer, offset, value)void} or {@code (buffer, offset)value}. */
    private static MethodHandle helper(String verb, Class<?> returned, Class<?> buffer, RecordField field) {
        FieldKind kind = FieldKind.of(field.type());
        if (kind == null) {
            throw new IllegalArgumentException("field must be of a known type, but was " + field);
        }
        String name = verb + kind;
        boolean puts = returned == void.class;
        Object bound = kind == FieldKind.ENUM && !puts ? new EnumField(field) : field;
        MethodType type = MethodType.methodType(puts ? void.class : kind.type(), bound.getClass(), buffer, int.class);
        if (puts) {
            type = type.appendParameterTypes(kind.type());
        }
        try {
            MethodHandle found =
                    MethodHandles.lookup().findStatic(MethodHandles.lookup().lookupClass(), name, type);
            MethodHandle handle = MethodHandles.insertArguments(found, 0, bound);
            return puts ? handle : handle.asType(handle.type().changeReturnType(returned));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("every kind must have its methods, but " + name + " is missing", e);
        }
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
        byte[] array = b.byteArray();
        if (array == null) {
            for (int i = 0; i < values.length; i++) {
                b.putInt(at + i * Integer.BYTES, values[i], LITTLE_ENDIAN);
            }
        } else {
            int first = at + b.wrapAdjustment();
            for (int i = 0; i < values.length; i++) {
                INTS.set(array, first + i * Integer.BYTES, values[i]);
            }
        }
    }

    private static int[] getINTS(RecordField field, DirectBuffer b, int offset) {
        int[] values = new int[length(field, b, offset)];
        int at = offset + field.offset() + FieldKind.LENGTH;
        byte[] array = b.byteArray();
        if (array == null) {
            for (int i = 0; i < values.length; i++) {
                values[i] = b.getInt(at + i * Integer.BYTES, LITTLE_ENDIAN);
            }
        } else {
            int first = at + b.wrapAdjustment();
            for (int i = 0; i < values.length; i++) {
                values[i] = (int) INTS.get(array, first + i * Integer.BYTES);
            }
        }
        return values;
    }

    private static void putLONGS(RecordField field, MutableDirectBuffer b, int offset, long[] values) {
        int at = putLength(field, b, offset, Check.notNull(values, field.name()).length);
        byte[] array = b.byteArray();
        if (array == null) {
            for (int i = 0; i < values.length; i++) {
                b.putLong(at + i * Long.BYTES, values[i], LITTLE_ENDIAN);
            }
        } else {
            int first = at + b.wrapAdjustment();
            for (int i = 0; i < values.length; i++) {
                LONGS.set(array, first + i * Long.BYTES, values[i]);
            }
        }
    }

    private static long[] getLONGS(RecordField field, DirectBuffer b, int offset) {
        long[] values = new long[length(field, b, offset)];
        int at = offset + field.offset() + FieldKind.LENGTH;
        byte[] array = b.byteArray();
        if (array == null) {
            for (int i = 0; i < values.length; i++) {
                values[i] = b.getLong(at + i * Long.BYTES, LITTLE_ENDIAN);
            }
        } else {
            int first = at + b.wrapAdjustment();
            for (int i = 0; i < values.length; i++) {
                values[i] = (long) LONGS.get(array, first + i * Long.BYTES);
            }
        }
        return values;
    }

    private static void putDOUBLES(RecordField field, MutableDirectBuffer b, int offset, double[] values) {
        int at = putLength(field, b, offset, Check.notNull(values, field.name()).length);
        byte[] array = b.byteArray();
        if (array == null) {
            for (int i = 0; i < values.length; i++) {
                b.putDouble(at + i * Double.BYTES, values[i], LITTLE_ENDIAN);
            }
        } else {
            int first = at + b.wrapAdjustment();
            for (int i = 0; i < values.length; i++) {
                DOUBLES.set(array, first + i * Double.BYTES, values[i]);
            }
        }
    }

    private static double[] getDOUBLES(RecordField field, DirectBuffer b, int offset) {
        double[] values = new double[length(field, b, offset)];
        int at = offset + field.offset() + FieldKind.LENGTH;
        byte[] array = b.byteArray();
        if (array == null) {
            for (int i = 0; i < values.length; i++) {
                values[i] = b.getDouble(at + i * Double.BYTES, LITTLE_ENDIAN);
            }
        } else {
            int first = at + b.wrapAdjustment();
            for (int i = 0; i < values.length; i++) {
                values[i] = (double) DOUBLES.get(array, first + i * Double.BYTES);
            }
        }
        return values;
    }

    private static int putLength(RecordField field, MutableDirectBuffer b, int offset, int length) {
        if (length > field.maxLength()) {
            Check.inRange(length, 0, field.maxLength(), "length of " + field.name());
        }
        b.putInt(offset + field.offset(), length, LITTLE_ENDIAN);
        return offset + field.offset() + FieldKind.LENGTH;
    }

    private static int length(RecordField field, DirectBuffer b, int offset) {
        int length = b.getInt(offset + field.offset(), LITTLE_ENDIAN);
        if (length < 0 || length > field.maxLength()) {
            Check.inRange(length, 0, field.maxLength(), "length of " + field.name());
        }
        return length;
    }
}
