package io.sluice.core.bytes;

import io.sluice.core.check.Check;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Bytes in memory behind Agrona's interface {@link AtomicBuffer}, on a JVM without any option: code that takes a {@code DirectBuffer}, a
 * {@code MutableDirectBuffer} or an {@code AtomicBuffer}, as the codecs of SBE do, takes this one.
 *
 * <p>It is over memory of its own ({@link #allocateDirect}, {@link #allocate}) or over an array, a {@code ByteBuffer} or another buffer
 * ({@code wrap}). It behaves as Agrona's {@code UnsafeBuffer}, but for this:
 *
 * <ul>
 *   <li>Bounds are always checked: an access outside throws {@link IndexOutOfBoundsException}.
 *   <li>An access after {@link #close} throws {@link IllegalStateException}; comparisons and {@code hashCode} find a buffer of no bytes.
 *   <li>A read-only {@code ByteBuffer} is never written to: that throws {@link java.nio.ReadOnlyBufferException}.
 *   <li>All access but plain reads and writes must be aligned to the size of the number, else it throws
 *       {@link IllegalStateException}, on each processor. Memory of {@link #allocateDirect} begins at a multiple of 128.
 *   <li>All access but plain reads and writes needs memory off the heap. On JDK 17 it works on arrays too, as far as the JDK
 *       aligns them; newer JDKs do not allow it, and it throws {@link UnsupportedOperationException}. {@link #verifyAlignment} tells.
 *       Bytes can be read and written volatile anywhere.
 *   <li>It cannot be wrapped around a bare address, and {@link #addressOffset} needs the option that Agrona's own buffers need.
 *   <li>A failing {@code Appendable} gives an {@link java.io.UncheckedIOException}, a negative natural number an
 *       {@link IllegalArgumentException}.
 * </ul>
 *
 * <p>Threads: any thread may read and write, with the order that the method says. After {@code wrap} or {@link #close} hand the buffer
 * over safely: a thread that still uses it reaches the old memory or gets an exception, and never other memory.
 *
 * <p>Cost: plain access is a move and a check of bounds. {@code Acquire} and {@code Release} have no fence on x86, and check the alignment
 * too; {@code put...Volatile} is a store and a full fence; {@code compareAnd...} and {@code getAnd...} are one locked instruction. No
 * access allocates, but for the strings; {@code wrap} keeps two small objects at most, and one for all of another {@code SafeBuffer}.
 */
public final class SafeBuffer extends TextBytes implements AtomicBuffer, AutoCloseable {
    /** Memory of {@link #allocateDirect} begins at an address that is a multiple of this: two cache lines. */
    public static final int ALLOCATED_ALIGNMENT = 128;

    /** The largest capacity of {@link #allocateDirect}: what an int can index, less the room to align. */
    public static final int MAX_CAPACITY = Integer.MAX_VALUE - ALLOCATED_ALIGNMENT;

    private @Nullable OwnedMemory owned;

    /** A buffer over nothing, to be wrapped around something. Its capacity is 0. */
    public SafeBuffer() {}

    private SafeBuffer(OwnedMemory owned) {
        this.owned = owned;
        own(owned.buffer());
    }

    /**
     * A buffer over a whole array.
     *
     * @param array its memory
     */
    @SuppressWarnings("this-escape") // wrap reads nothing of this object that is not yet set
    public SafeBuffer(byte[] array) {
        wrap(Check.notNull(array, "array"));
    }

    /**
     * A buffer over a {@code ByteBuffer} from 0 to its capacity, whatever its position, limit and byte order.
     *
     * @param buffer its memory, direct, mapped or on the heap
     */
    @SuppressWarnings("this-escape") // as above
    public SafeBuffer(ByteBuffer buffer) {
        wrap(Check.notNull(buffer, "buffer"));
    }

    /**
     * A buffer over a part of a {@code ByteBuffer}.
     *
     * @param buffer its memory, direct, mapped or on the heap
     * @param offset where the part begins, from 0
     * @param length its bytes
     * @throws IndexOutOfBoundsException if the part is not within the capacity
     */
    @SuppressWarnings("this-escape") // as above
    public SafeBuffer(ByteBuffer buffer, int offset, int length) {
        wrap(Check.notNull(buffer, "buffer"), offset, length);
    }

    /**
     * A buffer over a part of another's memory.
     *
     * @param buffer the other one
     * @param offset where the part begins, from 0
     * @param length its bytes
     * @throws IndexOutOfBoundsException if the part is not within the other buffer
     * @throws UnsupportedOperationException if the other one is over a bare address
     */
    @SuppressWarnings("this-escape") // as above
    public SafeBuffer(DirectBuffer buffer, int offset, int length) {
        wrap(Check.notNull(buffer, "buffer"), offset, length);
    }

    /**
     * Memory off the heap, all zero, which begins at a multiple of {@value #ALLOCATED_ALIGNMENT}. The JVM's option
     * {@code -XX:MaxDirectMemorySize} limits it, by default to the size of the heap.
     *
     * @param capacity its bytes, from 0 to {@link #MAX_CAPACITY}
     * @return a buffer that owns this memory
     * @throws IllegalArgumentException if the capacity is out of its range
     * @throws OutOfMemoryError if there is not so much
     */
    public static SafeBuffer allocateDirect(int capacity) {
        Check.inRange(capacity, 0, MAX_CAPACITY, "capacity");
        return new SafeBuffer(OwnedMemory.allocate(capacity, ALLOCATED_ALIGNMENT));
    }

    /**
     * As {@link #allocateDirect}, but {@link #close} gives the memory back at once, on JDK 22 and newer with a jar that was built there.
     * Another buffer over it then throws {@link IllegalStateException} at each access; Agrona's own buffers are not checked and may not be
     * used any more. No option limits it. Plain access costs the same; atomic access takes about a third more time there, since it
     * looks whether the memory is still there. So it is for large memory with plain access.
     *
     * @param capacity its bytes, from 0 to {@link #MAX_CAPACITY}
     * @return a buffer that owns this memory
     * @throws IllegalArgumentException if the capacity is out of its range
     * @throws OutOfMemoryError if there is not so much
     */
    public static SafeBuffer allocateScoped(int capacity) {
        Check.inRange(capacity, 0, MAX_CAPACITY, "capacity");
        return new SafeBuffer(OwnedMemory.allocateScoped(capacity, ALLOCATED_ALIGNMENT));
    }

    /**
     * A part of a file in memory. It stays mapped when the channel is closed.
     *
     * @param channel the file, open for reading, and for writing unless the mode is read-only
     * @param mode whether it can be written to, and whether the file sees that
     * @param position where the part begins in the file, 0 or more; a multiple of 8 for atomic access
     * @param length its bytes, 0 or more; a shorter file grows in each mode, for which the channel must be open for writing
     * @return a buffer that owns this mapping
     * @throws IllegalArgumentException if position or length is negative
     * @throws IOException if the file can not be mapped
     */
    public static SafeBuffer map(FileChannel channel, FileChannel.MapMode mode, long position, int length)
            throws IOException {
        Check.notNull(channel, "channel");
        Check.notNull(mode, "mode");
        Check.inRange(position, 0, Long.MAX_VALUE, "position");
        Check.inRange(length, 0, Integer.MAX_VALUE, "length");
        return new SafeBuffer(OwnedMemory.map(channel, mode, position, length));
    }

    /**
     * Memory on the heap, all zero: an array. Atomic access to it works on JDK 17 only.
     *
     * @param capacity its bytes, 0 or more
     * @return a buffer over this memory
     * @throws IllegalArgumentException if the capacity is negative
     */
    public static SafeBuffer allocate(int capacity) {
        Check.inRange(capacity, 0, Integer.MAX_VALUE, "capacity");
        return new SafeBuffer(new byte[capacity]);
    }

    /**
     * Ends the use of this buffer: each access throws {@link IllegalStateException} from now on, and the capacity is 0. A buffer that was
     * not allocated can be wrapped around other memory afterwards. Closing again does nothing.
     *
     * <p>The memory goes once the garbage collector finds that no buffer is over it. That of {@link #allocateScoped} goes at once where the
     * JDK can, after a handshake with each of its threads.
     *
     * @throws IllegalStateException if memory has to go at once while a channel reads or writes it; the buffer stays open then
     */
    @Override
    public void close() {
        if (owned != null) {
            owned.free(); // first: if it is refused, this buffer stays open
            owned = null;
        }
        drop();
    }

    /**
     * Says whether atomic access works: the memory is off the heap, or the JDK allows it on arrays, and index 0 is aligned to 8 bytes.
     *
     * @throws IllegalStateException if it does not
     */
    @Override
    public void verifyAlignment() {
        checkOpen();
        int misaligned;
        try {
            misaligned = memory.alignmentOffset(0, ALIGNMENT);
        } catch (UnsupportedOperationException e) {
            throw new IllegalStateException(
                    "memory must be off the heap for atomic access on this JDK, but the buffer is over an array", e);
        }
        if (misaligned != 0) {
            throw new IllegalStateException("memory must begin at a multiple of " + ALIGNMENT
                    + " for atomic access, but begins " + misaligned + " bytes after one");
        }
    }

    @Override
    public String toString() {
        return "SafeBuffer of " + capacity() + " bytes";
    }

    // ---- long ----

    @Override
    public long getLongVolatile(int index) {
        try {
            return (long) LONG.getVolatile(memory, index); // volatile: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Long.BYTES, e);
        }
    }

    @Override
    public void putLongVolatile(int index, long value) {
        try {
            LONG.setVolatile(memory, index, value); // volatile: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Long.BYTES, e);
        }
    }

    @Override
    public long getLongAcquire(int index) {
        try {
            return (long) LONG.getAcquire(memory, index); // acquire: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Long.BYTES, e);
        }
    }

    @Override
    public void putLongRelease(int index, long value) {
        try {
            LONG.setRelease(memory, index, value); // release: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Long.BYTES, e);
        }
    }

    @Override
    public void putLongOrdered(int index, long value) {
        putLongRelease(index, value);
    }

    @Override
    public long getLongOpaque(int index) {
        try {
            return (long) LONG.getOpaque(memory, index); // opaque: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Long.BYTES, e);
        }
    }

    @Override
    public void putLongOpaque(int index, long value) {
        try {
            LONG.setOpaque(memory, index, value); // opaque: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Long.BYTES, e);
        }
    }

    @Override
    public long addLongRelease(int index, long increment) {
        try {
            return (long) LONG.getAndAddRelease(memory, index, increment); // release: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Long.BYTES, e);
        }
    }

    @Override
    public long addLongOrdered(int index, long increment) {
        return addLongRelease(index, increment);
    }

    /** Adds by one opaque read and one opaque write. Only for a place that one thread writes. */
    @Override
    public long addLongOpaque(int index, long increment) {
        long before = getLongOpaque(index);
        putLongOpaque(index, before + increment);
        return before;
    }

    @Override
    public boolean compareAndSetLong(int index, long expectedValue, long updateValue) {
        try {
            return LONG.compareAndSet(memory, index, expectedValue, updateValue); // CAS: one of many writers wins
        } catch (RuntimeException e) {
            throw refused(index, Long.BYTES, e);
        }
    }

    @Override
    public long compareAndExchangeLong(int index, long expectedValue, long updateValue) {
        try {
            return (long) LONG.compareAndExchange(memory, index, expectedValue, updateValue); // CAS: one writer wins
        } catch (RuntimeException e) {
            throw refused(index, Long.BYTES, e);
        }
    }

    @Override
    public long getAndSetLong(int index, long value) {
        try {
            return (long) LONG.getAndSet(memory, index, value); // volatile: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Long.BYTES, e);
        }
    }

    @Override
    public long getAndAddLong(int index, long delta) {
        try {
            return (long) LONG.getAndAdd(memory, index, delta); // volatile: no addition is lost
        } catch (RuntimeException e) {
            throw refused(index, Long.BYTES, e);
        }
    }

    // ---- int ----

    @Override
    public int getIntVolatile(int index) {
        try {
            return (int) INT.getVolatile(memory, index); // volatile: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Integer.BYTES, e);
        }
    }

    @Override
    public void putIntVolatile(int index, int value) {
        try {
            INT.setVolatile(memory, index, value); // volatile: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Integer.BYTES, e);
        }
    }

    @Override
    public int getIntAcquire(int index) {
        try {
            return (int) INT.getAcquire(memory, index); // acquire: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Integer.BYTES, e);
        }
    }

    @Override
    public void putIntRelease(int index, int value) {
        try {
            INT.setRelease(memory, index, value); // release: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Integer.BYTES, e);
        }
    }

    @Override
    public void putIntOrdered(int index, int value) {
        putIntRelease(index, value);
    }

    @Override
    public int getIntOpaque(int index) {
        try {
            return (int) INT.getOpaque(memory, index); // opaque: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Integer.BYTES, e);
        }
    }

    @Override
    public void putIntOpaque(int index, int value) {
        try {
            INT.setOpaque(memory, index, value); // opaque: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Integer.BYTES, e);
        }
    }

    @Override
    public int addIntRelease(int index, int increment) {
        try {
            return (int) INT.getAndAddRelease(memory, index, increment); // release: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Integer.BYTES, e);
        }
    }

    @Override
    public int addIntOrdered(int index, int increment) {
        return addIntRelease(index, increment);
    }

    /** Adds by one opaque read and one opaque write. Only for a place that one thread writes. */
    @Override
    public int addIntOpaque(int index, int increment) {
        int before = getIntOpaque(index);
        putIntOpaque(index, before + increment);
        return before;
    }

    @Override
    public boolean compareAndSetInt(int index, int expectedValue, int updateValue) {
        try {
            return INT.compareAndSet(memory, index, expectedValue, updateValue); // CAS: one of many writers wins
        } catch (RuntimeException e) {
            throw refused(index, Integer.BYTES, e);
        }
    }

    @Override
    public int compareAndExchangeInt(int index, int expectedValue, int updateValue) {
        try {
            return (int) INT.compareAndExchange(memory, index, expectedValue, updateValue); // CAS: one writer wins
        } catch (RuntimeException e) {
            throw refused(index, Integer.BYTES, e);
        }
    }

    @Override
    public int getAndSetInt(int index, int value) {
        try {
            return (int) INT.getAndSet(memory, index, value); // volatile: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Integer.BYTES, e);
        }
    }

    @Override
    public int getAndAddInt(int index, int delta) {
        try {
            return (int) INT.getAndAdd(memory, index, delta); // volatile: no addition is lost
        } catch (RuntimeException e) {
            throw refused(index, Integer.BYTES, e);
        }
    }

    // ---- less than an int -----------------------------------------------------------------------------------------

    @Override
    public short getShortVolatile(int index) {
        try {
            return (short) SHORT.getVolatile(memory, index); // volatile: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Short.BYTES, e);
        }
    }

    @Override
    public void putShortVolatile(int index, short value) {
        try {
            SHORT.setVolatile(memory, index, value); // volatile: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Short.BYTES, e);
        }
    }

    @Override
    public char getCharVolatile(int index) {
        try {
            return (char) CHAR.getVolatile(memory, index); // volatile: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Character.BYTES, e);
        }
    }

    @Override
    public void putCharVolatile(int index, char value) {
        try {
            CHAR.setVolatile(memory, index, value); // volatile: what the caller asked for
        } catch (RuntimeException e) {
            throw refused(index, Character.BYTES, e);
        }
    }

    @Override
    public byte getByteVolatile(int index) {
        VarHandle.fullFence(); // volatile: after all volatile writes before it; no VarHandle has bytes of a ByteBuffer
        byte value = getByte(index);
        VarHandle.acquireFence(); // acquire: before what follows
        return value;
    }

    @Override
    public void putByteVolatile(int index, byte value) {
        VarHandle.releaseFence(); // release: after what precedes
        putByte(index, value);
        VarHandle.fullFence(); // volatile: before all volatile reads after it
    }
}
