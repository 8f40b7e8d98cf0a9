package io.sluice.core.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** Plain reads and writes of numbers and of many bytes. The check of the VarHandle is the only one on the fast way. */
abstract class PlainBytes extends ViewedBytes {
    static final VarHandle LONG = handle(long[].class);
    static final VarHandle INT = handle(int[].class);
    static final VarHandle SHORT = handle(short[].class);
    static final VarHandle CHAR = handle(char[].class);
    private static final VarHandle DOUBLE = handle(double[].class);
    private static final VarHandle FLOAT = handle(float[].class);

    /** Bytes that are filled one long after another; the rest of a longer range is copied from them. */
    private static final int FILLED_BY_LONGS = 4_096;

    private static VarHandle handle(Class<?> arrayOf) {
        return MethodHandles.byteBufferViewVarHandle(arrayOf, NATIVE).withInvokeExactBehavior();
    }

    // ---- plain access ---------------------------------------------------------------------------------------------

    @Override
    public long getLong(int index) {
        try {
            return (long) LONG.get(memory, index);
        } catch (RuntimeException e) {
            throw refused(index, Long.BYTES, e);
        }
    }

    @Override
    public void putLong(int index, long value) {
        try {
            LONG.set(memory, index, value);
        } catch (RuntimeException e) {
            throw refused(index, Long.BYTES, e);
        }
    }

    @Override
    public int getInt(int index) {
        try {
            return (int) INT.get(memory, index);
        } catch (RuntimeException e) {
            throw refused(index, Integer.BYTES, e);
        }
    }

    @Override
    public void putInt(int index, int value) {
        try {
            INT.set(memory, index, value);
        } catch (RuntimeException e) {
            throw refused(index, Integer.BYTES, e);
        }
    }

    @Override
    public double getDouble(int index) {
        try {
            return (double) DOUBLE.get(memory, index);
        } catch (RuntimeException e) {
            throw refused(index, Double.BYTES, e);
        }
    }

    @Override
    public void putDouble(int index, double value) {
        try {
            DOUBLE.set(memory, index, value);
        } catch (RuntimeException e) {
            throw refused(index, Double.BYTES, e);
        }
    }

    @Override
    public float getFloat(int index) {
        try {
            return (float) FLOAT.get(memory, index);
        } catch (RuntimeException e) {
            throw refused(index, Float.BYTES, e);
        }
    }

    @Override
    public void putFloat(int index, float value) {
        try {
            FLOAT.set(memory, index, value);
        } catch (RuntimeException e) {
            throw refused(index, Float.BYTES, e);
        }
    }

    @Override
    public short getShort(int index) {
        try {
            return (short) SHORT.get(memory, index);
        } catch (RuntimeException e) {
            throw refused(index, Short.BYTES, e);
        }
    }

    @Override
    public void putShort(int index, short value) {
        try {
            SHORT.set(memory, index, value);
        } catch (RuntimeException e) {
            throw refused(index, Short.BYTES, e);
        }
    }

    @Override
    public char getChar(int index) {
        try {
            return (char) CHAR.get(memory, index);
        } catch (RuntimeException e) {
            throw refused(index, Character.BYTES, e);
        }
    }

    @Override
    public void putChar(int index, char value) {
        try {
            CHAR.set(memory, index, value);
        } catch (RuntimeException e) {
            throw refused(index, Character.BYTES, e);
        }
    }

    @Override
    public byte getByte(int index) {
        try {
            return memory.get(index);
        } catch (RuntimeException e) {
            throw refused(index, Byte.BYTES, e);
        }
    }

    @Override
    public void putByte(int index, byte value) {
        try {
            memory.put(index, value);
        } catch (RuntimeException e) {
            throw refused(index, Byte.BYTES, e);
        }
    }

    @Override
    public long getLong(int index, ByteOrder byteOrder) {
        long bits = getLong(index);
        return byteOrder == NATIVE ? bits : Long.reverseBytes(bits);
    }

    @Override
    public void putLong(int index, long value, ByteOrder byteOrder) {
        putLong(index, byteOrder == NATIVE ? value : Long.reverseBytes(value));
    }

    @Override
    public int getInt(int index, ByteOrder byteOrder) {
        int bits = getInt(index);
        return byteOrder == NATIVE ? bits : Integer.reverseBytes(bits);
    }

    @Override
    public void putInt(int index, int value, ByteOrder byteOrder) {
        putInt(index, byteOrder == NATIVE ? value : Integer.reverseBytes(value));
    }

    @Override
    public double getDouble(int index, ByteOrder byteOrder) {
        return byteOrder == NATIVE ? getDouble(index) : Double.longBitsToDouble(getLong(index, byteOrder));
    }

    @Override
    public void putDouble(int index, double value, ByteOrder byteOrder) {
        if (byteOrder == NATIVE) {
            putDouble(index, value);
        } else {
            putLong(index, Double.doubleToRawLongBits(value), byteOrder);
        }
    }

    @Override
    public float getFloat(int index, ByteOrder byteOrder) {
        return byteOrder == NATIVE ? getFloat(index) : Float.intBitsToFloat(getInt(index, byteOrder));
    }

    @Override
    public void putFloat(int index, float value, ByteOrder byteOrder) {
        if (byteOrder == NATIVE) {
            putFloat(index, value);
        } else {
            putInt(index, Float.floatToRawIntBits(value), byteOrder);
        }
    }

    @Override
    public short getShort(int index, ByteOrder byteOrder) {
        short bits = getShort(index);
        return byteOrder == NATIVE ? bits : Short.reverseBytes(bits);
    }

