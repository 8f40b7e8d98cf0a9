package io.sluice.core.access;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/*
 *   SafeBuffer --> ArrayPart --> byte[]
 *                  start, length
 *
 * A part never changes. So a thread that reads the buffer's field once has an array and a place in it that belong together, also while
 * another thread closes the buffer or wraps it around other memory. Three reads could give the old array and a place of the new memory.
 */
/** A buffer that may be over an array, for code that goes to the array itself: see {@link ArrayParts#of}. */
public abstract class OverArray {
    @Nullable
    ArrayPart part;

    /** A buffer over nothing. */
    protected OverArray() {}

    /**
     * Sets the memory of this buffer. Allocates a part, unless the view is not over an array.
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
