package io.sluice.core.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.core.bytes.SafeBuffer;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a user of the codec and of the flyweight sees, above all at bad input. */
@SuppressWarnings({"ArrayRecordComponent", "EnumOrdinal"}) // arrays and ordinals are what is tested
class RecordCodecTest {
    enum Side {
        BUY,
        SELL
    }

    enum None {}

    record Trade(
            long id,
            int instrument,
            double price,
            @MaxLength(4) String venue,
            Side side) {}

    record Book(int depth, @MaxLength(2) long[] quantities) {}

    record Dated(long id, Instant when) {}

    record NoLength(String name) {}

    record TooManyLengths(@MaxLength(3) int count) {}

    record LengthOfZero(@MaxLength(0) String name) {}

    record Empty() {}

    record Flag(byte set) {}

    record Unset(None none) {}

    record Named(@MaxLength(20) String name, int age) {}

    record Strict(int positive) {
        Strict {
            if (positive < 1) {
                throw new ArithmeticException("not positive");
            }
        }
    }

    private static final RecordCodec<Trade> TRADES = RecordCodec.of(MethodHandles.lookup(), Trade.class);
    private static final RecordCodec<Book> BOOKS = RecordCodec.of(MethodHandles.lookup(), Book.class);
    private static final Trade TRADE = new Trade(-7, 12, 1.25, "XLON", Side.SELL);

    private final SafeBuffer buffer = SafeBuffer.allocateDirect(64);

    @Test
    void aRecordIsPackedInTheOrderOfItsComponentsAndLittleEndian() {
        TRADES.encode(TRADE, buffer, 3);
        ByteBuffer expected = ByteBuffer.allocate(25).order(ByteOrder.LITTLE_ENDIAN);
        expected.putLong(-7).putInt(12).putDouble(1.25).put(new byte[] {'X', 'L', 'O', 'N', 1});
        byte[] bytes = new byte[25];
        buffer.getBytes(3, bytes);
        assertThat(TRADES.size()).isEqualTo(25);
        assertThat(bytes).isEqualTo(expected.array());
        assertThat(TRADES.decode(buffer, 3)).isEqualTo(TRADE);
        assertThat(TRADES.type()).isEqualTo(Trade.class);
        assertThat(TRADES.fields())
                .extracting(RecordField::name)
                .containsExactly("id", "instrument", "price", "venue", "side");
        assertThat(TRADES.field("venue")).isEqualTo(new RecordField(Trade.class, "venue", String.class, 20, 4, 4));
    }

    @Test
    void aShorterStringLeavesNothingOfTheOneBeforeIt() {
        TRADES.encode(TRADE, buffer, 0);
        TRADES.encode(new Trade(1, 2, 3, "X", Side.BUY), buffer, 0);
        assertThat(TRADES.decode(buffer, 0).venue()).isEqualTo("X");
        assertThat(buffer.getInt(20, ByteOrder.LITTLE_ENDIAN)).isEqualTo('X');
    }

    @Test
    void nullsAreNamed() {
        assertThatThrownBy(() -> RecordCodec.of(null)).hasMessage("type must not be null");
        assertThatThrownBy(() -> RecordCodec.of(null, Trade.class)).hasMessage("lookup must not be null");
        assertThatThrownBy(() -> TRADES.encode(null, buffer, 0)).hasMessage("record must not be null");
        assertThatThrownBy(() -> TRADES.encode(TRADE, null, 0)).hasMessage("buffer must not be null");
        assertThatThrownBy(() -> TRADES.decode(null, 0)).hasMessage("buffer must not be null");
        assertThatThrownBy(() -> TRADES.field(null)).hasMessage("name must not be null");
        assertThatThrownBy(() -> TRADES.encode(new Trade(1, 2, 3, null, Side.BUY), buffer, 0))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("venue must not be null");
        assertThatThrownBy(() -> TRADES.encode(new Trade(1, 2, 3, "", null), buffer, 0))
                .hasMessage("side must not be null");
        assertThatThrownBy(() -> BOOKS.encode(new Book(1, null), buffer, 0)).hasMessage("quantities must not be null");
    }

