package io.sluice.core.access;

import java.nio.ByteBuffer;

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
