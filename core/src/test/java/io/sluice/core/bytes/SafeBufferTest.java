package io.sluice.core.bytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.ExpandableDirectByteBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a SafeBuffer is over, its end, and what it refuses. */
@Timeout(60)
class SafeBufferTest {
    private static final boolean ATOMIC_ON_ARRAYS = Runtime.version().feature() < 22;

    @TempDir
    Path folder;

    @Test
    void allocatedMemoryIsZeroAndAligned() {
        for (int capacity : new int[] {0, 1, 8, 100, 4_096, 100_000}) {
            SafeBuffer buffer = SafeBuffer.allocateDirect(capacity);
            assertThat(buffer.capacity()).isEqualTo(capacity);
            assertThat(new byte[capacity]).isEqualTo(bytes(buffer));
            buffer.verifyAlignment();
            assertThat(buffer.byteBuffer().alignmentOffset(0, SafeBuffer.ALLOCATED_ALIGNMENT))
                    .isZero();
            assertThat(buffer.byteBuffer().isDirect()).isTrue();
        }
        assertThat(bytes(SafeBuffer.allocate(10))).isEqualTo(new byte[10]);
        assertThatThrownBy(() -> SafeBuffer.allocateDirect(-1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("capacity must be from 0 to 2147483519, but was -1");
        assertThatThrownBy(() -> SafeBuffer.allocate(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void itIsOverWhatItIsWrappedAround() {
        byte[] array = new byte[32];
        SafeBuffer buffer = new SafeBuffer(array);
        buffer.putLong(8, 1, ByteOrder.LITTLE_ENDIAN);
        assertThat(array[8]).isEqualTo((byte) 1);
        assertThat(buffer.byteArray()).isSameAs(array);
        assertThat(buffer.byteBuffer()).isNull();

        buffer.wrap(array, 4, 8);
        assertThat(buffer.wrapAdjustment()).isEqualTo(4);
        assertThat(buffer.getByte(4)).isEqualTo((byte) 1);

        ByteBuffer direct = ByteBuffer.allocateDirect(32).position(7).limit(9);
        buffer.wrap(direct);
        assertThat(buffer.capacity()).isEqualTo(32);
        assertThat(buffer.byteBuffer()).isSameAs(direct);
        assertThat(buffer.byteArray()).isNull();
        buffer.putByte(31, (byte) 5);
        assertThat(direct.clear().get(31)).isEqualTo((byte) 5);

        ByteBuffer part = ByteBuffer.wrap(array, 2, 20).slice();
        buffer.wrap(part, 3, 10);
        assertThat(buffer.wrapAdjustment()).isEqualTo(5);
        assertThat(buffer.byteArray()).isSameAs(array);
        buffer.putByte(0, (byte) 9);
        assertThat(array[5]).isEqualTo((byte) 9);

        SafeBuffer ofIt = new SafeBuffer(buffer, 0, 4);
        assertThat(ofIt.wrapAdjustment()).isEqualTo(5);
        assertThat(ofIt.getByte(0)).isEqualTo((byte) 9);
    }

    @Test
    void itIsOverBuffersOfAgrona() {
        for (AtomicBuffer theirs : List.of(
                new UnsafeBuffer(new byte[40], 4, 30),
                new UnsafeBuffer(ByteBuffer.allocateDirect(40), 4, 30),
                new UnsafeBuffer(ByteBuffer.wrap(new byte[50], 5, 40).slice(), 4, 30))) {
            SafeBuffer ours = new SafeBuffer(theirs, 2, 8);
            theirs.putByte(3, (byte) 77);
            assertThat(ours.getByte(1)).isEqualTo((byte) 77);
            ours.putByte(7, (byte) 78);
            assertThat(theirs.getByte(9)).isEqualTo((byte) 78);
            assertThat(ours.wrapAdjustment()).isEqualTo(theirs.wrapAdjustment() + 2);
        }
        UnsafeBuffer bare = new UnsafeBuffer(ByteBuffer.allocateDirect(16));
        bare.wrap(bare.addressOffset(), 16);
        assertThatThrownBy(() -> new SafeBuffer().wrap(bare))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessage(
                        "memory must be that of an array or a ByteBuffer, but was a bare address, where nothing can be checked");
        assertThatThrownBy(() -> new SafeBuffer().wrap(4_096L, 16)).isInstanceOf(UnsupportedOperationException.class);
    }

    /** These tests run with the option that Agrona's own buffers need, so addresses are known. */
    @Test
    void buffersOfAgronaTakeIt() {
        for (SafeBuffer ours : List.of(
                SafeBuffer.allocateDirect(32),
                new SafeBuffer(SafeBuffer.allocateDirect(48), 8, 32),
                new SafeBuffer(new byte[32]),
                new SafeBuffer(ByteBuffer.wrap(new byte[50], 5, 40).slice(), 4, 32))) {
            ours.putLong(8, 0x0102_0304_0506_0708L);
            assertThat(new UnsafeBuffer(ours).getLong(8)).isEqualTo(0x0102_0304_0506_0708L);
            assertThat(new UnsafeBuffer(ours, 8, 8).getLong(0)).isEqualTo(0x0102_0304_0506_0708L);
            for (MutableDirectBuffer theirs : List.of(
                    new UnsafeBuffer(new byte[40]), new ExpandableArrayBuffer(4), new ExpandableDirectByteBuffer(4))) {
                theirs.putBytes(3, ours, 8, 8);
                assertThat(theirs.getLong(3)).isEqualTo(0x0102_0304_0506_0708L);
                ours.getBytes(8, theirs, 20, 8);
                assertThat(theirs.getLong(20)).isEqualTo(0x0102_0304_0506_0708L);
                ours.putBytes(16, theirs, 3, 8);
                assertThat(ours.getLong(16)).isEqualTo(0x0102_0304_0506_0708L);
            }
        }
    }

    /** Of length 0 to 40, so that each way of copying is taken, and none of its ends is beside the mark. */
    @Test
    void copiesToAndFromEachKindOfBufferOfAgronaAreWholeAndTouchNothingElse() {
        for (int length = 0; length <= 40; length++) {
            for (MutableDirectBuffer theirs : List.of(
                    new UnsafeBuffer(new byte[60], 4, 50),
                    new UnsafeBuffer(ByteBuffer.allocateDirect(60).limit(7), 4, 50),
                    new UnsafeBuffer(ByteBuffer.wrap(new byte[70], 5, 60).slice(), 4, 50),
                    new UnsafeBuffer(new SafeBuffer(SafeBuffer.allocateDirect(60), 4, 50)),
                    new BareAddress(new UnsafeBuffer(ByteBuffer.allocateDirect(60), 4, 50)),
                    new ExpandableArrayBuffer(4),
                    new ExpandableDirectByteBuffer(4))) {
                for (SafeBuffer ours : List.of(SafeBuffer.allocateDirect(48), SafeBuffer.allocate(48))) {
                    byte[] expected = new byte[48];
                    for (int i = 0; i < length; i++) {
                        expected[3 + i] = (byte) (i + 1);
                    }
                    ours.putBytes(0, expected);
                    theirs.setMemory(0, 50, (byte) -1);
                    ours.getBytes(3, theirs, 7, length);
                    byte[] found = new byte[50];
                    theirs.getBytes(0, found);
                    byte[] around = new byte[50];
                    Arrays.fill(around, (byte) -1);
                    System.arraycopy(expected, 3, around, 7, length);
                    assertThat(found).as(length + " bytes to " + theirs).isEqualTo(around);
                    ours.setMemory(0, 48, (byte) 0);
                    ours.putBytes(3, theirs, 7, length);
                    assertThat(bytes(ours)).as(length + " bytes from " + theirs).isEqualTo(expected);
                    assertThatThrownBy(() -> ours.putBytes(0, theirs, -1, 8))
                            .isInstanceOf(IndexOutOfBoundsException.class);
                    assertThatThrownBy(() -> ours.putBytes(0, theirs, theirs.capacity() - 7, 8))
                            .isInstanceOf(IndexOutOfBoundsException.class);
                    assertThatThrownBy(() -> ours.getBytes(0, theirs, -1, 8))
                            .isInstanceOf(IndexOutOfBoundsException.class);
                    if (!theirs.isExpandable()) {
                        assertThatThrownBy(() -> ours.getBytes(0, theirs, 43, 8))
                                .isInstanceOf(IndexOutOfBoundsException.class);
                    }
                }
            }
        }
    }

    /** Agrona's buffer over an address, as native memory is. Keeps the memory reachable. */
    static final class BareAddress extends UnsafeBuffer {
        final UnsafeBuffer kept;

        BareAddress(UnsafeBuffer memory) {
            super(memory.addressOffset(), memory.capacity());
            kept = memory;
        }
    }

    @Test
    void afterTheEndEachAccessIsRefused() throws Exception {
        SafeBuffer view = new SafeBuffer(SafeBuffer.allocateDirect(64), 0, 32);
        Path file = Files.write(folder.resolve("mapped"), new byte[64]);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (SafeBuffer buffer : List.of(
                    SafeBuffer.allocateDirect(64),
                    SafeBuffer.allocate(64),
                    SafeBuffer.map(channel, FileChannel.MapMode.READ_WRITE, 0, 64),
                    view)) {
                buffer.close();
                buffer.close();
                assertThat(buffer.capacity()).isZero();
                int refused = 0;
                for (Method method : AtomicBuffer.class.getMethods()) {
                    if (reads(method)) {
                        Object[] arguments = Arrays.stream(method.getParameterTypes())
                                .map(SafeBufferTest::harmless)
                                .toArray();
                        try {
                            Object result = method.invoke(buffer, arguments);
                            throw new AssertionError(method + " returned " + result);
                        } catch (InvocationTargetException e) {
                            assertThat(e.getCause())
                                    .as(method.toString())
                                    .isInstanceOf(IllegalStateException.class)
                                    .hasMessage("the buffer must be open, but is closed");
                            refused++;
                        }
                    }
                }
                assertThat(refused).isGreaterThan(95);
            }
        }
        view.wrap(new byte[8]);
        assertThat(view.getLong(0)).as("what owned nothing is used again").isZero();
    }

    private static boolean reads(Method method) {
        return !Modifier.isStatic(method.getModifiers())
                && !method.isBridge()
                && !Set.of("wrap", "byteArray", "byteBuffer", "wrapAdjustment", "isExpandable", "capacity", "compareTo")
                        .contains(method.getName())
                // a longest length of 0 is refused first
                && !(method.getName().equals("putStringUtf8")
                        && method.toString().endsWith(",int)"));
    }

    private static Object harmless(Class<?> type) {
        if (type == int.class) {
            return 0;
        } else if (type == long.class) {
            return 0L;
        } else if (type == double.class) {
            return 0.0;
        } else if (type == float.class) {
            return 0f;
        } else if (type == short.class) {
            return (short) 0;
        } else if (type == char.class) {
            return 'a';
        } else if (type == byte.class) {
            return (byte) 0;
        } else if (type == ByteOrder.class) {
            return ByteOrder.LITTLE_ENDIAN;
        } else if (type == byte[].class) {
            return new byte[1];
        } else if (type == ByteBuffer.class) {
            return ByteBuffer.allocate(1);
        } else if (type == String.class || type == CharSequence.class) {
            return "a";
        } else if (type == Appendable.class) {
            return new StringWriter();
        }
        return new UnsafeBuffer(new byte[1]);
    }

    @Test
    void nothingIsOverAClosedBuffer() {
        SafeBuffer closed = SafeBuffer.allocateDirect(16);
        closed.close();
        assertThatThrownBy(() -> new SafeBuffer(closed, 0, 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the buffer must be open, but is closed");
    }

    @Test
    void whatOwnsItsMemoryIsNotWrapped() {
        try (SafeBuffer buffer = SafeBuffer.allocateDirect(8)) {
            assertThatThrownBy(() -> buffer.wrap(new byte[8]))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage(
                            "a buffer must own no memory to be wrapped around other memory, but this one owns some");
            assertThat(buffer.capacity()).isEqualTo(8);
        }
    }

    /** One thread reads, another closes: the reader gets what was there or an exception, and the JVM lives. */
    @Test
    void aCloseWhileAnotherThreadReadsIsAnException() throws Exception {
        for (int round = 0; round < 50; round++) {
            SafeBuffer buffer = SafeBuffer.allocateDirect(1 << 20);
            SafeBuffer view = new SafeBuffer(buffer, 0, buffer.capacity());
            CountDownLatch reading = new CountDownLatch(1);
            AtomicReference<Throwable> end = new AtomicReference<>();
            Thread reader = new Thread(() -> {
                try {
                    for (int i = 0; !Thread.currentThread().isInterrupted(); i = i + 8 & (1 << 20) - 8) {
                        assertThat(view.getLongVolatile(i) | buffer.getLong(i)).isZero();
                        reading.countDown();
                    }
                } catch (Throwable t) {
                    end.set(t);
                }
            });
            reader.start();
            assertThat(reading.await(30, TimeUnit.SECONDS)).isTrue();
            buffer.close();
            reader.join(TimeUnit.SECONDS.toMillis(2)); // it may have hoisted the buffer's field out of its loop
            reader.interrupt();
            reader.join(TimeUnit.SECONDS.toMillis(30));
            assertThat(reader.isAlive()).isFalse();
            assertThat(end.get()).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void accessOutsideSaysWhereTheEndsAre() {
        SafeBuffer buffer = SafeBuffer.allocateDirect(16);
        assertThatThrownBy(() -> buffer.getLong(9))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessage("index and length must stay within the capacity of 16 bytes, but were 9 and 8");
        assertThatThrownBy(() -> buffer.putLongRelease(-1, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> buffer.compareAndSetInt(Integer.MAX_VALUE, 0, 0))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> buffer.boundsCheck(8, Integer.MAX_VALUE))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> buffer.checkLimit(17))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessage("limit must be at most 16, but was 17");
        assertThatThrownBy(() -> new SafeBuffer(buffer, 9, 8)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> new SafeBuffer().wrap(new byte[8], 9, 8))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void atomicAccessIsAligned() {
        SafeBuffer buffer = SafeBuffer.allocateDirect(32);
        assertThatThrownBy(() -> buffer.getLongVolatile(12))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("atomic access to 8 bytes must be aligned to them, but index 12 is at an address 4 behind");
        assertThatThrownBy(() -> buffer.putIntRelease(2, 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> buffer.compareAndSetLong(1, 0, 1)).isInstanceOf(IllegalStateException.class);
        assertThat(buffer.getIntVolatile(12)).isZero();
        buffer.putLong(3, -1L);
        assertThat(buffer.getLong(3)).as("plain access needs no alignment").isEqualTo(-1L);
        SafeBuffer odd = new SafeBuffer(buffer, 4, 16);
        assertThatThrownBy(odd::verifyAlignment)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("memory must begin at a multiple of 8 for atomic access, but begins 4 bytes after one");
    }

    @Test
    void atomicAccessToAnArrayWorksOrIsRefusedByName() {
        SafeBuffer buffer = SafeBuffer.allocate(32);
        buffer.putByteVolatile(3, (byte) 1);
        assertThat(buffer.getByteVolatile(3)).isEqualTo((byte) 1);
        if (ATOMIC_ON_ARRAYS) {
            buffer.verifyAlignment();
            assertThat(buffer.compareAndSetLong(8, 0, 5)).isTrue();
            assertThat(buffer.getLongVolatile(8)).isEqualTo(5);
        } else {
            assertThatThrownBy(() -> buffer.compareAndSetLong(8, 0, 5))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessage(
                            "atomic access must be to memory off the heap on this JDK, but the buffer is over an array");
            assertThatThrownBy(buffer::verifyAlignment).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> buffer.getLongVolatile(64)).isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void readOnlyMemoryIsNotWritten() throws IOException {
        Path file = Files.write(folder.resolve("read-only"), new byte[16]);
        SafeBuffer mapped;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            mapped = SafeBuffer.map(channel, FileChannel.MapMode.READ_ONLY, 8, 8);
        }
        for (SafeBuffer buffer : List.of(
                mapped,
                new SafeBuffer(ByteBuffer.allocateDirect(8).asReadOnlyBuffer()),
                new SafeBuffer(ByteBuffer.allocate(8).asReadOnlyBuffer()))) {
            assertThat(buffer.getLong(0)).isZero();
            assertThatThrownBy(() -> buffer.putLong(0, 1)).isInstanceOf(ReadOnlyBufferException.class);
            assertThatThrownBy(() -> buffer.putByte(0, (byte) 1)).isInstanceOf(ReadOnlyBufferException.class);
            assertThatThrownBy(() -> buffer.putBytes(0, new byte[1])).isInstanceOf(ReadOnlyBufferException.class);
            for (DirectBuffer other : List.of(
                    SafeBuffer.allocate(8),
                    new UnsafeBuffer(new byte[8]),
                    new UnsafeBuffer(ByteBuffer.allocateDirect(8)),
                    new ExpandableArrayBuffer(8),
                    new ExpandableDirectByteBuffer(8),
                    new BareAddress(new UnsafeBuffer(ByteBuffer.allocateDirect(8))))) {
                assertThatThrownBy(() -> buffer.putBytes(0, other, 0, 8)).isInstanceOf(ReadOnlyBufferException.class);
            }
        }
        mapped.close();
    }

    @Test
    void readOnlyMemoryOfABufferOfAgronaIsNotWritten() {
        byte[] bytes = new byte[40];
        for (UnsafeBuffer theirs : List.of(
                new UnsafeBuffer(ByteBuffer.wrap(bytes, 5, 30).slice().asReadOnlyBuffer(), 4, 16),
                new UnsafeBuffer(ByteBuffer.allocateDirect(40).asReadOnlyBuffer(), 4, 16))) {
            theirs.putByte(3, (byte) 77); // Agrona's own is not checked
            SafeBuffer ours = new SafeBuffer(theirs, 2, 8);
            assertThat(ours.getByte(1)).isEqualTo((byte) 77);
            assertThat(ours.byteBuffer().get(ours.wrapAdjustment() + 1)).isEqualTo((byte) 77);
            assertThat(ours.byteArray()).isNull();
            assertThatThrownBy(() -> ours.putLong(0, 1)).isInstanceOf(ReadOnlyBufferException.class);
            assertThatThrownBy(() -> SafeBuffer.allocate(8).getBytes(0, theirs, 2, 8))
                    .isInstanceOf(ReadOnlyBufferException.class);
            SafeBuffer copy = SafeBuffer.allocate(8);
            copy.putBytes(0, theirs, 2, 8);
            assertThat(copy.getByte(1)).isEqualTo((byte) 77);
        }
        assertThat(bytes).hasSize(40).contains(77);
    }

    @Test
    void aShorterFileGrowsWhateverTheModeIfTheChannelCanWrite() throws IOException {
        for (FileChannel.MapMode mode :
                List.of(FileChannel.MapMode.READ_ONLY, FileChannel.MapMode.PRIVATE, FileChannel.MapMode.READ_WRITE)) {
            Path file = Files.write(folder.resolve("short-" + mode), new byte[8]);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                assertThatThrownBy(() -> SafeBuffer.map(channel, FileChannel.MapMode.READ_ONLY, 8, 8))
                        .isInstanceOf(IOException.class);
            }
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
                    SafeBuffer mapped = SafeBuffer.map(channel, mode, 8, 8)) {
                assertThat(mapped.getLong(0)).isZero();
                assertThat(channel.size()).as("in mode " + mode).isEqualTo(16);
            }
        }
    }

    @Test
    void aMappedFileHoldsWhatWasWritten() throws IOException {
        Path file = folder.resolve("written");
        try (FileChannel channel = FileChannel.open(
                        file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
                SafeBuffer mapped = SafeBuffer.map(channel, FileChannel.MapMode.READ_WRITE, 16, 16)) {
            mapped.verifyAlignment();
            mapped.putLongVolatile(8, Long.MAX_VALUE);
            assertThatThrownBy(() -> SafeBuffer.map(channel, FileChannel.MapMode.READ_WRITE, -1, 16))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> SafeBuffer.map(channel, FileChannel.MapMode.READ_WRITE, 0, -1))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(ByteBuffer.wrap(Files.readAllBytes(file))
                        .order(ByteOrder.nativeOrder())
                        .getLong(24))
                .isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void negativeNaturalNumbersAndLongOnesAreRefusedBeforeAnythingIsWritten() {
        SafeBuffer buffer = SafeBuffer.allocate(16);
        assertThatThrownBy(() -> buffer.putNaturalIntAscii(0, -1))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("value must be 0 or more, but was -1");
        assertThatThrownBy(() -> buffer.putNaturalLongAscii(0, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> buffer.putNaturalIntAsciiFromEnd(-1, 8)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> buffer.putNaturalPaddedIntAscii(0, 2, 100))
                .isInstanceOf(NumberFormatException.class)
                .hasMessage("value must have at most 2 digits, but was 100");
        assertThat(bytes(buffer)).isEqualTo(new byte[16]);
        buffer.putStringWithoutLengthAscii(0, "12x");
        assertThatThrownBy(() -> buffer.parseLongAscii(0, 3))
                .isInstanceOf(NumberFormatException.class)
                .hasMessage("the text must be a long of at most 19 digits, but was 12x");
        assertThatThrownBy(() -> buffer.parseIntAscii(0, 0))
                .isInstanceOf(NumberFormatException.class)
                .hasMessage("a number must have a digit, but length was 0 at index 0");
    }

    @Test
    void theEdgesOfIntsAndLongsAreParsed() {
        SafeBuffer buffer = SafeBuffer.allocate(24);
        for (long value :
                new long[] {0, 9, 10, -1, Integer.MAX_VALUE, Integer.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE}) {
            int length = buffer.putLongAscii(0, value);
            assertThat(buffer.getStringWithoutLengthAscii(0, length)).isEqualTo(Long.toString(value));
            assertThat(buffer.parseLongAscii(0, length)).isEqualTo(value);
            if (value == (int) value) {
                assertThat(buffer.putIntAscii(0, (int) value)).isEqualTo(length);
                assertThat(buffer.parseIntAscii(0, length)).isEqualTo((int) value);
            }
        }
        for (String beyond : List.of("2147483648", "-2147483649", "00000000001", "-", "+1", "1 ", "99999999999")) {
            buffer.putStringWithoutLengthAscii(0, beyond);
            assertThatThrownBy(() -> buffer.parseIntAscii(0, beyond.length()))
                    .as(beyond)
                    .isInstanceOf(NumberFormatException.class);
        }
        for (String beyond : List.of("9223372036854775808", "-9223372036854775809", "9999999999999999999")) {
            buffer.putStringWithoutLengthAscii(0, beyond);
            assertThatThrownBy(() -> buffer.parseLongAscii(0, beyond.length()))
                    .as(beyond)
                    .isInstanceOf(NumberFormatException.class);
        }
    }

    @Test
    void longMemoryIsFilledWhole() {
        for (int length : new int[] {0, 1, 7, 8, 4_095, 4_096, 4_097, 12_288, 20_001}) {
            SafeBuffer buffer = SafeBuffer.allocateDirect(length + 6);
            buffer.setMemory(3, length, (byte) -2);
            byte[] expected = new byte[length + 6];
            Arrays.fill(expected, 3, 3 + length, (byte) -2);
            assertThat(bytes(buffer)).isEqualTo(expected);
        }
    }

    @Test
    void buffersOfEqualBytesAreEqual() {
        SafeBuffer one = SafeBuffer.allocateDirect(20);
        SafeBuffer other = SafeBuffer.allocate(20);
        assertThat(one).isEqualTo(other).hasSameHashCodeAs(other).isEqualByComparingTo(other);
        other.putByte(19, (byte) 1);
        assertThat(one).isNotEqualTo(other).isLessThan(other);
        assertThat(one.equals(new Object())).isFalse();
        assertThat(one).hasToString("SafeBuffer of 20 bytes");
    }

    @Test
    void aClosedBufferComparesAsOneOfNoBytes() {
        SafeBuffer closed = SafeBuffer.allocateDirect(20);
        closed.close();
        SafeBuffer none = SafeBuffer.allocate(0);
        assertThat(closed).isEqualTo(none).hasSameHashCodeAs(none).isEqualByComparingTo(none);
        assertThat(closed).isNotEqualTo(SafeBuffer.allocate(1)).isLessThan(SafeBuffer.allocate(1));
    }

    @Test
    void anAppendableThatFailsIsReported() {
        SafeBuffer buffer = SafeBuffer.allocate(8);
        buffer.putStringAscii(0, "abcd");
        Appendable full = new Appendable() {
            @Override
            public Appendable append(CharSequence text) throws IOException {
                throw new IOException("full");
            }

            @Override
            public Appendable append(CharSequence text, int start, int end) throws IOException {
                throw new IOException("full");
            }

            @Override
            public Appendable append(char c) throws IOException {
                throw new IOException("full");
            }
        };
        assertThatThrownBy(() -> buffer.getStringAscii(0, full)).isInstanceOf(UncheckedIOException.class);
    }

    /** No addition, exchange or compare-and-set of two threads is lost. */
    @Test
    void twoThreadsLoseNoUpdate() throws Exception {
        SafeBuffer buffer = SafeBuffer.allocateDirect(80);
        int each = 100_000;
        AtomicLong put = new AtomicLong();
        AtomicLong taken = new AtomicLong();
        Phaser together = new Phaser(2); // on a busy machine one would be done before the other begins
        List<Thread> threads = new ArrayList<>();
        for (int t = 0; t < 2; t++) {
            int first = t * each + 1;
            Thread thread = new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    if (i % 5_000 == 0) {
                        together.arriveAndAwaitAdvance();
                    }
                    put.addAndGet(2L * (first + i));
                    taken.addAndGet(buffer.getAndSetLong(64, first + i)
                            + (long) buffer.getAndSetInt(72, first + i)); // each value once
                    buffer.getAndAddLong(0, 1);
                    buffer.getAndAddInt(8, 1);
                    buffer.addLongRelease(16, 1);
                    buffer.addIntRelease(24, 1);
                    long seen;
                    do {
                        seen = buffer.getLongVolatile(32);
                    } while (!buffer.compareAndSetLong(32, seen, seen + 1));
                    int found;
                    do {
                        found = buffer.getIntVolatile(40);
                    } while (buffer.compareAndExchangeInt(40, found, found + 1) != found);
                    buffer.addLongOrdered(48, 1);
                    buffer.addIntOrdered(56, 1);
                }
            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join(30_000);
        }
        for (int i = 0; i < 64; i += 8) {
            assertThat(buffer.getLong(i)).as("at " + i).isEqualTo(2L * each);
        }
        assertThat(taken.get() + buffer.getLong(64) + buffer.getInt(72))
                .as("what was put in was taken out once, or is there")
                .isEqualTo(put.get());
    }

    /** Run in a JVM without options. */
    static final class WithoutOptions {
        private WithoutOptions() {}

        public static void main(String[] arguments) {
            SafeBuffer buffer = SafeBuffer.allocateDirect(64);
            buffer.putLongVolatile(0, 1);
            buffer.setMemory(8, 8, (byte) 1);
            buffer.putStringAscii(16, "plain");
            buffer.putIntAscii(32, 42);
            buffer.verifyAlignment();
            DirectBuffer copy = SafeBuffer.allocate(64);
            buffer.getBytes(0, (SafeBuffer) copy, 0, 64);
            System.out.println(copy.getStringAscii(16) + " " + copy.parseIntAscii(32, 2) + " "
                    + buffer.getLongVolatile(0) + " " + buffer.equals(copy) + " " + buffer.compareTo(copy));
            try {
                buffer.addressOffset();
            } catch (UnsupportedOperationException e) {
                System.out.println(e.getMessage());
            }
            buffer.close();
            try {
                buffer.getLong(0);
            } catch (IllegalStateException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    /** On JDK 24 and newer a touch of {@code sun.misc.Unsafe} would print a warning. */
    @Test
    @Tag("once")
    void itNeedsNoOptionAndPrintsNoWarning() throws Exception {
        Path out = folder.resolve("out");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        WithoutOptions.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        try {
            assertThat(process.waitFor(50, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readString(out).lines())
                .containsExactly(
                        "plain 42 1 true 0",
                        "addressOffset() must be called on a JVM with --add-exports java.base/jdk.internal.misc=ALL-UNNAMED,"
                                + " but this JVM runs without it; use getBytes",
                        "the buffer must be open, but is closed");
    }

    private static byte[] bytes(DirectBuffer buffer) {
        byte[] bytes = new byte[buffer.capacity()];
        buffer.getBytes(0, bytes);
        return bytes;
    }
}
