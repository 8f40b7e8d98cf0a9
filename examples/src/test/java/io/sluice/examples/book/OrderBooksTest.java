package io.sluice.examples.book;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.sluice.examples.feed.FeedFault;
import io.sluice.examples.feed.FeedReader;
import io.sluice.examples.feed.MarketEvent;
import io.sluice.examples.feed.Memory;
import io.sluice.examples.generator.SessionGenerator;
import io.sluice.examples.itch.ItchReader;
import io.sluice.examples.lobster.LobsterReader;
import io.sluice.examples.oracle.Inputs;
import io.sluice.examples.oracle.ItchBytes;
import io.sluice.examples.oracle.MapBooks;
import io.sluice.testing.RandomPrograms;
import io.sluice.testing.SeededProgram;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class OrderBooksTest {
    private static final String NO_LEVELS = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private static OrderBooks replay(FeedReader reader) throws FeedFault {
        OrderBooks books = new OrderBooks(reader::instrumentName);
        MarketEvent event = new MarketEvent();
        try (reader) {
            while (reader.next()) {
                reader.copyTo(event);
                books.on(event);
            }
        }
        return books;
    }

    private static OrderBooks replay(ItchBytes session) throws FeedFault {
        return replay(new ItchReader("f", Inputs.source(session.toBytes(), 1 << 16)));
    }

    /** The table without its first line. */
    private static String table(OrderBooks books) {
        String table = BookTable.table(books);
        assertThat(table).startsWith("instrument,bestBid,bidSize,bestAsk,askSize\n");
        return table.substring(BookTable.HEADER.length() + 1);
    }

    @Test
    void addsUpLevelsAndShowsTheBest() throws Exception {
        OrderBooks books = replay(new ItchBytes()
                .directory("ZZZ")
                .add("ABC", 1, 'B', 100, 10_000)
                .addAttributed("ABC", 2, 'B', 50, 10_000)
                .add("ABC", 3, 'B', 1, 9_999)
                .add("ABC", 4, 'S', 7, 10_002)
                .add("ABC", 5, 'S', 8, 10_001)
                .directory("AAA"));
        assertThat(table(books)).isEqualTo("AAA,,,,\nABC,10000,150,10001,8\nZZZ,,,,\n");
        assertThat(books.instruments()).isEqualTo(3);
        assertThat(books.liveOrders()).isEqualTo(5);
        assertThat(BookTable.levels(books)).isEqualTo(4);
    }

    @Test
    void executesCancelsAndDeletes() throws Exception {
        ItchBytes session = new ItchBytes()
                .add("ABC", 1, 'B', 100, 10_000)
                .execute(1, 30)
                .executeAt(1, 20, 9_000)
                .cancel(1, 10);
        assertThat(table(replay(session))).isEqualTo("ABC,10000,40,,\n");
        session.delete(1);
        OrderBooks books = replay(session);
        assertThat(table(books)).isEqualTo("ABC,,,,\n");
        assertThat(books.liveOrders()).isZero();
        assertThat(books.unknownOrders()).isZero();
        assertThat(books.clippedEvents()).isZero();
        assertThat(BookTable.digest(books)).isEqualTo(NO_LEVELS);
    }

    @Test
    void replacesOnTheSameSideOfTheSameInstrument() throws Exception {
        OrderBooks books = replay(new ItchBytes()
                .add("ABC", 1, 'S', 100, 10_000)
                .add("ABC", 2, 'S', 30, 10_000)
                .replace(1, 3, 70, 9_900)
                .execute(3, 20));
        assertThat(table(books)).isEqualTo("ABC,,,9900,50\n");
        assertThat(BookTable.levels(books)).isEqualTo(2);
    }

    @Test
    void replacesUnderTheSameReference() throws Exception {
        OrderBooks books =
                replay(new ItchBytes().add("ABC", 1, 'S', 100, 10_000).replace(1, 1, 70, 9_900));
        assertThat(table(books)).isEqualTo("ABC,,,9900,70\n");
        assertThat(books.duplicateOrders()).isZero();
        assertThat(books.liveOrders()).isEqualTo(1);
    }

    @Test
    void clipsWhatGoesBeyondWhatIsLeft() throws Exception {
        OrderBooks books = replay(new ItchBytes()
                .add("ABC", 1, 'B', 100, 10_000)
                .add("ABC", 2, 'B', 5, 10_000)
                .execute(1, 150)
                .add("ABC", 3, 'S', 100, 10_001)
                .cancel(3, 4_000_000_000L));
        assertThat(table(books)).isEqualTo("ABC,10000,5,,\n");
        assertThat(books.clippedEvents()).isEqualTo(2);
        assertThat(books.unknownOrders()).isZero();
    }

    @Test
    void countsEventsForOrdersNeverAddedAndChangesNothing() throws Exception {
        OrderBooks books = replay(new ItchBytes()
                .add("ABC", 1, 'B', 100, 10_000)
                .execute(2, 1)
                .executeAt(3, 1, 1)
                .cancel(4, 1)
                .delete(5)
                .replace(6, 7, 100, 10_000)
                .delete(7));
        assertThat(table(books)).isEqualTo("ABC,10000,100,,\n");
        assertThat(books.unknownOrders()).isEqualTo(6);
        assertThat(books.finishedOrders()).isZero();
    }

    @Test
    void doesNotTakeAFinishedOrderForAnUnknownOne() throws Exception {
        OrderBooks books = replay(new ItchBytes()
                .add("ABC", 1, 'B', 100, 10_000)
                .execute(1, 100)
                .execute(1, 1)
                .delete(1)
                .replace(1, 2, 100, 10_000)
                .add("ABC", 3, 'B', 10, 10_000)
                .replace(3, 4, 10, 10_000)
                .delete(3));
        assertThat(table(books)).isEqualTo("ABC,10000,10,,\n");
        assertThat(books.unknownOrders()).isZero();
        assertThat(books.finishedOrders()).isEqualTo(4);
    }

    @Test
    void anAddUnderALiveReferenceTakesItsPlace() throws Exception {
        OrderBooks books = replay(new ItchBytes()
                .add("ABC", 1, 'B', 100, 10_000)
                .add("XYZ", 1, 'S', 10, 20_000)
                .add("ABC", 2, 'B', 3, 10_000)
                .replace(2, 1, 4, 10_000));
        assertThat(table(books)).isEqualTo("ABC,10000,4,,\nXYZ,,,,\n");
        assertThat(books.duplicateOrders()).isEqualTo(2);
        assertThat(books.liveOrders()).isEqualTo(1);
    }

    @Test
    void ordersOfNoSharesMakeNoLevel() throws Exception {
        OrderBooks books = replay(new ItchBytes()
                .add("ABC", 1, 'B', 0, 10_000)
                .add("ABC", 2, 'B', 10, 10_000)
                .replace(2, 3, 0, 10_000)
                .add("ABC", 4, 'S', 10, 10_000)
                .execute(4, 0)
                .cancel(1, 1));
        assertThat(table(books)).isEqualTo("ABC,,,10000,10\n");
        assertThat(books.unknownOrders()).isZero();
        assertThat(books.finishedOrders()).isEqualTo(1);
    }

    @Test
    void quotesNamesThatWouldBreakTheTable() throws Exception {
        OrderBooks books = replay(new ItchBytes()
                .directory("A,B")
                .directory("A\"B")
                .directory("A\nB")
                .directory(" A"));
        assertThat(table(books)).isEqualTo(" A,,,,\n\"A\nB\",,,,\n\"A\"\"B\",,,,\n\"A,B\",,,,\n");
    }

    @Test
    void digestIsThatOfTheSortedLines() throws Exception {
        OrderBooks books = replay(new ItchBytes()
                .add("B", 1, 'S', 5, 20)
                .add("A", 2, 'B', 5, 9)
                .add("A", 3, 'B', 5, 10)
                .add("A", 4, 'S', 5, 11));
        byte[] lines = "A,B,10,5\nA,B,9,5\nA,S,11,5\nB,S,20,5\n".getBytes(StandardCharsets.US_ASCII);
        byte[] sum = java.security.MessageDigest.getInstance("SHA-256").digest(lines);
        assertThat(BookTable.digest(books)).isEqualTo(java.util.HexFormat.of().formatHex(sum));
    }

    /** A session of everything that can be wrong with orders; few references, prices and instruments, so that they meet. */
    private static ItchBytes randomSession(SeededProgram program) {
        SplittableRandom setting = program.random();
        int references = 1 + setting.nextInt(60);
        int prices = 1 + setting.nextInt(40);
        int maxShares = 1 + setting.nextInt(8);
        long base = setting.nextBoolean() ? 0 : setting.nextLong();
        ItchBytes session = new ItchBytes();
        List<String> stocks = new ArrayList<>(List.of("A", "AB", "ABCDEFGH"));
        for (int step : program.steps()) {
            SplittableRandom random = program.random(step);
            String stock = stocks.get(random.nextInt(stocks.size()));
            long reference = base + random.nextInt(references);
            long other = random.nextInt(10) == 0 ? reference : base + random.nextInt(references);
            long shares = random.nextInt(maxShares + 1);
            long price = 1L + random.nextInt(prices);
            char side = random.nextBoolean() ? 'B' : 'S';
            switch (random.nextInt(12)) {
                case 0, 1, 2 -> session.add(stock, reference, side, shares, price);
                case 3, 4 -> session.addAttributed(stock, reference, side, shares, price);
                case 5 -> session.execute(reference, shares);
                case 6 -> session.executeAt(reference, shares, price);
                case 7 -> session.cancel(reference, shares);
                case 8 -> session.delete(reference);
                case 9, 10 -> session.replace(reference, other, shares, price);
                default -> session.directory(random.nextBoolean() ? stock : "DIR");
            }
        }
        return session;
    }

    private static void assertEqual(OrderBooks books, MapBooks oracle) throws Exception {
        assertThat(BookTable.HEADER + "\n" + table(books)).isEqualTo(oracle.table());
        assertThat(BookTable.digest(books)).isEqualTo(oracle.digest());
        assertThat(books.unknownOrders()).isEqualTo(oracle.unknown());
    }

    @Test
    void equalsTheMapBasedBooksOnRandomSessions() throws Exception {
        RandomPrograms.of(seed -> SeededProgram.of(seed, 1 + (int) Math.floorMod(seed, 400L)), program -> {
                    ItchBytes session = randomSession(program);
                    assertEqual(replay(session), MapBooks.ofItch(session.toBytes()));
                    return program.size();
                })
                .budget("io.sluice.model.steps", 1_500 * 200)
                .run();
    }

    @Test
    void equalsTheMapBasedBooksOnRandomLobsterFiles() throws Exception {
        RandomPrograms.of(seed -> SeededProgram.of(seed, 200), program -> {
                    String text = randomLobsterFile(program);
                    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
                    assertEqual(
                            replay(new LobsterReader("f", "AAPL", Inputs.source(bytes, 1 << 16))),
                            MapBooks.ofLobster("AAPL", text));
                    return program.size();
                })
                .budget("io.sluice.model.steps", 500 * 200)
                .describedBy(OrderBooksTest::randomLobsterFile)
                .run();
    }

    private static String randomLobsterFile(SeededProgram program) {
        StringBuilder text = new StringBuilder();
        for (int step : program.steps()) {
            SplittableRandom random = program.random(step);
            text.append(step)
                    .append(".25,")
                    .append(1 + random.nextInt(7))
                    .append(',')
                    .append(random.nextInt(40))
                    .append(',')
                    .append(random.nextInt(5))
                    .append(',')
                    .append(100 + random.nextInt(20))
                    .append(random.nextBoolean() ? ",1\n" : ",-1\n");
        }
        return text.toString();
    }

    @Test
    void findsLevelsHoweverDeep() {
        for (boolean buy : new boolean[] {true, false}) {
            long seed = 5;
            SplittableRandom random = new SplittableRandom(seed);
            BookSide side = new BookSide(buy);
            java.util.TreeMap<Long, Long> expected = new java.util.TreeMap<>();
            for (int i = 0; i < 20_000; i++) {
                long price = random.nextInt(300);
                if (random.nextBoolean() || !expected.containsKey(price)) {
                    side.add(price, 2);
                    expected.merge(price, 2L, Long::sum);
                } else {
                    side.remove(price, 1);
                    expected.computeIfPresent(price, (key, shares) -> shares == 1 ? null : shares - 1);
                }
                assertThat(side.levels()).isEqualTo(expected.size());
                if (i % 100 == 0) {
                    int fromBest = 0;
                    for (long level : (buy ? expected.descendingMap() : expected).keySet()) {
                        assertThat(side.price(fromBest))
                                .as("seed %d, step %d", seed, i)
                                .isEqualTo(level);
                        assertThat(side.size(fromBest)).isEqualTo(expected.get(level));
                        fromBest++;
                    }
                }
            }
        }
    }

    @Test
    void remembersEveryReference() {
        References references = new References();
        SplittableRandom random = new SplittableRandom(3);
        java.util.Set<Long> expected = new java.util.HashSet<>();
        for (int i = 0; i < 5_000; i++) {
            long reference = i % 3 == 0 ? random.nextLong() : random.nextLong(-3_000, 3_000);
            references.add(reference);
            expected.add(reference);
        }
        for (long reference : expected) {
            assertThat(references.contains(reference)).isTrue();
            for (long near : new long[] {
                reference + 1, reference - 1, reference ^ 64, reference ^ 1024, reference ^ Long.MIN_VALUE
            }) {
                assertThat(references.contains(near)).as("%d", near).isEqualTo(expected.contains(near));
            }
        }
    }

    /** New instruments, pages of references and a first rise of live orders allocate; a message as such does not. */
    @Test
    void readsAndAppliesMessagesWithoutAllocation() throws Exception {
        Memory memory = new Memory();
        new SessionGenerator(300_000, 11).writeTo(memory);
        ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        MarketEvent event = new MarketEvent();
        try (ItchReader reader = new ItchReader("f", memory.source())) {
            OrderBooks books = new OrderBooks(reader::instrumentName);
            long before = 0;
            for (int message = 0; reader.next(); message++) {
                if (message == 200_000) {
                    before = thread.getCurrentThreadAllocatedBytes();
                }
                reader.copyTo(event);
                books.on(event);
            }
            long allocated = thread.getCurrentThreadAllocatedBytes() - before;
            assertThat(allocated / 100_000.0).as("bytes a message").isLessThan(2);
        }
    }
}
