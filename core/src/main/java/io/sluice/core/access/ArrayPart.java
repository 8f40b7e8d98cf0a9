package io.sluice.core.access;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Part of an array. Never changes. Any thread.
 */
public final class ArrayPart {
    private final byte[] array;
    private final int start;
    private final int length;

    ArrayPart(ByteBuffer view) {
        array = view.array();
        start = view.arrayOffset();
        length = view.capacity();
    }

    /**
     * The part of an array that a buffer is over. Any thread; one plain read. Allocates nothing.
     *
     * @param buffer the buffer
     * @return the part; null if it is off the heap, may not be written or is closed
     */
    public static @Nullable ArrayPart of(OverArray buffer) {
        return buffer.part; // plain: the part's own fields are final, so whoever finds it finds it whole
    }

    /**
     * Whether so many bytes are within the part.
     *
     * @param index of the first, from the start of the part
     * @param bytes how many
     * @return whether they are
     */
    public boolean holds(int index, int bytes) {
        return (index | bytes) >= 0 && bytes <= length - index;
    }

    /**
     * The whole array.
     *
     * @return the array
     */
    public byte[] array() {
        return array;
    }

    /**
     * Where the part begins.
     *
     * @return index in the array
     */
    public int start() {
        return start;
    }
}
