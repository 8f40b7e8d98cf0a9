package io.sluice.ringbuffer;

import org.jspecify.annotations.Nullable;

/** Checks of arguments, with messages that name the argument, its value and the allowed range. */
final class Check {
    private Check() {}

    static <T> T notNull(@Nullable T value, String name) {
        if (value == null) {
            throw new NullPointerException(name + " null: allowed is anything else");
        }
        return value;
    }

    static void inRange(long value, long lowest, long highest, String name) {
        if (value < lowest || value > highest) {
            throw new IllegalArgumentException(name + " " + value + ": allowed are " + lowest + " to " + highest);
        }
    }
}
