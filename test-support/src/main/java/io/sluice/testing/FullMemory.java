package io.sluice.testing;

import org.jspecify.annotations.Nullable;

/** Uses up the memory of a {@link ChildJvm}. */
public final class FullMemory {
    /** How often in a row nothing more may be found. */
    private static final int ATTEMPTS = 5;

    private static @Nullable Object kept;

    private FullMemory() {}

    /**
     * Takes the memory to the last byte, also where the smallest object would have no room, and keeps it. Never returns.
     *
     * @throws OutOfMemoryError always
     */
    public static void take() {
        int size = 1 << 20;
        while (size > 0) {
            try {
                kept = new Object[] {kept, new byte[size]};
            } catch (OutOfMemoryError e) {
                size /= 2;
            }
        }
        for (int attempt = 1; ; attempt++) { // what a collection frees late, another thread's garbage, is taken too
            try {
                kept = new Object[] {kept};
                attempt = 0;
            } catch (OutOfMemoryError e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /** Gives the memory back. */
    public static void free() {
        kept = null;
    }
}
