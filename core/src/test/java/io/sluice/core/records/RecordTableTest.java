package io.sluice.core.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.core.bytes.SafeBuffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The table beside a list of records: random access, sorts and files; pages of some dozens of bytes, so that each table has many. */
@SuppressWarnings("ArrayRecordComponent") // arrays are part of what is tested
class RecordTableTest {
    enum Kind {
        A,
        B,
        C
    }

    record Row(
            boolean flag,
            byte b,
            short s,
            char c,
            int i,
            long l,
            float f,
            double d,
            Kind kind,
            @MaxLength(11) String text,
            @MaxLength(2) int[] values) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Row row && toString().equals(row.toString());
        }

        @Override
        public int hashCode() {
            return toString().hashCode();
        }

        @Override
        public String toString() {
            return List.of(flag, b, s, c, i, l, f, d, kind, text, java.util.Arrays.toString(values))
                    .toString();
        }
    }

    record Small(int number) {}

    record SmallToo(int number) {}

    record Long2(long number) {}

    record Tiny(byte number) {}

    private static final RecordCodec<Row> ROWS = RecordCodec.of(MethodHandles.lookup(), Row.class);
    private static final RecordCodec<Small> SMALL = RecordCodec.of(MethodHandles.lookup(), Small.class);
    private static final Map<String, Comparator<Row>> ORDERS = Map.ofEntries(
            Map.entry("flag", Comparator.comparing(Row::flag)),
            Map.entry("b", Comparator.comparing(Row::b)),
            Map.entry("s", Comparator.comparing(Row::s)),
            Map.entry("c", Comparator.comparing(Row::c)),
            Map.entry("i", Comparator.comparing(Row::i)),
            Map.entry("l", Comparator.comparing(Row::l)),
            Map.entry("f", Comparator.comparing(Row::f)),
            Map.entry("d", Comparator.comparing(Row::d)),
            Map.entry("kind", Comparator.comparing(Row::kind)),
            Map.entry("text", Comparator.comparing(Row::text)));

    @TempDir
    private Path folder;

    @Test
    void aTableIsAListOfRecordsWhateverIsDoneToIt() throws IOException {
        long seed = Long.getLong("sluice.seed", System.nanoTime());
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 60; round++) {
            String told = "-Dsluice.seed=" + seed + " round " + round;
            int rows = random.nextInt(1, 120);
            int mostOfAPage = ROWS.size() * random.nextInt(1, 40);
            IntFunction<SafeBuffer> memory = random.nextBoolean() ? SafeBuffer::allocateDirect : SafeBuffer::allocate;
            RecordTable<Row> table = new RecordTable<>(ROWS, rows, memory, mostOfAPage);
            List<Row> model = new ArrayList<>();
            for (int row = 0; row < rows; row++) {
                model.add(random(random));
                table.set(row, model.get(row));
            }
            for (int step = 0; step < 30; step++) {
                int row = random.nextInt(rows);
                switch (random.nextInt(5)) {
                    case 0 -> {
                        model.set(row, random(random));
                        table.set(row, model.get(row));
                    }
                    case 1 -> {
                        RecordFlyweight flyweight = table.at(row, ROWS.flyweight());
                        assertThat(flyweight.getLong(ROWS.field("l")))
                                .as(told)
                                .isEqualTo(model.get(row).l());
                        assertThatThrownBy(() -> flyweight.setAscii(ROWS.field("text"), "refused...\u00e4"))
                                .isInstanceOf(IllegalArgumentException.class);
                    }
                    case 2 -> {
                        String field =
                                ORDERS.keySet().stream().sorted().toList().get(random.nextInt(ORDERS.size()));
                        table.sort(ROWS.field(field));
                        model.sort(ORDERS.get(field)); // stable, as the table's
                        assertThat(rows(table)).as(told + " by " + field).isEqualTo(model);
                    }
                    case 3 -> {
                        Path file = folder.resolve("rows.table");
                        table.save(file);
                        table.close();
                        table = RecordTable.load(ROWS, file, memory, ROWS.size() * random.nextInt(1, 40));
                    }
                    default -> assertThat(table.get(row)).as(told).isEqualTo(model.get(row));
                }
            }
            assertThat(rows(table)).as(told).isEqualTo(model);
            assertThat(table.rows()).isEqualTo(rows);
            table.close();
        }
    }

    private static List<Row> rows(RecordTable<Row> table) {
        return Stream.iterate(0, row -> row + 1)
                .limit(table.rows())
                .map(row -> table.get(row))
                .toList();
    }

    /** Values that lie near each other, so that there are equal ones, and at the ends of their range. */
    private static Row random(SplittableRandom random) {
        long near = random.nextInt(-3, 4);
        long any = random.nextInt(3) == 0 ? random.nextLong() : random.nextBoolean() ? near : Long.MAX_VALUE + near;
        float f = random.nextInt(9) == 0 ? Float.NaN : random.nextInt(9) == 0 ? -0.0f : (float) any;
        double d = random.nextInt(9) == 0 ? Double.NEGATIVE_INFINITY : random.nextInt(9) == 0 ? -0.0 : any / 3.0;
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(12); i > 0; i--) {
            text.append((char) (random.nextInt(9) == 0 ? 127 : 'a' + random.nextInt(2)));
        }
        return new Row(
                random.nextBoolean(),
                (byte) any,
                (short) any,
                (char) any,
                (int) any,
                any,
                f,
                d,
                Kind.values()[random.nextInt(3)],
                text.toString(),
                new int[random.nextInt(3)]);
    }

    @Test
    void rowsAreZeroAtFirst() {
        for (RecordTable<Small> table : List.of(RecordTable.onHeap(SMALL, 3), RecordTable.offHeap(SMALL, 3))) {
            assertThat(table.get(0)).isEqualTo(new Small(0));
            assertThat(table.get(2)).isEqualTo(new Small(0));
            assertThat(table.codec()).isSameAs(SMALL);
            table.close();
        }
    }

    @Test
    void aRowOutOfTheTableIsRefusedWithTheRange() {
        RecordTable<Small> table = RecordTable.onHeap(SMALL, 100);
        for (long row : new long[] {-1, 100, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertThatThrownBy(() -> table.get(row))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessage("row must be from 0 to 99, but was " + row);
            assertThatThrownBy(() -> table.set(row, new Small(1))).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> table.at(row, SMALL.flyweight())).isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThatThrownBy(() -> RecordTable.onHeap(SMALL, 0).get(0))
                .hasMessage("row must be of a table that has rows, but was 0");
    }

    @Test
    void badInputIsRefusedByItsName() {
        RecordTable<Small> table = RecordTable.onHeap(SMALL, 1);
        assertThatThrownBy(() -> RecordTable.offHeap(null, 1)).hasMessage("codec must not be null");
        assertThatThrownBy(() -> RecordTable.offHeap(SMALL, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("rows must be from 0 to 274877906944, but was -1");
        assertThatThrownBy(() -> RecordTable.offHeap(SMALL, RecordTable.MAX_BYTES / 4 + 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> table.set(0, null)).hasMessage("record must not be null");
        assertThatThrownBy(() -> table.at(0, null)).hasMessage("flyweight must not be null");
        assertThatThrownBy(() -> table.at(0, ROWS.flyweight()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("flyweight must be for Small, but was for Row");
        assertThatThrownBy(() -> table.sort(null)).hasMessage("field must not be null");
        assertThatThrownBy(() -> table.sort(ROWS.field("i")))
                .hasMessage("field must be a number, an enum or a string of Small, but was int i of Row");
        assertThatThrownBy(() -> RecordTable.onHeap(ROWS, 1).sort(ROWS.field("values")))
                .hasMessage("field must be a number, an enum or a string of Row, but was int[] values of Row");
        assertThatThrownBy(() -> table.save(null)).hasMessage("file must not be null");
        assertThatThrownBy(() -> RecordTable.loadOnHeap(SMALL, null)).hasMessage("file must not be null");
        assertThatThrownBy(() -> RecordTable.loadOffHeap(null, folder)).hasMessage("codec must not be null");
    }

    @Test
    void aClosedTableIsAnExceptionAndSoIsAFlyweightOnIt() {
        for (RecordTable<Small> table : List.of(RecordTable.onHeap(SMALL, 3), RecordTable.offHeap(SMALL, 3))) {
            RecordFlyweight flyweight = table.at(1, SMALL.flyweight());
            RecordField number = SMALL.field("number");
            flyweight.setInt(number, 4);
            table.close();
            table.close();
            String closed = "table must be open, but was closed";
            assertThatThrownBy(() -> table.get(0))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(closed);
            assertThatThrownBy(() -> table.set(0, new Small(1))).hasMessage(closed);
            assertThatThrownBy(() -> table.at(0, flyweight)).hasMessage(closed);
            assertThatThrownBy(() -> table.sort(number)).hasMessage(closed);
            assertThatThrownBy(() -> table.save(folder.resolve("x"))).hasMessage(closed);
            assertThatThrownBy(() -> flyweight.getInt(number)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> flyweight.setInt(number, 1)).isInstanceOf(IllegalStateException.class);
            assertThat(table.rows()).isEqualTo(3);
            assertThat(table.codec()).isSameAs(SMALL);
        }
    }

    @Test
    void aFlyweightOnMemoryThatASortHasLeftIsAnException() {
        RecordTable<Small> table = RecordTable.onHeap(SMALL, 2);
        table.set(0, new Small(2));
        table.set(1, new Small(1));
        RecordFlyweight flyweight = table.at(0, SMALL.flyweight());
        table.sort(SMALL.field("number"));
        assertThat(table.get(0)).isEqualTo(new Small(1));
        assertThatThrownBy(() -> flyweight.getInt(SMALL.field("number"))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void rowsThatAreInOrderAlreadyAreNotCopied() {
        List<SafeBuffer> pages = new ArrayList<>();
        IntFunction<SafeBuffer> counted = capacity -> {
            pages.add(SafeBuffer.allocate(capacity));
            return pages.get(pages.size() - 1);
        };
        RecordTable<Row> table = new RecordTable<>(ROWS, 40, counted, 8 * ROWS.size());
        for (int row = 0; row < 40; row++) {
            byte some = (byte) (row / 10 - 2); // negative ones too, and equal ones
            String text = "a" + (char) ('a' + row / 10);
            table.set(
                    row, new Row(row >= 20, some, some, (char) row, some, some, some, some, Kind.B, text, new int[0]));
        }
        List<Row> before = rows(table);
        int made = pages.size();
        for (String field : ORDERS.keySet()) {
            table.sort(ROWS.field(field));
        }
        assertThat(pages).as("no second table").hasSize(made);
        assertThat(rows(table)).isEqualTo(before);
    }

    @Test
    void aTableForWhichThereIsNoMemoryLeavesNothingBehind() {
        List<SafeBuffer> pages = new ArrayList<>();
        IntFunction<SafeBuffer> three = capacity -> {
            if (pages.size() == 3) {
                throw new OutOfMemoryError("planned");
            }
            pages.add(SafeBuffer.allocate(capacity));
            return pages.get(pages.size() - 1);
        };
        assertThatThrownBy(() -> new RecordTable<>(SMALL, 4, three, 4)).isInstanceOf(OutOfMemoryError.class);
        assertThat(pages)
                .hasSize(3)
                .allSatisfy(page -> assertThatThrownBy(() -> page.getInt(0)).isInstanceOf(IllegalStateException.class));
    }

    @Test
    void aSortForWhichThereIsNoMemoryChangesNothing() {
        List<SafeBuffer> pages = new ArrayList<>();
        IntFunction<SafeBuffer> two = capacity -> {
            if (pages.size() == 2) {
                throw new OutOfMemoryError("planned");
            }
            pages.add(SafeBuffer.allocate(capacity));
            return pages.get(pages.size() - 1);
        };
        RecordTable<Small> table = new RecordTable<>(SMALL, 2, two, 4);
        table.set(0, new Small(2));
        table.set(1, new Small(1));
        assertThatThrownBy(() -> table.sort(SMALL.field("number"))).isInstanceOf(OutOfMemoryError.class);
        assertThat(table.get(0)).isEqualTo(new Small(2));
        assertThat(table.get(1)).isEqualTo(new Small(1));
    }

    /** What it throws stands for an error of the JVM; it can come in the midst of any step. */
    @Test
    void aSortThatFailsInTheMidstLeavesNoMemoryBehind() {
        List<SafeBuffer> pages = new ArrayList<>();
        IntFunction<SafeBuffer> memory = capacity -> {
            pages.add(SafeBuffer.allocate(capacity));
            if (pages.size() == 4) {
                pages.get(1).close(); // the table's last page: so the move fails, with both of its own pages there
            }
            return pages.get(pages.size() - 1);
        };
        RecordTable<Small> table = new RecordTable<>(SMALL, 2, memory, 4);
        table.set(0, new Small(2));
        table.set(1, new Small(1));
        assertThatThrownBy(() -> table.sort(SMALL.field("number"))).isInstanceOf(IllegalStateException.class);
        assertThat(table.get(0)).as("the table is open").isEqualTo(new Small(2));
        assertThat(pages.subList(2, 4))
                .hasSize(2)
                .allSatisfy(page -> assertThatThrownBy(() -> page.getInt(0)).isInstanceOf(IllegalStateException.class));
    }

    @ParameterizedTest
    @ValueSource(classes = {OutOfMemoryError.class, StackOverflowError.class})
    void aSortWhoseSecondTableCannotBeMadeLeavesTheRowsAndNoMemoryBehind(Class<? extends VirtualMachineError> error) {
        List<SafeBuffer> pages = new ArrayList<>();
        IntFunction<SafeBuffer> memory = capacity -> {
            if (pages.size() == 3) {
                throw error == OutOfMemoryError.class ? new OutOfMemoryError() : new StackOverflowError();
            }
            pages.add(SafeBuffer.allocate(capacity));
            return pages.get(pages.size() - 1);
        };
        RecordTable<Small> table = new RecordTable<>(SMALL, 2, memory, 4);
        table.set(0, new Small(2));
        table.set(1, new Small(1));
        assertThatThrownBy(() -> table.sort(SMALL.field("number"))).isInstanceOf(error);
        assertThat(List.of(table.get(0), table.get(1))).containsExactly(new Small(2), new Small(1));
        assertThatThrownBy(() -> pages.get(2).getInt(0)).isInstanceOf(IllegalStateException.class);
    }

    /** Pages of a sparse file, since a table of so many rows has more memory than a test may take. */
    @Test
    void rowsBeyondAnIntHaveAPlaceOfTheirOwn() throws IOException {
        RecordCodec<Tiny> codec = RecordCodec.of(MethodHandles.lookup(), Tiny.class);
        try (FileChannel file = FileChannel.open(
                folder.resolve("sparse"),
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            long[] length = {0};
            IntFunction<SafeBuffer> mapped = capacity -> {
                try {
                    SafeBuffer page = SafeBuffer.map(file, FileChannel.MapMode.READ_WRITE, length[0], capacity);
                    length[0] += capacity;
                    return page;
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            };
            long rows = 5L * RecordTable.MOST_OF_A_PAGE + 3;
            try (RecordTable<Tiny> table = new RecordTable<>(codec, rows, mapped, RecordTable.MOST_OF_A_PAGE)) {
                assertThat(length[0]).isEqualTo(rows);
                long[] places = {0, Integer.MAX_VALUE, 1L + Integer.MAX_VALUE, 1L << 32, (1L << 32) + 1, rows - 1};
                for (int i = 0; i < places.length; i++) {
                    table.set(places[i], new Tiny((byte) (i + 1)));
                }
                RecordFlyweight flyweight = codec.flyweight();
                for (int i = 0; i < places.length; i++) {
                    assertThat(table.get(places[i])).isEqualTo(new Tiny((byte) (i + 1)));
                    assertThat(table.at(places[i], flyweight).getByte(codec.field("number")))
                            .isEqualTo((byte) (i + 1));
                }
                for (long untouched : new long[] {1, Integer.MAX_VALUE - 1L, (1L << 32) - 1, rows - 2}) {
                    assertThat(table.get(untouched)).isEqualTo(new Tiny((byte) 0));
                }
                assertThatThrownBy(() -> table.get(rows)).isInstanceOf(IndexOutOfBoundsException.class);
            }
        }
    }

    // ---- files

    @Test
    void aNumberOfRowsThatNoTableHasIsRefusedEvenIfItsSumIsRight() throws IOException {
        Path file = saved(3);
        byte[] whole = Files.readAllBytes(file);
        for (long rows : new long[] {3 + (1L << 62), 3 + (3L << 62)}) { // times 4 bytes it is 12, as far as a long goes
            ByteBuffer bytes = ByteBuffer.wrap(whole.clone()).order(ByteOrder.LITTLE_ENDIAN);
            bytes.putLong(16, rows).putInt(36, 0);
            CRC32C sum = new CRC32C();
            sum.update(bytes.array(), 0, 64);
            bytes.putInt(36, (int) sum.getValue());
            Files.write(file, bytes.array());
            assertThatThrownBy(() -> RecordTable.loadOnHeap(SMALL, file))
                    .isInstanceOf(IOException.class)
                    .hasMessage(file + " must have from 0 to 274877906944 rows, but has " + rows);
        }
    }

    @Test
    void aTableWithoutRowsIsSavedAndLoaded() throws IOException {
        Path file = folder.resolve("empty");
        RecordTable.onHeap(SMALL, 0).save(file);
        assertThat(RecordTable.loadOffHeap(SMALL, file).rows()).isZero();
    }

    @Test
    void aSavedTableReplacesTheOneBeforeAndLeavesNothingElse() throws IOException {
        Path file = saved(3);
        RecordTable<Small> table = RecordTable.onHeap(SMALL, 1);
        table.set(0, new Small(77));
        table.save(file);
        assertThat(RecordTable.loadOnHeap(SMALL, file).get(0)).isEqualTo(new Small(77));
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void savesToOneFileAtOnceLeaveOneOfTheTablesWhole() throws Exception {
        Path file = saved(3);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        CyclicBarrier together = new CyclicBarrier(3);
        List<Thread> savers = new ArrayList<>();
        for (int first : new int[] {1_000, 2_000}) {
            RecordTable<Small> table = RecordTable.onHeap(SMALL, first);
            for (int row = 0; row < first; row++) {
                table.set(row, new Small(first + row));
            }
            Thread saver = new Thread(() -> {
                try {
                    for (int round = 0; round < 30; round++) {
                        together.await(30, TimeUnit.SECONDS);
                        table.save(file);
                        together.await(30, TimeUnit.SECONDS);
                    }
                } catch (Throwable t) {
                    failure.compareAndSet(null, t);
                    together.reset();
                }
            });
            savers.add(saver);
            saver.start();
        }
        try {
            for (int round = 0; round < 30; round++) {
                together.await(30, TimeUnit.SECONDS);
                for (boolean during : new boolean[] {true, false}) {
                    if (!during) {
                        together.await(30, TimeUnit.SECONDS);
                    }
                    RecordTable<Small> found = RecordTable.loadOnHeap(SMALL, file);
                    int first = found.get(0).number();
                    if (round == 0 && during && first == 0) {
                        continue; // what was there at first
                    }
                    assertThat(found.rows()).isEqualTo(first);
                    assertThat(found.get(first - 1)).isEqualTo(new Small(2 * first - 1));
                }
            }
        } catch (BrokenBarrierException e) {
            throw new AssertionError("a save failed", failure.get());
        } finally {
            savers.forEach(Thread::interrupt);
            for (Thread saver : savers) {
                saver.join(30_000);
            }
        }
        assertThat(failure.get()).isNull();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Tag("concurrency")
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void othersReadATableWhileItIsSaved(boolean offHeap) throws Exception {
        int rows = 20_000;
        RecordTable<Small> table = offHeap ? RecordTable.offHeap(SMALL, rows) : RecordTable.onHeap(SMALL, rows);
        for (int row = 0; row < rows; row++) {
            table.set(row, new Small(row));
        }
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicBoolean end = new AtomicBoolean();
        CountDownLatch reads = new CountDownLatch(2);
        CountDownLatch saves = new CountDownLatch(2);
        Thread reader = new Thread(() -> {
            try {
                RecordFlyweight flyweight = SMALL.flyweight();
                RecordField number = SMALL.field("number");
                while (!end.get()) {
                    for (int row = 0; row < rows; row++) {
                        int whole = table.get(row).number();
                        int field = table.at(row, flyweight).getInt(number);
                        if (whole != row || field != row) {
                            throw new AssertionError("row " + row + " was " + whole + " and " + field);
                        }
                    }
                    reads.countDown();
                }
            } catch (Throwable t) {
                failure.compareAndSet(null, t);
            }
        });
        Thread saver = new Thread(() -> {
            try {
                do {
                    table.save(folder.resolve("another")); // it reads as well
                    saves.countDown();
                } while (!end.get());
            } catch (Throwable t) {
                failure.compareAndSet(null, t);
            }
        });
        reader.start();
        saver.start();
        try {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
            for (int round = 0;
                    round < 5 || (reads.getCount() + saves.getCount() > 0 && System.nanoTime() < deadline);
                    round++) {
                Path file = folder.resolve("read");
                table.save(file);
                try (RecordTable<Small> loaded = RecordTable.loadOnHeap(SMALL, file)) { // its sums are right
                    assertThat(loaded.get(rows - 1)).isEqualTo(new Small(rows - 1));
                }
            }
        } finally {
            end.set(true);
            reader.join();
            saver.join();
        }
        assertThat(failure.get()).isNull();
        assertThat(reads.getCount()).as("walks that are missing").isZero();
        assertThat(saves.getCount()).as("saves that are missing").isZero();
        table.close();
    }

    @Test
    void aSaveKeepsThePermissionsOfTheFileThatItReplaces() throws IOException {
        assumeTrue(Files.getFileStore(folder).supportsFileAttributeView("posix"));
        Path file = saved(3);
        for (String permissions : List.of("rw-------", "rw-rw-rw-", "r--r-----", "rwx--x--x")) {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
            RecordTable<Small> table = RecordTable.onHeap(SMALL, 1);
            table.set(0, new Small(77));
            table.save(file);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo(permissions);
        }
        assertThat(RecordTable.loadOnHeap(SMALL, file).get(0)).isEqualTo(new Small(77));
    }

    @Test
    void aSaveToASymbolicLinkReplacesWhatItLeadsTo() throws IOException {
        Path file = saved(3);
        Path apart = Files.createDirectory(folder.resolve("apart"));
        Path first = folder.resolve("first");
        Path second = apart.resolve("second");
        Path nowhere = folder.resolve("nowhere");
        Path circle = folder.resolve("circle");
        try {
            Files.createSymbolicLink(first, apart.resolve("second")); // whole, and relative to its own folder
            Files.createSymbolicLink(second, Path.of("..", "small.table"));
            Files.createSymbolicLink(nowhere, Path.of("new.table"));
            Files.createSymbolicLink(circle, circle);
        } catch (IOException | UnsupportedOperationException e) {
            assumeTrue(false, "no links here: " + e);
        }
        RecordTable<Small> table = RecordTable.onHeap(SMALL, 1);
        table.set(0, new Small(77));
        table.save(first);
        table.save(nowhere);
        assertThat(List.of(first, second, nowhere)).allMatch(Files::isSymbolicLink);
        for (Path path : List.of(file, first, folder.resolve("new.table"))) {
            assertThat(RecordTable.loadOnHeap(SMALL, path).get(0)).isEqualTo(new Small(77));
        }
        assertThatThrownBy(() -> table.save(circle)).isInstanceOf(FileSystemLoopException.class);
        try (Stream<Path> files = Files.walk(folder)) {
            assertThat(files.filter(path -> path.toString().endsWith(".tmp"))).isEmpty();
        }
    }

    @Test
    void aSaveLeavesAFileAloneThatIsCalledAsItsOwnWithTmpBehind() throws IOException {
        Path file = folder.resolve("t");
        Path other = folder.resolve("t.tmp");
        RecordTable<Small> table = RecordTable.onHeap(SMALL, 1);
        table.set(0, new Small(1));
        table.save(other);
        table.set(0, new Small(2));
        table.save(file);
        assertThat(RecordTable.loadOnHeap(SMALL, other).get(0)).isEqualTo(new Small(1));
        assertThat(RecordTable.loadOnHeap(SMALL, file).get(0)).isEqualTo(new Small(2));
    }

    @Test
    void aSaveThatFailsLeavesTheOldFileAndNoOther() throws IOException {
        Path full = Files.createDirectory(folder.resolve("taken"));
        Files.createFile(full.resolve("something"));
        assertThatThrownBy(() -> RecordTable.onHeap(SMALL, 1).save(full)).isInstanceOf(IOException.class);
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(full);
        }
    }

    @Test
    void aFileCutOffAnywhereIsRefused() throws IOException {
        byte[] whole = Files.readAllBytes(saved(3));
        assertThat(whole).hasSize(64 + 12);
        for (int length = 0; length < whole.length; length++) {
            Path torn = folder.resolve("torn");
            Files.write(torn, java.util.Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> RecordTable.loadOnHeap(SMALL, torn))
                    .as("cut off to " + length)
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(torn + " must ");
        }
    }

    @Test
    void aFileWithAnyByteChangedIsRefused() throws IOException {
        byte[] whole = Files.readAllBytes(saved(3));
        for (int i = 0; i < whole.length; i++) {
            byte[] changed = whole.clone();
            changed[i] ^= 0x10;
            Path damaged = folder.resolve("damaged");
            Files.write(damaged, changed);
            assertThatThrownBy(() -> RecordTable.loadOnHeap(SMALL, damaged))
                    .as("byte " + i)
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith(damaged + " must ");
        }
    }

    @Test
    void whatIsWrongWithAFileIsSaid() throws IOException {
        Path file = saved(3);
        byte[] whole = Files.readAllBytes(file);
        RecordCodec<SmallToo> same = RecordCodec.of(MethodHandles.lookup(), SmallToo.class);
        assertThat(RecordTable.loadOnHeap(same, file).get(2)).isEqualTo(new SmallToo(2));
        RecordCodec<Long2> other = RecordCodec.of(MethodHandles.lookup(), Long2.class);
        assertThatThrownBy(() -> RecordTable.loadOnHeap(other, file))
                .hasMessage(file + " must hold records of (number long), but holds (number int)");
        Files.write(file, java.util.Arrays.copyOf(whole, 72));
        assertThatThrownBy(() -> RecordTable.loadOnHeap(SMALL, file))
                .hasMessage(file + " must have 76 bytes for its 3 rows, but has 72");
        Files.write(file, java.util.Arrays.copyOf(whole, 77));
        assertThatThrownBy(() -> RecordTable.loadOnHeap(SMALL, file))
                .hasMessage(file + " must have 76 bytes for its 3 rows, but has 77");
        Files.writeString(file, "id,price\n1,2\n3,4\n5,6\n7,8\n9,10\n11,12\n13,14\n");
        assertThatThrownBy(() -> RecordTable.loadOnHeap(SMALL, file))
                .hasMessage(file + " must be a table of records, but begins with other bytes");
        Files.write(file, new byte[39]);
        assertThatThrownBy(() -> RecordTable.loadOnHeap(SMALL, file))
                .hasMessage(file + " must be a table of records, but has only 39 bytes");
        whole[70]++;
        Files.write(file, whole);
        assertThatThrownBy(() -> RecordTable.loadOnHeap(SMALL, file))
                .hasMessage(file + " must be undamaged, but the sum of its rows is wrong");
        whole[50]++;
        Files.write(file, whole);
        assertThatThrownBy(() -> RecordTable.loadOnHeap(SMALL, file))
                .hasMessage(file + " must have a whole header, but the header's sum is wrong");
        whole[8]++;
        Files.write(file, whole);
        assertThatThrownBy(() -> RecordTable.loadOnHeap(SMALL, file))
                .hasMessage(file + " must have version 1, but has version 2");
        assertThat(ROWS.layout().description())
                .isEqualTo("flag boolean; b byte; s short; c char; i int; l long; f float; d double; kind enum A B C;"
                        + " text String up to 11; values int[] up to 2");
    }

    private Path saved(int rows) throws IOException {
        RecordTable<Small> table = RecordTable.onHeap(SMALL, rows);
        for (int row = 0; row < rows; row++) {
            table.set(row, new Small(row));
        }
        Path file = folder.resolve("small.table");
        table.save(file);
        return file;
    }
}
