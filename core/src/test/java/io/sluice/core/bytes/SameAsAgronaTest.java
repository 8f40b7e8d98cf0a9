package io.sluice.core.bytes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random calls of every method of Agrona's three interfaces, on Agrona's buffer and on ours: the same result, the same kind of
 * exception, and the same bytes afterwards, in the buffers and in what was handed over.
 */
@Timeout(120)
class SameAsAgronaTest {
    private static final int PROGRAMS = 150;
    private static final int CALLS = 300;

    /** What another test looks at: what a buffer is over, and texts for people. */
    private static final Set<String> ELSEWHERE =
            Set.of("wrap", "addressOffset", "byteArray", "byteBuffer", "wrapAdjustment", "verifyAlignment");

    private static final List<Method> METHODS = Arrays.stream(AtomicBuffer.class.getMethods())
            .filter(m -> !Modifier.isStatic(m.getModifiers()) && !ELSEWHERE.contains(m.getName()))
            .filter(m -> !m.isBridge() && (m.getParameterCount() != 1 || m.getParameterTypes()[0] != Object.class))
            .sorted(Comparator.comparing(Method::toString))
            .toList();

    enum Memory {
        DIRECT,
        PART_OF_A_DIRECT_BUFFER,
        ARRAY;

        AtomicBuffer ours(int capacity) {
            return switch (this) {
                case DIRECT -> SafeBuffer.allocateDirect(capacity);
                case PART_OF_A_DIRECT_BUFFER -> new SafeBuffer(SafeBuffer.allocateDirect(capacity + 24), 16, capacity);
                case ARRAY -> SafeBuffer.allocate(capacity);
            };
        }

        AtomicBuffer theirs(int capacity) {
            return switch (this) {
                case DIRECT -> new UnsafeBuffer(ByteBuffer.allocateDirect(capacity));
                case PART_OF_A_DIRECT_BUFFER ->
                    new UnsafeBuffer(ByteBuffer.allocateDirect(capacity + 24), 16, capacity);
                case ARRAY -> new UnsafeBuffer(new byte[capacity]);
            };
        }
    }

    @Test
    void eachMethodOfTheInterfacesIsCalled() {
        assertThat(METHODS).hasSize(110);
    }

    @ParameterizedTest
    @EnumSource
    void randomCallsDoTheSame(Memory memory) {
        Long given = Long.getLong("sluice.seed");
        long first = given == null ? System.nanoTime() : given;
        for (long seed = first; seed < first + (given == null ? PROGRAMS : 1); seed++) {
            List<String> calls = new ArrayList<>();
            try {
                run(memory, seed, calls);
            } catch (Throwable t) {
                throw new AssertionError(
                        "-Dsluice.seed=" + seed + " on " + memory + ", last call: " + calls.get(calls.size() - 1), t);
            }
        }
    }

    private static void run(Memory memory, long seed, List<String> calls) {
        SplittableRandom random = new SplittableRandom(seed);
        int capacity = random.nextInt(4) == 0 ? random.nextInt(40) : 8 + random.nextInt(200);
        AtomicBuffer ours = memory.ours(capacity);
        AtomicBuffer theirs = memory.theirs(capacity);
        for (int i = 0; i < CALLS; i++) {
            if (random.nextInt(20) == 0) {
                refill(random, ours, theirs);
            }
            Method method = METHODS.get(random.nextInt(METHODS.size()));
            if (isAtomic(method) && memory == Memory.ARRAY && !atomicOnArrays()) {
                continue;
            }
            long argumentSeed = random.nextLong();
            Object[] forOurs = arguments(method, capacity, new SplittableRandom(argumentSeed), true);
            Object[] forTheirs = arguments(method, capacity, new SplittableRandom(argumentSeed), false);
            if (isKnownDifference(method, forOurs)) {
                continue;
            }
            calls.add(method + " " + Arrays.deepToString(forOurs) + " capacity " + capacity);
            Object expected = call(method, theirs, forTheirs);
            Object found = call(method, ours, forOurs);
            assertThat(found).as(method.getName()).isEqualTo(expected);
            if (expected == NumberFormatException.class) { // Agrona has written some digits by then
                refill(random, ours, theirs);
            }
            assertThat(bytes(ours)).isEqualTo(bytes(theirs));
            for (int a = 0; a < forOurs.length; a++) {
                assertThat(state(forOurs[a])).isEqualTo(state(forTheirs[a]));
            }
        }
    }

