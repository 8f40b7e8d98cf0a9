package io.sluice.core.access;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/*
 *   SafeBuffer --> Part --> byte[]
 *                  start, length
 *
 * A part never changes. So who reads the buffer's field once has the array and the place in it of one memory, also while another thread
 * closes the buffer or wraps it around other memory. By three reads one could have the old array and a place of the new memory.
 */
/** A buffer that may be over an array, for those who go to the array itself. */
public abstract class OverArray {
    private @Nullable Part part;

    /** A buffer over nothing. */
    protected OverArray() {}

    /**
     * Part of an array. Never changes. Any thread.
     */
    public static final class Part {
        private final byte[] array;
        private final int start;
        private final int length;

        private Part(ByteBuffer view) {
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

    /**
     * The part of an array that a buffer is over. Any thread; one plain read. Allocates nothing.
     *
     * @param buffer the buffer
     * @return the part; null if it is off the heap, may not be written or is closed
     */
    public static @Nullable Part partOf(OverArray buffer) {
        return buffer.part; // plain: the part's own fields are final, so whoever finds it finds it whole
    }

    /**
     * What this buffer is over from now on. Allocates a part, unless the view is not over an array.
     *
     * @param view all of it, from 0 to its capacity
     * @param offset where it begins in memory that is no array
     * @return where it begins in its array; {@code offset} if it is over none
     */
    protected final int over(ByteBuffer view, int offset) {
        part = view.hasArray() ? new Part(view) : null;
        return part == null ? offset : part.start;
    }
}