    @Override
    public void putShort(int index, short value, ByteOrder byteOrder) {
        putShort(index, byteOrder == NATIVE ? value : Short.reverseBytes(value));
    }

    @Override
    public char getChar(int index, ByteOrder byteOrder) {
        char bits = getChar(index);
        return byteOrder == NATIVE ? bits : Character.reverseBytes(bits);
    }

    @Override
    public void putChar(int index, char value, ByteOrder byteOrder) {
        putChar(index, byteOrder == NATIVE ? value : Character.reverseBytes(value));
    }

    // ---- many bytes -----------------------------------------------------------------------------------------------
    //
    // Agrona's own copies go by address. They ask neither whether our memory may be written nor whether it is still
    // there. So a copy to or from one of its buffers is ours. It goes by the array or the ByteBuffer of that buffer.

    @Override
    public void setMemory(int index, int length, byte value) {
        boundsCheck(index, length);
        long longs = (value & 0xffL) * 0x0101_0101_0101_0101L;
        int byLongs = Math.min(length, FILLED_BY_LONGS);
        int done = 0;
        for (; done <= byLongs - Long.BYTES; done += Long.BYTES) {
            putLong(index + done, longs);
        }
        for (; done < byLongs; done++) {
            putByte(index + done, value);
        }
        while (done < length) {
            int more = Math.min(length - done, FILLED_BY_LONGS);
            memory.put(index + done, memory, index, more);
            done += more;
        }
    }

    @Override
    public void getBytes(int index, byte[] dst) {
        getBytes(index, dst, 0, dst.length);
    }

    @Override
    public void getBytes(int index, byte[] dst, int offset, int length) {
        boundsCheck(index, length);
        memory.get(index, dst, offset, length);
    }

    @Override
    public void getBytes(int index, MutableDirectBuffer dstBuffer, int dstIndex, int length) {
        boundsCheck(index, length);
        if (dstBuffer instanceof PlainBytes other) {
            other.boundsCheck(dstIndex, length);
            other.memory.put(/* index= */ dstIndex, memory, /* offset= */ index, length);
            return;
        }
        dstBuffer.checkLimit(dstIndex + length); // one that can grow grows
        dstBuffer.boundsCheck(dstIndex, length);
        byte[] array = dstBuffer.byteArray();
        ByteBuffer bytes = dstBuffer.byteBuffer();
        if (bytes != null && bytes.isReadOnly()) {
            throw new ReadOnlyBufferException();
        }
        int at = dstBuffer.wrapAdjustment() + dstIndex;
        if (array != null) {
            memory.get(index, array, at, length);
        } else if (bytes != null) {
            upTo(bytes, at + length).put(/* index= */ at, memory, /* offset= */ index, length);
        } else {
            copy(this, index, dstBuffer, dstIndex, length);
        }
    }

    @Override
    public void getBytes(int index, ByteBuffer dstBuffer, int length) {
        int at = dstBuffer.position();
        getBytes(index, dstBuffer, at, length);
        dstBuffer.position(at + length);
    }

    @Override
    public void getBytes(int index, ByteBuffer dstBuffer, int dstIndex, int length) {
        boundsCheck(index, length);
        Objects.checkFromIndexSize(dstIndex, length, dstBuffer.capacity());
        upTo(dstBuffer, dstIndex + length).put(/* index= */ dstIndex, memory, /* offset= */ index, length);
    }

    @Override
    public void putBytes(int index, byte[] src) {
        putBytes(index, src, 0, src.length);
    }

    @Override
    public void putBytes(int index, byte[] src, int offset, int length) {
        boundsCheck(index, length);
        memory.put(index, src, offset, length);
    }

    @Override
    public void putBytes(int index, ByteBuffer srcBuffer, int length) {
        int at = srcBuffer.position();
        putBytes(index, srcBuffer, at, length);
        srcBuffer.position(at + length);
    }

    @Override
    public void putBytes(int index, ByteBuffer srcBuffer, int srcIndex, int length) {
        Objects.checkFromIndexSize(srcIndex, length, srcBuffer.capacity());
        boundsCheck(index, length);
        memory.put(index, upTo(srcBuffer, srcIndex + length), srcIndex, length);
    }

    @Override
    public void putBytes(int index, DirectBuffer srcBuffer, int srcIndex, int length) {
        if (srcBuffer instanceof PlainBytes other) {
            other.getBytes(srcIndex, this, index, length);
            return;
        }
        srcBuffer.boundsCheck(srcIndex, length);
        boundsCheck(index, length);
        byte[] array = srcBuffer.byteArray();
        ByteBuffer bytes = srcBuffer.byteBuffer();
        int at = srcBuffer.wrapAdjustment() + srcIndex;
        if (array != null) {
            memory.put(index, array, at, length);
        } else if (bytes != null) {
            memory.put(index, upTo(bytes, at + length), at, length);
        } else {
            copy(srcBuffer, srcIndex, this, index, length);
        }
    }

    /** To or from a buffer over a bare address, which only its own methods reach. Both are checked at each access. */
    private static void copy(DirectBuffer from, int fromIndex, MutableDirectBuffer to, int toIndex, int length) {
        int i = 0;
        for (; i <= length - Long.BYTES; i += Long.BYTES) {
            to.putLong(toIndex + i, from.getLong(fromIndex + i));
        }
        for (; i < length; i++) {
            to.putByte(toIndex + i, from.getByte(fromIndex + i));
        }
    }

    /** Agrona's contract knows the capacity of a ByteBuffer, not its limit. */
    private static ByteBuffer upTo(ByteBuffer buffer, int end) {
        return end <= buffer.limit() ? buffer : buffer.duplicate().clear();
    }
}
