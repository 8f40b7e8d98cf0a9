package io.sluice.core.bytes;

import io.sluice.core.access.ArrayPart;
import io.sluice.core.access.ArrayParts;
import io.sluice.core.access.OverArray;
import io.sluice.core.check.Check;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/*
 * The memory of a SafeBuffer, and the checks of access.
 *
 * The view `memory` begins at index 0 and its limit is the capacity, so the check of the VarHandle is the only one on the fast way. A
 * failed access comes to `refused`, which finds out why. A closed buffer has the empty view, so each access fails that check.
 *
 * Nobody moves the position or the limit of a view; it is handed out for reading by absolute index only.
 */
abstract class ViewedBytes extends OverArray implements MutableDirectBuffer {
    static final ByteOrder NATIVE = ByteOrder.nativeOrder();
    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0).order(NATIVE);

    ByteBuffer memory = NOTHING;
    private int capacity;
    private @Nullable ByteBuffer source;
    private int adjustment;
    private boolean owner;
    private boolean closed;

    // ---- its memory -----------------------------------------------------------------------------------------------

    private void take(ByteBuffer view, @Nullable ByteBuffer from, int offset) {
        if (owner) {
            throw new IllegalStateException(
                    "a buffer must own no memory to be wrapped around other memory, but this one owns some");
        }
        set(view, from, offset);
        closed = false;
    }

    private void set(ByteBuffer view, @Nullable ByteBuffer from, int offset) {
        memory = view;
        capacity = view.capacity();
        source = from;
        adjustment = over(view, offset);
    }

    /** Takes memory that no other buffer has. */
    final void own(ByteBuffer allocated) {
        wrap(allocated);
        owner = true;
    }

    final void drop() {
        owner = false;
        closed = true;
        VarHandle.releaseFence(); // release: a thread that finds the empty memory finds the buffer closed
        set(NOTHING, null, 0);
    }

    @Override
    public void wrap(byte[] buffer) {
        wrap(buffer, 0, buffer.length);
    }

    @Override
    public void wrap(byte[] buffer, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, buffer.length);
        take(ByteBuffer.wrap(buffer).slice(offset, length).order(NATIVE), null, offset);
    }

    @Override
    public void wrap(ByteBuffer buffer) {
        wrap(buffer, 0, buffer.capacity());
    }

    @Override
    public void wrap(ByteBuffer buffer, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, buffer.capacity());
        take(buffer.duplicate().clear().slice(offset, length).order(NATIVE), buffer, offset);
    }

    @Override
    public void wrap(DirectBuffer buffer) {
        wrap(buffer, 0, buffer.capacity());
    }

    /**
     * Attaches this buffer to a part of another's memory.
     *
     * @param buffer the other one
     * @param offset where the part begins
     * @param length its bytes
     * @throws IndexOutOfBoundsException if the part is not within the other buffer
     * @throws UnsupportedOperationException if the other one is over a bare address
     */
    @Override
    public void wrap(DirectBuffer buffer, int offset, int length) {
        Objects.checkFromIndexSize(offset, length, buffer.capacity());
        if (buffer instanceof ViewedBytes other) {
            other.checkOpen();
            boolean whole = length == other.capacity;
            ByteBuffer view =
                    whole ? other.memory : other.memory.slice(offset, length).order(NATIVE);
            take(view, other.source, other.adjustment + offset);
            return;
        }
        byte[] bytes = buffer.byteArray();
        ByteBuffer from = buffer.byteBuffer();
        if (bytes != null && from != null && from.isReadOnly()) {
            from = ByteBuffer.wrap(bytes).asReadOnlyBuffer(); // Agrona tells the array of a read-only buffer too
            bytes = null;
        }
        int at = buffer.wrapAdjustment() + offset;
        if (bytes != null) {
            take(ByteBuffer.wrap(bytes).slice(at, length).order(NATIVE), from, at);
        } else if (from != null) {
            take(from.duplicate().clear().slice(at, length).order(NATIVE), from, at);
        } else {
            throw noAddress();
        }
    }

    /**
     * Refused: memory at a bare address can not be checked.
     *
     * @param address not used
     * @param length not used
     * @throws UnsupportedOperationException always
     */
    @Override
    public void wrap(long address, int length) {
        throw noAddress();
    }

    private static UnsupportedOperationException noAddress() {
        return new UnsupportedOperationException(
                "memory must be that of an array or a ByteBuffer, but was a bare address, where nothing can be checked");
    }

    /**
     * The address of the first byte, as Agrona's own buffers count it. Only code that works by addresses needs it: Agrona's
     * {@code UnsafeBuffer}, where it wraps this buffer or copies from it. The address stays valid only as long as this buffer is open
     * and reachable; an access by it is not checked.
     *
     * @return the address, or the offset in {@link #byteArray} with the array's header
     * @throws UnsupportedOperationException if the JVM runs without the option that Agrona's own buffers need
     */
    @Override
    public long addressOffset() {
        checkOpen();
        return AgronaAddress.of(memory, byteArray(), adjustment);
    }

    @Override
    public byte @Nullable [] byteArray() {
        ArrayPart part = ArrayParts.of(this);
        return part == null ? null : part.array();
    }

    @Override
    public @Nullable ByteBuffer byteBuffer() {
        return source;
    }

    @Override
    public int wrapAdjustment() {
        return adjustment;
    }

    @Override
    public int capacity() {
        return capacity;
    }

    @Override
    public boolean isExpandable() {
        return false;
    }

    // ---- checks ---------------------------------------------------------------------------------------------------

    final void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the buffer must be open, but is closed");
        }
    }

    @Override
    public void checkLimit(int limit) {
        checkOpen();
        if (limit > capacity) {
            throw new IndexOutOfBoundsException("limit must be at most " + capacity + ", but was " + limit);
        }
    }

    @Override
    public void boundsCheck(int index, int length) {
        if ((index | length) < 0 || length > capacity - index) {
            throw outside(index, length);
        }
        if (closed) { // reading nothing from a closed buffer is use after close too
            checkOpen();
        }
    }

    private RuntimeException outside(int index, int length) {
        VarHandle.acquireFence(); // acquire: as in drop; the memory was read before
        checkOpen();
        return new IndexOutOfBoundsException("index and length must stay within the capacity of " + capacity
                + " bytes, but were " + index + " and " + length);
    }

    /** Says why an access failed. The rare way of each access. */
    final RuntimeException refused(int index, int length, RuntimeException cause) {
        checkOpen();
        if (index < 0 || length > capacity - index) {
            return outside(index, length);
        }
        if (!(cause instanceof IllegalStateException)) {
            return cause;
        }
        int misaligned;
        try {
            memory.get(index); // a byte is aligned anywhere: only closed memory refuses it
            misaligned = memory.alignmentOffset(index, length);
        } catch (IllegalStateException e) {
            misaligned = 0;
        } catch (UnsupportedOperationException e) {
            return new UnsupportedOperationException(
                    "atomic access must be to memory off the heap on this JDK, but the buffer is over an array", cause);
        }
        return misaligned == 0
                ? new IllegalStateException("memory must be open, but the buffer that owns it was closed", cause)
                : new IllegalStateException("atomic access to " + length + " bytes must be aligned to them, but index "
                        + index + " is at an address " + misaligned + " behind");
    }

    // ---- as a whole -----------------------------------------------------------------------------------------------

    /**
     * Whether the other is a buffer of this class with the same bytes, wherever they are.
     *
     * @param other anything
     * @return whether it is
     */
    @Override
    public final boolean equals(@Nullable Object other) {
        return other == this || (other instanceof ViewedBytes buffer && buffer.memory.equals(memory));
    }

    /**
     * A number made from all bytes: it changes with them.
     *
     * @return the number
     */
    @Override
    public final int hashCode() {
        return memory.hashCode();
    }

    /**
     * Compares as Agrona's own buffers do: eight bytes after the other as a signed number in the byte order of the machine, then the
     * rest byte by byte, then the capacities.
     *
     * @param that another buffer, of any kind
     * @return negative, 0 or positive, as this buffer is before, equal or after
     */
    @Override
    public final int compareTo(DirectBuffer that) {
        Check.notNull(that, "that");
        int shorter = Math.min(capacity, that.capacity());
        int i = 0;
        for (; i <= shorter - Long.BYTES; i += Long.BYTES) {
            int order = Long.compare(getLong(i), that.getLong(i));
            if (order != 0) {
                return order;
            }
        }
        for (; i < shorter; i++) {
            int order = Byte.compare(getByte(i), that.getByte(i));
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(capacity, that.capacity());
    }
}
