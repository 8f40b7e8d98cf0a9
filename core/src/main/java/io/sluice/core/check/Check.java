package io.sluice.core.check;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Checks of arguments. Each message is a sentence that names the argument, what is allowed, and the value: {@code capacity must be a
 * power of two from 1 to 1073741824, but was 12}. A message of a refused call has the same form: what must hold, and what holds
 * instead. Any thread; nothing allocates unless a check fails.
 */
public final class Check {
    private Check() {}

    /**
     * Refuses null.
     *
     * @param value the argument
     * @param name its name, as the caller knows it
     * @param <T> its type
     * @return the argument
     * @throws NullPointerException if it is null
     */
    public static <T> T notNull(@Nullable T value, String name) {
        if (value == null) {
            throw new NullPointerException(name + " must not be null");
        }
        return value;
    }

    /**
     * Refuses a number out of its range.
     *
     * @param value the argument
     * @param lowest the lowest value allowed
     * @param highest the highest value allowed; the largest {@code int} or {@code long} stands for no limit
     * @param name its name, as the caller knows it
     * @throws IllegalArgumentException if it is out of its range
     */
    public static void inRange(long value, long lowest, long highest, String name) {
        if (value < lowest || value > highest) {
            throw new IllegalArgumentException(name + " must be " + range(lowest, highest) + ", but was " + value);
        }
    }

    /**
     * Refuses a number that is not a power of two, or out of its range.
     *
     * @param value the argument
     * @param lowest the lowest value allowed, a power of two
     * @param highest the highest value allowed, a power of two
     * @param name its name, as the caller knows it
     * @throws IllegalArgumentException if it is not a power of two in the range
     */
    public static void powerOfTwo(long value, long lowest, long highest, String name) {
        if (value < lowest || value > highest || Long.bitCount(value) != 1) {
            throw new IllegalArgumentException(
                    name + " must be a power of two " + range(lowest, highest) + ", but was " + value);
        }
    }

    /**
     * A time in nanoseconds. A longer time than that holds, some 292 years, becomes the longest.
     *
     * @param value the argument
     * @param name its name, as the caller knows it
     * @return the nanoseconds, negative for a negative time
     * @throws NullPointerException if it is null
     */
    public static long nanos(@Nullable Duration value, String name) {
        Duration given = notNull(value, name);
        try {
            return given.toNanos();
        } catch (ArithmeticException tooLong) {
            return given.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    private static String range(long lowest, long highest) {
        return highest == Long.MAX_VALUE || highest == Integer.MAX_VALUE
                ? lowest + " or more"
                : "from " + lowest + " to " + highest;
    }
}