    private static void refill(SplittableRandom random, AtomicBuffer ours, AtomicBuffer theirs) {
        byte[] bytes = new byte[ours.capacity()];
        int kind = random.nextInt(3);
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] =
                    (byte) (kind == 0 ? random.nextInt(256) : kind == 1 ? '0' + random.nextInt(10) : random.nextInt(3));
        }
        if (kind == 1 && bytes.length > 0) {
            bytes[random.nextInt(bytes.length)] = '-';
        }
        ours.putBytes(0, bytes);
        theirs.putBytes(0, bytes);
    }

    private static boolean isAtomic(Method method) {
        return method.getName().matches(".*(Volatile|Acquire|Release|Ordered|Opaque)|compareAnd.*|getAnd.*")
                && !method.getName().contains("Byte");
    }

    private static boolean atomicOnArrays() {
        return Runtime.version().feature() < 22;
    }

    /** What the documentation of SafeBuffer says that it does otherwise. */
    private static boolean isKnownDifference(Method method, Object[] arguments) {
        String name = method.getName();
        if (isAtomic(method)) {
            int size = name.contains("Long") ? 8 : name.contains("Int") ? 4 : 2;
            return (int) arguments[0] % size != 0;
        }
        if (name.contains("Natural") && name.startsWith("put")) {
            return Arrays.stream(arguments).anyMatch(a -> ((Number) a).longValue() < 0);
        }
        // Agrona returns a negative length as it came.
        return name.equals("getStringAscii")
                && arguments.length == 3
                && arguments[1] instanceof Integer length
                && length < 0;
    }

    private static Object[] arguments(Method method, int capacity, SplittableRandom random, boolean ours) {
        Class<?>[] types = method.getParameterTypes();
        Object[] arguments = new Object[types.length];
        for (int i = 0; i < types.length; i++) {
            arguments[i] = argument(types[i], i == 0, isAtomic(method), capacity, random, ours);
        }
        return arguments;
    }

    private static Object argument(
            Class<?> type, boolean first, boolean atomic, int capacity, SplittableRandom random, boolean ours) {
        if (type == int.class) {
            int index = number(random, capacity);
            return first && atomic && random.nextInt(8) != 0 ? index & ~7 : index;
        } else if (type == long.class) {
            return random.nextInt(3) == 0
                    ? (Long) (long) random.nextInt(100)
                    : (Long) (random.nextLong() >> random.nextInt(64));
        } else if (type == double.class) {
            return Double.longBitsToDouble(
                    random.nextLong() & ~(1L << 62)); // no NaN, whose bits a processor may change
        } else if (type == float.class) {
            return Float.intBitsToFloat(random.nextInt() & ~(1 << 30));
        } else if (type == short.class) {
            return (short) random.nextInt();
        } else if (type == char.class) {
            return (char) random.nextInt();
        } else if (type == byte.class) {
            return (byte) random.nextInt();
        } else if (type == ByteOrder.class) {
            return random.nextBoolean() ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        } else if (type == byte[].class) {
            return random(random, random.nextInt(capacity + 4));
        } else if (type == ByteBuffer.class) {
            return byteBuffer(random, capacity);
        } else if (type == String.class) {
            return random.nextInt(10) == 0 ? null : text(random);
        } else if (type == CharSequence.class) {
            return random.nextInt(10) == 0 ? null : CharBuffer.wrap(text(random));
        } else if (type == Appendable.class) {
            return new StringWriter();
        } else if (type == DirectBuffer.class || type == MutableDirectBuffer.class) {
            return other(random, capacity, ours);
        }
        throw new AssertionError("no arguments of " + type);
    }

    private static int number(SplittableRandom random, int capacity) {
        return switch (random.nextInt(12)) {
            case 0 -> random.nextInt();
            case 1 -> capacity - random.nextInt(10);
            case 2 -> capacity + random.nextInt(10);
            case 3 -> -random.nextInt(10);
            case 4 ->
                random.nextBoolean() ? Integer.MAX_VALUE - random.nextInt(5) : Integer.MIN_VALUE + random.nextInt(5);
            case 5, 6, 7 -> random.nextInt(24);
            default -> random.nextInt(capacity + 1);
        };
    }

    private static byte[] random(SplittableRandom random, int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static ByteBuffer byteBuffer(SplittableRandom random, int capacity) {
        int size = random.nextInt(capacity + 4);
        ByteBuffer buffer = random.nextBoolean() ? ByteBuffer.allocate(size) : ByteBuffer.allocateDirect(size);
        buffer.put(random(random, size)).clear();
        if (random.nextInt(3) == 0) {
            buffer = buffer.slice(size / 4, size - size / 4);
        }
        int limit = random.nextInt(buffer.capacity() + 1);
        return buffer.limit(limit).position(random.nextInt(limit + 1));
    }

    private static String text(SplittableRandom random) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(20); i > 0; i--) {
            text.append((char) (random.nextInt(5) == 0 ? random.nextInt(0xD800) : 'a' + random.nextInt(26)));
        }
        return text.toString();
    }

    /** Agrona's own gets Agrona's; ours gets ours or Agrona's, some of these over a bare address. */
    private static AtomicBuffer other(SplittableRandom random, int capacity, boolean ours) {
        Memory memory = Memory.values()[random.nextInt(Memory.values().length)];
        int size = random.nextInt(capacity + 4);
        byte[] bytes = random(random, size);
        boolean bare = random.nextInt(4) == 0;
        AtomicBuffer other = random.nextBoolean() && ours ? memory.ours(size) : memory.theirs(size);
        other.putBytes(0, bytes);
        return bare && ours && memory == Memory.DIRECT && other instanceof UnsafeBuffer theirs
                ? new SafeBufferTest.BareAddress(theirs)
                : other;
    }

    private static Object call(Method method, AtomicBuffer buffer, Object[] arguments) {
        try {
            Object result = method.invoke(buffer, arguments);
            return result instanceof Integer sign && method.getName().equals("compareTo")
                    ? (Object) Integer.signum(sign)
                    : result == null ? "nothing" : result;
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            return cause instanceof IndexOutOfBoundsException
                    ? IndexOutOfBoundsException.class
                    : cause instanceof NumberFormatException ? NumberFormatException.class : cause.getClass();
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] bytes(DirectBuffer buffer) {
        byte[] bytes = new byte[buffer.capacity()];
        buffer.getBytes(0, bytes);
        return bytes;
    }

    private static Object state(Object argument) {
        if (argument instanceof DirectBuffer buffer) {
            return bytes(buffer);
        }
        if (argument instanceof ByteBuffer buffer) {
            byte[] bytes = new byte[buffer.capacity()];
            buffer.duplicate().clear().get(bytes);
            return List.of(buffer.position(), buffer.limit(), Arrays.toString(bytes));
        }
        return argument instanceof StringWriter ? argument.toString() : argument == null ? "null" : argument;
    }
}
