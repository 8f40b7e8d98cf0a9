package io.sluice.core.access;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/*
 *   SafeBuffer --> ArrayPart --> byte[]
 *                  start, length
 *
 * A part never changes. So who reads the buffer's field once has the array and the place in it of one memory, also while another thread
 * closes the buffer or wraps it around other memory. By three reads one could have the old array and a place of the new memory.
 */
/** A buffer that may be over an array, for those who go to the array itself: see {@link ArrayParts#of}. */
public abstract class OverArray {
    @Nullable
    ArrayPart part;

    /** A buffer over nothing. */
    protected OverArray() {}

    /**
     * What this buffer is over from now on. Allocates a part, unless the view is not over an array.
     *
     * @param view all of it, from 0 to its capacity
     * @param offset where it begins in memory that is no array
     * @return where it begins in its array; {@code offset} if it is over none
     */
    protected final int over(ByteBuffer view, int offset) {
        part = view.hasArray() ? new ArrayPart(view) : null;
        return part == null ? offset : part.start();
    }
}
