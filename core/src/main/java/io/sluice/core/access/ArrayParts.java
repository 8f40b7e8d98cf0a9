package io.sluice.core.access;

import org.jspecify.annotations.Nullable;

/** The part of an array that a buffer is over. Apart from {@link OverArray}, so that no buffer has a public method for it. */
public final class ArrayParts {
    private ArrayParts() {}

    /**
     * The part of an array that a buffer is over. Any thread; one plain read. Allocates nothing.
     *
     * @param buffer the buffer
     * @return the part; null if it is off the heap, may not be written or is closed
     */
    public static @Nullable ArrayPart of(OverArray buffer) {
        return buffer.part; // plain: the part's own fields are final, so whoever finds it finds it whole
    }
}
