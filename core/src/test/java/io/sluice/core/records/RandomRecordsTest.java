package io.sluice.core.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.bytes.SafeBuffer;
import java.lang.reflect.RecordComponent;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Random values of record types of random shapes, against bytes that are written in the plainest way. */
@Tag("once")
class RandomRecordsTest {
    private static final int TYPES = 20;
    private static final int RECORDS = 60;
    private static final int ROWS_OF_A_PAGE = 8;
    private static final int SORTS = 6;

    @Test
    void eachRecordBecomesTheBytesThatThePageSaysAndComesBack(@TempDir Path folder) throws Exception {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        int records = 0;
        for (Class<? extends Record> type : RandomRecords.types(random, TYPES, folder)) {
            records += compare(seed, random, type);
        }
        assertThat(records).isEqualTo(TYPES * RECORDS);
    }

    @Test
    void aRecordMayHave100ComponentsAndNoMore(@TempDir Path most, @TempDir Path tooMany) throws Exception {
        assertThat(compare(1, new SplittableRandom(1), RandomRecords.longs(100, most)))
                .isEqualTo(RECORDS);
        Class<? extends Record> refused = RandomRecords.longs(101, tooMany);
        assertThatThrownBy(() -> RecordCodec.of(refused))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("components of Longs must be from 1 to 100, but was 101");
    }

    private static <T extends Record> int compare(long seed, SplittableRandom random, Class<T> type) throws Exception {
        RecordCodec<T> codec = RecordCodec.of(type);
        RecordCodec<T> template = new CompiledCodec<>(codec.layout());
        assertThat(codec.getClass().isHidden()).as("made as a copy").isTrue();
        int room = codec.size() + 40;
        List<T> model = new ArrayList<>();
        RecordTable<T> table = new RecordTable<>(codec, RECORDS, SafeBuffer::allocate, ROWS_OF_A_PAGE * codec.size());
        for (int i = 0; i < RECORDS; i++) {
            String told = "-Dsluice.seed=" + seed + " record " + i + " of " + type;
            boolean direct = random.nextBoolean();
            SafeBuffer buffer = direct ? SafeBuffer.allocateDirect(room) : SafeBuffer.allocate(room);
            byte[] before = new byte[room];
            random.nextBytes(before);
            buffer.putBytes(0, before);
            int offset = random.nextInt(41);
            T record = type.cast(RandomRecords.record(random, type));
            RecordCodec<T> used = random.nextInt(4) == 0 ? template : codec;
            used.encode(record, buffer, offset);
            byte[] expected = before.clone();
            RandomRecords.write(
                    record, ByteBuffer.wrap(expected, offset, codec.size()).slice());
            byte[] after = new byte[room];
            buffer.getBytes(0, after);
            assertThat(after).as(told).isEqualTo(expected);
            T read = used.decode(buffer, offset);
            RecordFlyweight flyweight = codec.flyweight().wrap(buffer, offset);
            List<RecordField> fields = codec.fields();
            for (int c = 0; c < fields.size(); c++) {
                RecordComponent component = type.getRecordComponents()[c];
                Object value = RandomRecords.component(record, component);
                assertThat(RandomRecords.component(read, component))
                        .as("%s, %s", told, component)
                        .isEqualTo(value);
                compare(flyweight, fields.get(c), value, told);
            }
            table.set(i, record);
            model.add(record);
        }
        sort("-Dsluice.seed=" + seed + " sort of " + type, random, table, model);
        return RECORDS;
    }

    /** Sorts by some of the fields, beside a stable sort of a list by the values of the components. */
    private static <T extends Record> void sort(
            String told, SplittableRandom random, RecordTable<T> table, List<T> model) throws Exception {
        List<RecordField> fields = table.codec().fields();
        for (int i = 0; i < SORTS; i++) {
            int place = random.nextInt(fields.size());
            if (fields.get(place).type().isArray()) {
                continue;
            }
            RecordComponent component = table.codec().type().getRecordComponents()[place];
            model.sort(Comparator.comparing(record -> key(record, component)));
            table.sort(fields.get(place));
            byte[] expected = new byte[table.codec().size()];
            byte[] found = new byte[expected.length];
            for (int row = 0; row < model.size(); row++) {
                write(table.codec(), model.get(row), expected);
                write(table.codec(), table.get(row), found);
                assertThat(found).as("%s by %s, row %d", told, component, row).isEqualTo(expected);
            }
        }
    }

    private static <T extends Record> void write(RecordCodec<T> codec, T record, byte[] into) {
        codec.encode(record, new SafeBuffer(into), 0);
    }

    @SuppressWarnings("unchecked")
    private static Comparable<Object> key(Record record, RecordComponent component) {
        try {
            return (Comparable<Object>) RandomRecords.component(record, component);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void compare(RecordFlyweight flyweight, RecordField field, Object value, String told) {
        Object read = value;
        if (value instanceof Boolean) {
            read = flyweight.getBoolean(field);
        } else if (value instanceof Byte) {
            read = flyweight.getByte(field);
        } else if (value instanceof Short) {
            read = flyweight.getShort(field);
        } else if (value instanceof Character) {
            read = flyweight.getChar(field);
        } else if (value instanceof Integer) {
            read = flyweight.getInt(field);
        } else if (value instanceof Long) {
            read = flyweight.getLong(field);
        } else if (value instanceof Float) {
            read = flyweight.getFloat(field);
        } else if (value instanceof Double) {
            read = flyweight.getDouble(field);
        } else if (value instanceof Enum<?>) {
            read = field.type().getEnumConstants()[flyweight.getOrdinal(field)];
        } else if (value instanceof String text) {
            read = flyweight.getAscii(field);
            assertThat(flyweight.hasAscii(field, text)).as(told).isTrue();
            assertThat(flyweight.hasAscii(field, text + "x")).as(told).isFalse();
            if (!text.isEmpty()) {
                assertThat(flyweight.hasAscii(field, text.substring(1) + (char) (text.charAt(0) % 127 + 1)))
                        .as(told)
                        .isEqualTo(text.equals(text.substring(1) + (char) (text.charAt(0) % 127 + 1)));
            }
        }
        assertThat(read).as(told).isEqualTo(value);
    }
}
