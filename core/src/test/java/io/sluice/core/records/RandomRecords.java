package io.sluice.core.records;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.RecordComponent;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.spi.ToolProvider;

/** Record types of random shapes, compiled as a user's are and loaded by a class loader of their own; random values; and plain bytes. */
@SuppressWarnings("EnumOrdinal") // the format that is tested
final class RandomRecords {
    private static final String[] SCALARS = {
        "boolean", "byte", "short", "char", "int", "long", "float", "double", "Side", "Many"
    };
    private static final String[] LONG_ONES = {"String", "byte[]", "int[]", "long[]", "double[]"};
    private static final int MANY = 300;

    private RandomRecords() {}

    static List<Class<? extends Record>> types(SplittableRandom random, int count, Path folder) throws Exception {
        StringBuilder source = new StringBuilder("package random;\nimport io.sluice.core.records.MaxLength;\n"
                + "public class Shapes {\n  public enum Side { BUY, SELL, BOTH }\n  public enum Many { C0");
        for (int i = 1; i < MANY; i++) {
            source.append(", C").append(i);
        }
        source.append(" }\n");
        for (int i = 0; i < count; i++) {
            source.append("  public record R").append(i).append('(');
            int components = 1 + random.nextInt(random.nextInt(8) == 0 ? 100 : 12);
            for (int c = 0; c < components; c++) {
                source.append(c == 0 ? "" : ", ");
                if (random.nextInt(4) == 0) {
                    source.append("@MaxLength(").append(1 + random.nextInt(20)).append(") ");
                    source.append(LONG_ONES[random.nextInt(LONG_ONES.length)]);
                } else {
                    source.append(SCALARS[random.nextInt(SCALARS.length)]);
                }
                source.append(" c").append(c);
            }
            source.append(") {}\n");
        }
        compile(source.append("}\n").toString(), folder);
        URLClassLoader loader =
                new URLClassLoader(new URL[] {folder.toUri().toURL()}, RandomRecords.class.getClassLoader());
        List<Class<? extends Record>> types = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            types.add(loader.loadClass("random.Shapes$R" + i).asSubclass(Record.class));
        }
        return types;
    }

    /** A record of so many longs: of all components these take the most places of a method handle. */
    static Class<? extends Record> longs(int components, Path folder) throws Exception {
        StringBuilder source = new StringBuilder("package random;\npublic class Shapes {\n  public record Longs(");
        for (int c = 0; c < components; c++) {
            source.append(c == 0 ? "" : ", ").append("long c").append(c);
        }
        compile(source.append(") {}\n}\n").toString(), folder);
        URLClassLoader loader =
                new URLClassLoader(new URL[] {folder.toUri().toURL()}, RandomRecords.class.getClassLoader());
        return loader.loadClass("random.Shapes$Longs").asSubclass(Record.class);
    }

    private static void compile(String source, Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("Shapes.java"), source);
        String path = Path.of(URI.create(MaxLength.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toString()))
                .toString();
        StringWriter said = new StringWriter();
        PrintWriter out = new PrintWriter(said);
        // not by javax.tools, whose module a test of this one does not see
        int status = ToolProvider.findFirst("javac")
                .orElseThrow()
                .run(out, out, "-proc:none", "-nowarn", "-cp", path, "-d", folder.toString(), file.toString());
        if (status != 0) {
            throw new AssertionError(said + "\n" + source);
        }
    }

    static Record record(SplittableRandom random, Class<? extends Record> type) throws Exception {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        Object[] values = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            types[i] = components[i].getType();
            MaxLength longest = components[i].getAnnotation(MaxLength.class);
            values[i] = value(random, types[i], longest == null ? 0 : random.nextInt(longest.value() + 1));
        }
        return type.getDeclaredConstructor(types).newInstance(values);
    }

    private static Object value(SplittableRandom random, Class<?> type, int length) {
        long bits = random.nextInt(4) == 0 ? random.nextInt(-2, 3) : random.nextLong();
        if (type == boolean.class) {
            return (bits & 1) == 0;
        } else if (type == byte.class) {
            return (byte) bits;
        } else if (type == short.class) {
            return (short) bits;
        } else if (type == char.class) {
            return (char) bits;
        } else if (type == int.class) {
            return (int) bits;
        } else if (type == long.class) {
            return bits;
        } else if (type == float.class) {
            return random.nextInt(8) == 0 ? Float.NaN : (float) (bits / 1e9);
        } else if (type == double.class) {
            return random.nextInt(8) == 0 ? -0.0 : bits / 1e9;
        } else if (type.isEnum()) {
            Object[] constants = type.getEnumConstants();
            return constants[random.nextInt(constants.length)];
        } else if (type == String.class) {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < length; i++) {
                text.append((char) random.nextInt(1, 128));
            }
            return text.toString();
        } else if (type == byte[].class) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            return bytes;
        } else if (type == int[].class) {
            return random.ints(length).toArray();
        } else if (type == long[].class) {
            return random.longs(length).toArray();
        }
        return random.doubles(length).toArray();
    }

    static Object component(Record record, RecordComponent component) throws Exception {
        return component.getAccessor().invoke(record);
    }

    /** The bytes that a record must become, written down once more in the plainest way. Bytes that nobody writes stay as they are. */
    static void write(Record record, ByteBuffer into) throws Exception {
        ByteBuffer to = into.order(ByteOrder.LITTLE_ENDIAN);
        for (RecordComponent component : record.getClass().getRecordComponents()) {
            Object value = component(record, component);
            MaxLength longest = component.getAnnotation(MaxLength.class);
            int room = longest == null ? 0 : longest.value();
            if (value instanceof Boolean b) {
                to.put((byte) (b ? 1 : 0));
            } else if (value instanceof Byte b) {
                to.put(b);
            } else if (value instanceof Short s) {
                to.putShort(s);
            } else if (value instanceof Character c) {
                to.putChar(c);
            } else if (value instanceof Integer i) {
                to.putInt(i);
            } else if (value instanceof Long l) {
                to.putLong(l);
            } else if (value instanceof Float f) {
                to.putFloat(f);
            } else if (value instanceof Double d) {
                to.putDouble(d);
            } else if (value instanceof Enum<?> e) {
                if (component.getType().getEnumConstants().length > 256) {
                    to.putShort((short) e.ordinal());
                } else {
                    to.put((byte) e.ordinal());
                }
            } else if (value instanceof String s) {
                to.put(java.util.Arrays.copyOf(s.getBytes(StandardCharsets.US_ASCII), room));
            } else if (value instanceof byte[] bytes) {
                to.putInt(bytes.length).put(bytes).position(to.position() + room - bytes.length);
            } else if (value instanceof int[] ints) {
                to.putInt(ints.length);
                for (int i : ints) {
                    to.putInt(i);
                }
                to.position(to.position() + (room - ints.length) * 4);
            } else if (value instanceof long[] longs) {
                to.putInt(longs.length);
                for (long l : longs) {
                    to.putLong(l);
                }
                to.position(to.position() + (room - longs.length) * 8);
            } else if (value instanceof double[] doubles) {
                to.putInt(doubles.length);
                for (double d : doubles) {
                    to.putDouble(d);
                }
                to.position(to.position() + (room - doubles.length) * 8);
            }
        }
    }
}
