package io.sluice.backpressure.nak;

import io.sluice.core.check.Check;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.Objects;

/**
 * The message of an overloaded receiver: how full it is, and what the sender needs to find a better rate. It is a mutable flyweight:
 * each sender and each receiver reuses one object. Called by: one thread. Nothing here allocates or blocks, except {@link #toString}.
 *
 * <p>Three other messages have the same bytes: the {@linkplain #isEcho echo} of a sender, and the {@linkplain #isSign sign of life} and the
 * {@linkplain #isFarewell farewell} of a receiver.
 *
 * <p>On the wire it is {@value #LENGTH} bytes, little-endian: magic (4), version (2), length (2), stream (8), session (8),
 * receiver (8), capacity (8), fill (8), consumed position (8), newest sender position (8), time (8), level (2), kind (2),
 * senders (4). Magic, version and length are at the same place in every version. Version 1 had no session and no echo; it is
 * not understood any more, so both sides change over together.
 */
public final class Nak {
    /** Bytes of an encoded NAK: {@value}. */
    public static final int LENGTH = 80;

    /** The version written, and the only one understood: {@value}. */
    public static final int VERSION = 2;

    /** Bytes that tell what a packet is: magic, version and length. */
    private static final int FRAME = 8;

    private static final int NAK = 0;
    private static final int ECHO = 1;
    private static final int ALIVE = 2;
    private static final int FAREWELL = 3;

    private static final int MAGIC = 0x4B414E53; // "SNAK" in little-endian
    private static final VarHandle LONG = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INT = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private long stream;
    private long session;
    private long receiver;
    private long capacity = 1;
    private long fill;
    private long consumed;
    private long newest;
    private long time;
    private int level;
    private int senders = 1;
    private int kind = NAK;

    /** The result of decoding a packet. */
    public enum DecodeResult {
        /** Understood; the values are set. */
        ACCEPTED,
        /** Shorter than a NAK. */
        TRUNCATED,
        /** Longer than a NAK. */
        OVERSIZED,
        /** Not a NAK of this library. */
        FOREIGN,
        /** A NAK of another version. */
        WRONG_VERSION,
        /** A NAK for another stream. */
        OTHER_STREAM,
        /**
         * A NAK whose values cannot be: capacity below 1, fill outside 0 to capacity, level outside 1 to 100, no sender, a kind
         * that is unknown, a sign of life with a level.
         */
        MALFORMED
    }

    /** Creates an empty NAK: stream, session, receiver and fill 0, capacity and senders 1, no echo. */
    public Nak() {}

    /**
     * Sets every value; the session to 0, see {@link #session(long)}, and it is no echo.
     *
     * @param stream which stream the sender publishes, the same on both sides
     * @param receiver who is overloaded
     * @param capacity messages its queue can hold, 1 or more
     * @param fill messages its queue holds, 0 to {@code capacity}
     * @param level the level reached, in percent, 1 to 100
     * @param consumed position up to which the receiver has handled messages
     * @param newest the sender's newest position that reached the queue
     * @param time the receiver's clock, in nanoseconds
     * @param senders how many senders feed this queue, 1 or more
     * @return this
     * @throws IllegalArgumentException if a value is out of range
     */
    public Nak set(
            long stream,
            long receiver,
            long capacity,
            long fill,
            int level,
            long consumed,
            long newest,
            long time,
            int senders) {
        Check.inRange(capacity, 1, Long.MAX_VALUE, "capacity");
        if (fill < 0 || fill > capacity) {
            throw new IllegalArgumentException("fill must be from 0 to the capacity " + capacity + ", but was " + fill);
        }
        Check.inRange(level, 1, 100, "level");
        Check.inRange(senders, 1, Integer.MAX_VALUE, "senders");
        this.stream = stream;
        this.session = 0;
        this.receiver = receiver;
        this.capacity = capacity;
        this.fill = fill;
        this.level = level;
        this.consumed = consumed;
        this.newest = newest;
        this.time = time;
        this.senders = senders;
        kind = NAK;
        return this;
    }

    /**
     * Sets in which session of the sender the positions count. A sender that starts again takes another session, tells its
     * receivers with the data, and so ignores NAKs about what it sent before.
     *
     * @param session any number, the same as the sender's; 0 where senders have none
     * @return this
     */
    public Nak session(long session) {
        this.session = session;
        return this;
    }

    /** Marks this NAK as an echo: the sender says with it that it does not act on the NAK. */
    Nak asEcho() {
        kind = ECHO;
        return this;
    }

    /** Makes it a sign of life, or a farewell: it complains of nothing. */
    Nak asSign(boolean farewell) {
        kind = farewell ? FAREWELL : ALIVE;
        level = 0;
        return this;
    }

    /** Sets another receiver, and another time, as those of this NAK. */
    Nak saidBy(long receiver, long time) {
        this.receiver = receiver;
        this.time = time;
        return this;
    }

    /** Takes over every value of another NAK. */
    Nak copy(Nak other) {
        stream = other.stream;
        session = other.session;
        kind = other.kind;
        receiver = other.receiver;
        capacity = other.capacity;
        fill = other.fill;
        level = other.level;
        consumed = other.consumed;
        newest = other.newest;
        time = other.time;
        senders = other.senders;
        return this;
    }

