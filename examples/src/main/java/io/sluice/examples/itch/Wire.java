package io.sluice.examples.itch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Big-endian numbers and padded text in an array of bytes; numbers are unsigned unless they have 8 bytes. */
final class Wire {
    private static final VarHandle LONG = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle SHORT = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.BIG_ENDIAN);

    private Wire() {}

    static int get2(byte[] bytes, int at) {
        return (short) SHORT.get(bytes, at) & 0xffff;
    }

    static long get4(byte[] bytes, int at) {
        return (int) INT.get(bytes, at) & 0xffff_ffffL;
    }

    static long get6(byte[] bytes, int at) {
        return (long) get2(bytes, at) << 32 | get4(bytes, at + 2);
    }

    static long get8(byte[] bytes, int at) {
        return (long) LONG.get(bytes, at);
    }

    static void put2(byte[] bytes, int at, int value) {
        SHORT.set(bytes, at, (short) value);
    }

    static void put4(byte[] bytes, int at, long value) {
        INT.set(bytes, at, (int) value);
    }

    static void put6(byte[] bytes, int at, long value) {
        put2(bytes, at, (int) (value >>> 32));
        put4(bytes, at + 2, value);
    }

    static void put8(byte[] bytes, int at, long value) {
        LONG.set(bytes, at, value);
    }

    /** The name without the spaces that pad it at the right. */
    static String unpackName(long packed) {
        byte[] text = new byte[8];
        put8(text, 0, packed);
        return new String(text, StandardCharsets.ISO_8859_1).stripTrailing();
    }
}
