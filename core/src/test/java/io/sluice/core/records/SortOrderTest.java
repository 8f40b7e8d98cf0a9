package io.sluice.core.records;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.core.bytes.SafeBuffer;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * The order of a sort at the values where bytes and numbers differ in order: negative numbers, both zeros, infinities, and numbers that
 * are none. Each value is there three times, in three places, so that a sort that is not stable is seen too.
 */
class SortOrderTest {
    private static final int COPIES = 3;
    private static final int ROWS_OF_A_PAGE = 4;

    record ByteRow(byte key, int place) {}

    record ShortRow(short key, int place) {}

    record CharRow(char key, int place) {}

    record IntRow(int key, int place) {}

    record LongRow(long key, int place) {}

    record FloatRow(float key, int place) {}

    record DoubleRow(double key, int place) {}

    record TextRow(@MaxLength(17) String key, int place) {}

    @Test
    void doublesAreInTheOrderOfDoubleCompare() {
        List<Double> values = List.of(
                Double.NEGATIVE_INFINITY,
                -Double.MAX_VALUE,
                -1e300,
                -3.0,
                -2.0,
                -1.5,
                Math.nextDown(-1.0),
                -1.0,
                Math.nextUp(-1.0),
                -Double.MIN_NORMAL,
                -Double.MIN_VALUE,
                -0.0,
                0.0,
                Double.MIN_VALUE,
                Double.MIN_NORMAL,
                1.0,
                1.5,
                2.0,
                Double.MAX_VALUE,
                Double.POSITIVE_INFINITY,
                Double.NaN,
                Double.longBitsToDouble(0xFFF8_0000_0000_0001L),
                Double.longBitsToDouble(0x7FF0_0000_0000_0001L));
        check(
                DoubleRow.class,
                values,
                DoubleRow::new,
                (a, b) -> Double.compare(a.key, b.key),
                row -> Double.doubleToLongBits(row.key) + " at " + row.place);
    }

    @Test
    void floatsAreInTheOrderOfFloatCompare() {
        List<Float> values = List.of(
                Float.NEGATIVE_INFINITY,
                -Float.MAX_VALUE,
                -3.0f,
                -2.0f,
                -1.5f,
                -1.0f,
                -Float.MIN_VALUE,
                -0.0f,
                0.0f,
                Float.MIN_VALUE,
                1.0f,
                1.5f,
                Float.MAX_VALUE,
                Float.POSITIVE_INFINITY,
                Float.NaN,
                Float.intBitsToFloat(0xFFC0_0001),
                Float.intBitsToFloat(0x7F80_0001));
        check(
                FloatRow.class,
                values,
                FloatRow::new,
                (a, b) -> Float.compare(a.key, b.key),
                row -> Float.floatToIntBits(row.key) + " at " + row.place);
    }

    @Test
    void wholeNumbersAreInTheirOrder() {
        long[] values = {Long.MIN_VALUE, -(1L << 40), -65_537, -257, -256, -2, -1, 0, 1, 127, 128, 255, 256, 1L << 40};
        List<Long> longs = LongStream.of(values).boxed().toList();
        check(LongRow.class, longs, LongRow::new, Comparator.comparing(LongRow::key), Record::toString);
        List<Integer> ints = LongStream.of(values).mapToObj(v -> (int) v).toList();
        check(IntRow.class, ints, IntRow::new, Comparator.comparing(IntRow::key), Record::toString);
        List<Short> shorts = LongStream.of(values).mapToObj(v -> (short) v).toList();
        check(ShortRow.class, shorts, ShortRow::new, Comparator.comparing(ShortRow::key), Record::toString);
        List<Byte> bytes = LongStream.of(values).mapToObj(v -> (byte) v).toList();
        check(ByteRow.class, bytes, ByteRow::new, Comparator.comparing(ByteRow::key), Record::toString);
        List<Character> chars = LongStream.of(values).mapToObj(v -> (char) v).toList();
        check(CharRow.class, chars, CharRow::new, Comparator.comparing(CharRow::key), Record::toString);
    }

    @Test
    void textsAreInTheOrderOfTheirCharactersBeyondEightAndSixteenOfThem() {
        List<String> values = List.of(
                "",
                "a",
                "aa",
                "aaaaaaaa",
                "aaaaaaaaa",
                "aaaaaaaab",
                "aaaaaaaaaaaaaaaa",
                "aaaaaaaaaaaaaaaaa",
                "aaaaaaaaaaaaaaaab",
                "b",
                "\u0001",
                "\u007f");
        check(TextRow.class, values, TextRow::new, Comparator.comparing(TextRow::key), Record::toString);
    }

    /** Where their keys are compared with a sign, such rows only rise. */
    @Test
    void rowsThatRiseFromZeroOnAndThenBelowZeroAreSortedToo() {
        sort(
                LongRow.class,
                List.of(0L, 1L, -2L, -1L),
                LongRow::new,
                Comparator.comparing(LongRow::key),
                Record::toString,
                "small longs");
        sort(
                LongRow.class,
                List.of(0L, 1L, Long.MAX_VALUE, Long.MIN_VALUE, -2L, -1L),
                LongRow::new,
                Comparator.comparing(LongRow::key),
                Record::toString,
                "longs");
        sort(
                DoubleRow.class,
                List.of(0.0, 1.0, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, -1.0, -0.0),
                DoubleRow::new,
                Comparator.comparing(DoubleRow::key),
                Record::toString,
                "doubles");
        sort(
                IntRow.class,
                List.of(0, 1, Integer.MAX_VALUE, Integer.MIN_VALUE, -2, -1),
                IntRow::new,
                Comparator.comparing(IntRow::key),
                Record::toString,
                "ints");
    }

    private interface Made<K, T> {
        T of(K key, int place);
    }

    /** Sorts rows with these keys in twenty orders. */
    private static <K, T extends Record> void check(
            Class<T> type, List<K> values, Made<K, T> made, Comparator<T> order, Function<T, String> text) {
        for (int seed = 0; seed < 20; seed++) {
            List<K> keys = new ArrayList<>(values);
            for (int copy = 1; copy < COPIES; copy++) {
                keys.addAll(values);
            }
            Collections.shuffle(keys, new Random(seed));
            sort(type, keys, made, order, text, "seed " + seed);
        }
    }

    /** Sorts rows with such keys, beside the stable sort of a list. */
    private static <K, T extends Record> void sort(
            Class<T> type, List<K> keys, Made<K, T> made, Comparator<T> order, Function<T, String> text, String told) {
        RecordCodec<T> codec = RecordCodec.of(MethodHandles.lookup(), type);
        List<T> model = new ArrayList<>(IntStream.range(0, keys.size())
                .mapToObj(i -> made.of(keys.get(i), i))
                .toList());
        try (RecordTable<T> table =
                new RecordTable<>(codec, model.size(), SafeBuffer::allocateDirect, ROWS_OF_A_PAGE * codec.size())) {
            for (int row = 0; row < model.size(); row++) {
                table.set(row, model.get(row));
            }
            table.sort(codec.field("key"));
            model.sort(order);
            assertThat(IntStream.range(0, model.size()).mapToObj(row -> text.apply(table.get(row))))
                    .as(told)
                    .isEqualTo(model.stream().map(text).toList());
        }
    }
}