    @Test
    void aTypeThatCanNotBeARecordOfBytesIsRefusedByTheNameOfItsComponent() {
        MethodHandles.Lookup here = MethodHandles.lookup();
        refused(
                () -> RecordCodec.of(here, Dated.class),
                "component Dated.when must be a primitive, an enum, a String, or an array of byte, int, long or double, but was"
                        + " java.time.Instant");
        refused(
                () -> RecordCodec.of(here, NoLength.class),
                "component NoLength.name must have @MaxLength, since its room is fixed, but has none");
        refused(
                () -> RecordCodec.of(here, TooManyLengths.class),
                "component TooManyLengths.count must have no @MaxLength, but has one");
        refused(
                () -> RecordCodec.of(here, LengthOfZero.class),
                "@MaxLength of LengthOfZero.name must be from 1 to 65536, but was 0");
        refused(() -> RecordCodec.of(here, Empty.class), "components of Empty must be from 1 to 100, but was 0");
        refused(
                () -> RecordCodec.of(Trade.class),
                "type must be public in an exported package, or be given with a lookup that sees it, but '"
                        + Trade.class.getName() + "' can not be seen");
        refused(() -> TRADES.field("prize"), "name must be one of id, instrument, price, venue, side, but was 'prize'");
    }

    @Test
    @SuppressWarnings({"unchecked", "rawtypes"})
    void whatIsNoRecordIsRefused() {
        refused(() -> RecordCodec.of((Class) String.class), "type must be a record, but was 'java.lang.String'");
        refused(() -> RecordCodec.of((Class) Record.class), "type must be a record, but was 'java.lang.Record'");
    }

    @Test
    void stringsAndArraysThatDoNotFitAreRefusedByTheirName() {
        refused(
                () -> TRADES.encode(new Trade(1, 2, 3, "XLONX", Side.BUY), buffer, 0),
                "length of venue must be from 0 to 4, but was 5");
        refused(
                () -> TRADES.encode(new Trade(1, 2, 3, "X\u00e4", Side.BUY), buffer, 0),
                "characters of venue must be ASCII from 1 to 127, but character 1 was 228");
        refused(
                () -> TRADES.encode(new Trade(1, 2, 3, "\0", Side.BUY), buffer, 0),
                "characters of venue must be ASCII from 1 to 127, but character 0 was 0");
        refused(
                () -> TRADES.encode(new Trade(1, 2, 3, "\u0141", Side.BUY), buffer, 0),
                "characters of venue must be ASCII from 1 to 127, but character 0 was 321");
        refused(
                () -> BOOKS.encode(new Book(1, new long[3]), buffer, 0),
                "length of quantities must be from 0 to 2, but was 3");
    }