    /**
     * Writes the {@value #LENGTH} bytes at an absolute index; the buffer's position, limit and byte order are not touched.
     *
     * @param buffer where to
     * @param index the first byte
     * @return {@link #LENGTH}
     * @throws IndexOutOfBoundsException if they do not fit before the buffer's limit
     */
    public int encode(ByteBuffer buffer, int index) {
        Objects.checkFromIndexSize(index, LENGTH, buffer.limit());
        INT.set(buffer, index, MAGIC);
        INT.set(buffer, index + 4, VERSION | LENGTH << 16);
        LONG.set(buffer, index + 8, stream);
        LONG.set(buffer, index + 16, session);
        LONG.set(buffer, index + 24, receiver);
        LONG.set(buffer, index + 32, capacity);
        LONG.set(buffer, index + 40, fill);
        LONG.set(buffer, index + 48, consumed);
        LONG.set(buffer, index + 56, newest);
        LONG.set(buffer, index + 64, time);
        INT.set(buffer, index + 72, level | kind << 16);
        INT.set(buffer, index + 76, senders);
        return LENGTH;
    }

    /**
     * Reads a packet. Anything but {@link DecodeResult#ACCEPTED} leaves this NAK as it was; no content of the packet makes it
     * throw.
     *
     * @param buffer where from; its position, limit and byte order are not touched
     * @param index the first byte of the packet
     * @param length the length of the packet
     * @param expectedStream the stream that is listened to
     * @return what became of it
     * @throws IndexOutOfBoundsException if index and length are not within the buffer's limit
     */
    public DecodeResult decode(ByteBuffer buffer, int index, int length, long expectedStream) {
        Objects.checkFromIndexSize(index, length, buffer.limit());
        if (length < FRAME) {
            return DecodeResult.TRUNCATED;
        }
        if ((int) INT.get(buffer, index) != MAGIC) {
            return DecodeResult.FOREIGN;
        }
        int versionAndLength = (int) INT.get(buffer, index + 4);
        if ((versionAndLength & 0xFFFF) != VERSION) {
            return DecodeResult.WRONG_VERSION;
        }
        if (length < LENGTH) {
            return DecodeResult.TRUNCATED;
        }
        if (length > LENGTH) {
            return DecodeResult.OVERSIZED;
        }
        if (versionAndLength >>> 16 != LENGTH) {
            return DecodeResult.MALFORMED;
        }
        if ((long) LONG.get(buffer, index + 8) != expectedStream) {
            return DecodeResult.OTHER_STREAM;
        }
        long newCapacity = (long) LONG.get(buffer, index + 32);
        long newFill = (long) LONG.get(buffer, index + 40);
        int levelAndKind = (int) INT.get(buffer, index + 72);
        int newLevel = (short) levelAndKind;
        int newKind = levelAndKind >>> 16;
        int newSenders = (int) INT.get(buffer, index + 76);
        if (newCapacity < 1
                || newFill < 0
                || newFill > newCapacity
                || newKind > FAREWELL
                || newLevel < (newKind < ALIVE ? 1 : 0)
                || newLevel > (newKind < ALIVE ? 100 : 0)
                || newSenders < 1) {
            return DecodeResult.MALFORMED;
        }
        stream = expectedStream;
        session = (long) LONG.get(buffer, index + 16);
        receiver = (long) LONG.get(buffer, index + 24);
        capacity = newCapacity;
        fill = newFill;
        consumed = (long) LONG.get(buffer, index + 48);
        newest = (long) LONG.get(buffer, index + 56);
        time = (long) LONG.get(buffer, index + 64);
        level = newLevel;
        senders = newSenders;
        kind = newKind;
        return DecodeResult.ACCEPTED;
    }

    /**
     * The stream.
     *
     * @return its id
     */
    public long stream() {
        return stream;
    }

    /**
     * The session of the sender that the positions are of.
     *
     * @return its number; 0 where senders have none
     */
    public long session() {
        return session;
    }

    /**
     * Whether this is the sender's echo of a NAK: the sender does not act on that NAK.
     *
     * @return whether it is an echo
     */
    public boolean isEcho() {
        return kind == ECHO;
    }

    /**
     * Whether this is a receiver's sign of life, which {@link LifeSigns} says: no NAK, whatever the fill.
     *
     * @return whether it is one; a farewell is one too
     */
    public boolean isSign() {
        return kind >= ALIVE;
    }

    /**
     * Whether this is a receiver's farewell: it says nothing from now on, and is not to be missed.
     *
     * @return whether it is one
     */
    public boolean isFarewell() {
        return kind == FAREWELL;
    }

    /**
     * The receiver that speaks.
     *
     * @return its id
     */
    public long receiver() {
        return receiver;
    }

    /**
     * The capacity of the receiver's queue.
     *
     * @return messages, 1 or more
     */
    public long capacity() {
        return capacity;
    }

    /**
     * The fill of the receiver's queue.
     *
     * @return messages, 0 to {@link #capacity()}
     */
    public long fill() {
        return fill;
    }

    /**
     * The level reached.
     *
     * @return percent, 1 to 100; 0 in a sign of life
     */
    public int level() {
        return level;
    }

    /**
     * How far the receiver has handled messages.
     *
     * @return a position of the sender
     */
    public long consumedPosition() {
        return consumed;
    }

    /**
     * The sender's newest position that reached the queue.
     *
     * @return a position of the sender
     */
    public long newestPosition() {
        return newest;
    }

    /**
     * When it was said.
     *
     * @return nanoseconds of the receiver's clock: only differences between NAKs of one receiver mean anything
     */
    public long timeNanos() {
        return time;
    }

    /**
     * How many senders feed the queue.
     *
     * @return 1 or more
     */
    public int senders() {
        return senders;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s[stream %d, session %d, receiver %d, level %d %%, fill %d of %d, consumed %d, newest %d, time %d, senders %d]",
                switch (kind) {
                    case ECHO -> "Echo";
                    case ALIVE -> "Alive";
                    case FAREWELL -> "Farewell";
                    default -> "Nak";
                },
                stream,
                session,
                receiver,
                level,
                fill,
                capacity,
                consumed,
                newest,
                time,
                senders);
    }
}