    @Test
    void aRecordThatDoesNotFitIntoTheBufferChangesNothing() {
        for (int offset : new int[] {-1, 40, 64, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            assertThatThrownBy(() -> TRADES.encode(TRADE, buffer, offset))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> TRADES.decode(buffer, offset)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThatThrownBy(() -> TRADES.flyweight().wrap(buffer, offset))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        assertThat(buffer).isEqualTo(SafeBuffer.allocateDirect(64));
        TRADES.encode(TRADE, buffer, 39);
        assertThat(TRADES.decode(buffer, 39)).isEqualTo(TRADE);
    }

    @Test
    void bytesThatAreNoSuchRecordAreRefused() {
        TRADES.encode(TRADE, buffer, 0);
        buffer.putByte(24, (byte) 2);
        refused(() -> TRADES.decode(buffer, 0), "ordinal of side must be from 0 to 1, but was 2");
        buffer.putByte(24, (byte) -1);
        refused(() -> TRADES.decode(buffer, 0), "ordinal of side must be from 0 to 1, but was 255");
        buffer.putByte(24, (byte) 0);
        buffer.putByte(21, (byte) 0x80);
        refused(() -> TRADES.decode(buffer, 0), "bytes of venue must be ASCII from 1 to 127, but byte 1 was 128");
        BOOKS.encode(new Book(1, new long[] {5, 6}), buffer, 0);
        for (int wrong : new int[] {3, -1, Integer.MIN_VALUE}) {
            buffer.putInt(4, wrong, ByteOrder.LITTLE_ENDIAN);
            refused(() -> BOOKS.decode(buffer, 0), "length of quantities must be from 0 to 2, but was " + wrong);
        }
        RecordCodec<Unset> unset = RecordCodec.of(MethodHandles.lookup(), Unset.class);
        refused(() -> unset.decode(buffer, 0), "ordinal of none must be of an enum that has constants, but was 1");
    }

    @Test
    void whatTheConstructorThrowsComesThrough() {
        RecordCodec<Strict> codec = RecordCodec.of(MethodHandles.lookup(), Strict.class);
        assertThatThrownBy(() -> codec.decode(buffer, 0))
                .isInstanceOf(ArithmeticException.class)
                .hasMessage("not positive");
    }

    /** Zeros are in the view, ones around it; the record is zero too. A small one, so that most time is where it finds its place. */
    @Tag("concurrency")
    @Test
    @Timeout(60)
    void aRecordNeverGetsBesideABufferThatAnotherThreadClosesAndWraps() throws Exception {
        RecordCodec<Flag> codec = RecordCodec.of(MethodHandles.lookup(), Flag.class);
        byte[] array = new byte[8_192];
        Arrays.fill(array, (byte) 1);
        Arrays.fill(array, 4_096, 4_160, (byte) 0);
        byte[] before = array.clone();
        SafeBuffer moved = new SafeBuffer();
        AtomicBoolean end = new AtomicBoolean();
        Thread mover = new Thread(() -> {
            while (!end.get()) {
                moved.close();
                moved.wrap(array, 4_096, 64);
            }
        });
        mover.start();
        Flag zero = new Flag((byte) 0);
        SafeBuffer view = new SafeBuffer();
        int beside = 0;
        try {
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
            for (int i = 0; i % 256 != 0 || System.nanoTime() < deadline; i++) {
                try {
                    codec.encode(zero, moved, 0);
                    beside += codec.decode(moved, 0).set();
                    if (i % 8 == 0) {
                        view.wrap(moved);
                        codec.encode(zero, view, 0);
                    }
                } catch (IllegalStateException | IndexOutOfBoundsException e) {
                    // closed just now
                }
            }
        } finally {
            end.set(true);
            mover.join();
        }
        assertThat(array).isEqualTo(before);
        assertThat(beside).as("records read from beside the buffer").isZero();
    }

    @Tag("concurrency")
    @Test
    void severalThreadsUseOneCodecAtOnce() throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        CountDownLatch together = new CountDownLatch(3);
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 3; t++) {
            long mine = t;
            threads.add(new Thread(() -> {
                try {
                    SafeBuffer own = mine == 0 ? SafeBuffer.allocateDirect(64) : SafeBuffer.allocate(64);
                    together.countDown();
                    together.await();
                    for (int i = 0; i < 5_000; i++) {
                        Trade trade = new Trade(mine, i, mine, "T" + mine, mine == 1 ? Side.BUY : Side.SELL);
                        TRADES.encode(trade, own, i & 31);
                        assertThat(TRADES.decode(own, i & 31)).isEqualTo(trade);
                    }
                } catch (Throwable e) {
                    failure.compareAndSet(null, e);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failure.get()).isNull();
    }

    @Test
    void aFlyweightThatIsRefusedAPlaceStandsWhereItStood() {
        TRADES.encode(TRADE, buffer, 7);
        RecordFlyweight trade = TRADES.flyweight().wrap(buffer, 7);
        SafeBuffer other = SafeBuffer.allocate(64);
        DirectBuffer toRead = other;
        assertThatThrownBy(() -> trade.wrap(other, 40)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> trade.wrap(toRead, 40)).isInstanceOf(IndexOutOfBoundsException.class);
        trade.setInt(TRADES.field("instrument"), 13);
        assertThat(TRADES.decode(buffer, 7)).isEqualTo(new Trade(-7, 13, 1.25, "XLON", Side.SELL));
        assertThat(trade.getLong(TRADES.field("id"))).isEqualTo(-7);

        trade.wrap((DirectBuffer) buffer, 7);
        assertThatThrownBy(() -> trade.wrap(other, -1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThat(trade.getLong(TRADES.field("id"))).isEqualTo(-7);
        assertThatThrownBy(() -> trade.setInt(TRADES.field("instrument"), 1))
                .as("it is for reading still")
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aFlyweightReadsAndWritesFieldsInPlace() {
        TRADES.encode(TRADE, buffer, 5);
        RecordFlyweight trade = TRADES.flyweight().wrap(buffer, 5);
        trade.setLong(TRADES.field("id"), 9);
        trade.setInt(TRADES.field("instrument"), -1);
        trade.setDouble(TRADES.field("price"), 2.5);
        trade.setAscii(TRADES.field("venue"), "XE");
        trade.setEnum(TRADES.field("side"), Side.BUY);
        assertThat(TRADES.decode(buffer, 5)).isEqualTo(new Trade(9, -1, 2.5, "XE", Side.BUY));
        assertThat(trade.getOrdinal(TRADES.field("side"))).isZero();
    }

    @Test
    void aTextIsTheOneOfAFieldOnlyIfItIsAsLong() {
        TRADES.encode(new Trade(1, 2, 3, "XE", Side.BUY), buffer, 0);
        RecordFlyweight trade = TRADES.flyweight().wrap(buffer, 0);
        RecordField venue = TRADES.field("venue");
        assertThat(trade.hasAscii(venue, "XE")).isTrue();
        for (String other : new String[] {"", "X", "XF", "XEX", "XE\0", "XE\0\0", "XE\0\0\0", "\0", "X\u0145"}) {
            assertThat(trade.hasAscii(venue, other)).as(other).isFalse();
        }
        trade.setAscii(venue, "");
        assertThat(trade.hasAscii(venue, "")).isTrue();
        assertThat(trade.hasAscii(venue, "\0")).isFalse();
    }

    @Test
    void aFlyweightRefusesFieldsOfOtherTypesAndRecords() {
        RecordFlyweight trade = TRADES.flyweight().wrap(buffer, 0);
        refused(() -> trade.getInt(TRADES.field("id")), "field must be int of Trade, but was long id of Trade");
        refused(
                () -> trade.setLong(TRADES.field("price"), 1),
                "field must be long of Trade, but was double price of Trade");
        refused(() -> trade.getInt(BOOKS.field("depth")), "field must be int of Trade, but was int depth of Book");
        refused(() -> trade.getOrdinal(TRADES.field("id")), "field must be enum of Trade, but was long id of Trade");
        refused(
                () -> trade.setEnum(TRADES.field("side"), Thread.State.NEW),
                "field must be java.lang.Thread$State of Trade, but was " + Side.class.getName() + " side of Trade");
        refused(
                () -> trade.setAscii(TRADES.field("venue"), "LONDON"),
                "length of venue must be from 0 to 4, but was 6");
        assertThatThrownBy(() -> trade.setEnum(TRADES.field("side"), null)).hasMessage("value must not be null");
        assertThatThrownBy(() -> trade.hasAscii(TRADES.field("venue"), null)).hasMessage("text must not be null");
    }

    @Test
    void aFlyweightForReadingRefusesToWriteAndOneThatStandsNowhereToRead() {
        DirectBuffer readOnly = buffer;
        RecordFlyweight trade = TRADES.flyweight();
        assertThatThrownBy(() -> trade.getLong(TRADES.field("id"))).isInstanceOf(IndexOutOfBoundsException.class);
        trade.wrap(buffer, 0).wrap(readOnly, 1);
        assertThat(trade.getLong(TRADES.field("id"))).isZero();
        assertThatThrownBy(() -> trade.setLong(TRADES.field("id"), 1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "flyweight must be on a buffer that can be written, but was on one for reading only, or on none");
        trade.wrap(buffer, 1).setLong(TRADES.field("id"), 7); // the same buffer, to be written again
        assertThat(trade.getLong(TRADES.field("id"))).isEqualTo(7);
    }

    @Test
    void aFlyweightOnReadOnlyMemoryRefusesToWrite() {
        SafeBuffer readOnly = new SafeBuffer(ByteBuffer.allocateDirect(64).asReadOnlyBuffer());
        RecordFlyweight trade = TRADES.flyweight().wrap(readOnly, 1);
        assertThat(trade.getLong(TRADES.field("id"))).isZero();
        assertThatThrownBy(() -> trade.setLong(TRADES.field("id"), 1)).isInstanceOf(ReadOnlyBufferException.class);
        assertThatThrownBy(() -> trade.setAscii(TRADES.field("venue"), "X"))
                .isInstanceOf(ReadOnlyBufferException.class);
        assertThatThrownBy(() -> trade.setEnum(TRADES.field("side"), Side.SELL))
                .isInstanceOf(ReadOnlyBufferException.class);
    }

    @Test
    void aTextThatAFlyweightRefusesChangesNothing() {
        RecordCodec<Named> codec = RecordCodec.of(MethodHandles.lookup(), Named.class);
        RecordField name = codec.field("name");
        Named before = new Named("01234567890123456789", 7);
        codec.encode(before, buffer, 0);
        RecordFlyweight flyweight = codec.flyweight().wrap(buffer, 0);
        for (int at = 0; at < 20; at++) {
            char[] text = "abcdefghijklmnopqrst".toCharArray();
            text[at] = '\u00e4';
            refused(
                    () -> flyweight.setAscii(name, new String(text)),
                    "characters of name must be ASCII from 1 to 127, but character " + at + " was 228");
            assertThat(codec.decode(buffer, 0)).isEqualTo(before);
        }
        refused(
                () -> flyweight.setAscii(name, "abcdefghijklmnopqrstu"),
                "length of name must be from 0 to 20, but was 21");
        assertThatThrownBy(() -> flyweight.setAscii(name, null)).hasMessage("name must not be null");
        assertThat(codec.decode(buffer, 0)).isEqualTo(before);
        flyweight.setAscii(name, "abcdefghijklmnopqrst");
        assertThat(codec.decode(buffer, 0)).isEqualTo(new Named("abcdefghijklmnopqrst", 7));
    }

    @Test
    void aClosedBufferIsAnException() {
        RecordFlyweight trade = TRADES.flyweight().wrap(buffer, 0);
        buffer.close();
        assertThatThrownBy(() -> TRADES.encode(TRADE, buffer, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> TRADES.decode(buffer, 0)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> trade.getLong(TRADES.field("id"))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aFieldOfAUsersOwnIsChecked() {
        assertThatThrownBy(() -> new RecordField(null, "a", int.class, 0, 4, 1)).hasMessage("owner must not be null");
        refused(() -> new RecordField(Trade.class, "a", int.class, -1, 4, 1), "offset must be 0 or more, but was -1");
        refused(() -> new RecordField(Trade.class, "a", int.class, 0, 0, 1), "size must be 1 or more, but was 0");
        refused(() -> new RecordField(Trade.class, "a", int.class, 0, 4, 0), "maxLength must be 1 or more, but was 0");
        for (RecordField field : TRADES.fields()) {
            assertThat(new RecordField(
                            Trade.class, field.name(), field.type(), field.offset(), field.size(), field.maxLength()))
                    .isEqualTo(field);
        }
    }

    /** With it a flyweight or a sort would reach the next record. */
    @Test
    void aFieldThatTheRecordDoesNotHaveIsRefused() {
        refused(
                () -> new RecordField(Trade.class, "x", long.class, 20, 8, 1),
                "field must be as a codec of Trade has it, but was long x at 20, of 8 bytes, up to 1");
        refused(
                () -> new RecordField(Trade.class, "id", long.class, 20, 8, 1),
                "field must be as a codec of Trade has it, but was long id at 20, of 8 bytes, up to 1");
        refused(
                () -> new RecordField(Trade.class, "instrument", long.class, 8, 8, 1),
                "field must be as a codec of Trade has it, but was long instrument at 8, of 8 bytes, up to 1");
        refused(
                () -> new RecordField(Trade.class, "venue", String.class, 20, 4, 40),
                "field must be as a codec of Trade has it, but was String venue at 20, of 4 bytes, up to 40");
        refused(
                () -> new RecordField(Trade.class, "side", Side.class, 24, 2, 1),
                "field must be as a codec of Trade has it, but was " + Side.class.getName()
                        + " side at 24, of 2 bytes, up to 1");
        refused(
                () -> new RecordField(String.class, "hash", int.class, 0, 4, 1),
                "field must be as a codec of String has it, but was int hash at 0, of 4 bytes, up to 1");
    }

    private static void refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call, String message) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
    }
}
