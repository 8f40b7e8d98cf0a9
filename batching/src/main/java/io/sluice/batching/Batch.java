package io.sluice.batching;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One batch on its way to a sink: a buffer with a header, if one is reserved, and whole messages behind it. It is used again for
 * the next batch. Only the thread that makes the batches may use it, and only during the call that it is given to.
 */
public final class Batch {
    /** One counter for all batches: a sink may serve several makers of batches, and tells batches apart by the number alone. */
    private static final AtomicLong IDS = new AtomicLong();

    private final ByteBuffer buffer;
    private final int headerLength;
    private final int[] ends;
    private final long[] sequences;

    /** Notes such as how far the sinks of a composite are with it. Batches of others may go out before it is offered again. */
    private final IdentityHashMap<BatchSink, int[]> notesBySink = new IdentityHashMap<>(1);

    private int count;
    private long id;
    private boolean rewound;

    /** How often one of several sinks has taken something of it. The position is that of the slowest, and may not show it. */
    int partsTaken;

    Batch(ByteBuffer buffer, int headerLength, int maxMessages) {
        this.buffer = buffer;
        this.headerLength = headerLength;
        ends = new int[maxMessages];
        sequences = new long[maxMessages];
    }

    /**
     * The bytes. During {@link BatchSink#send} the position is the first byte not yet taken, the limit the end of the batch;
     * the batch starts at index 0. The order is little endian at the begin of each call; one that the call sets holds for this call only.
     *
     * @return the buffer; always the same, direct, one
     */
    public ByteBuffer buffer() {
        return buffer;
    }

    /**
     * A number that tells one batch from another, so that a sink can tell a batch that is offered again from the next one.
     *
     * @return 1 or more; no other batch of this process has the same number, and the later of two
     *     batches of one handler has the greater one
     */
    public long id() {
        return id;
    }

    /**
     * How many bytes are reserved before the first message.
     *
     * @return the length, 0 or more
     */
    public int headerLength() {
        return headerLength;
    }

    /**
     * The length of header and messages.
     *
     * @return the length in bytes
     */
    public int length() {
        return count == 0 ? headerLength : ends[count - 1];
    }

    /**
     * How many messages there are.
     *
     * @return the number, 1 or more during {@link BatchSink#send}
     */
    public int messages() {
        return count;
    }

    /**
     * Where a message starts.
     *
     * @param message its number in the batch, from 0
     * @return its index in the buffer
     * @throws IndexOutOfBoundsException if there is no such message
     */
    public int offset(int message) {
        Objects.checkIndex(message, count);
        return message == 0 ? headerLength : ends[message - 1];
    }

    /**
     * How long a message is.
     *
     * @param message its number in the batch, from 0
     * @return its length in bytes, 1 or more
     * @throws IndexOutOfBoundsException if there is no such message
     */
    public int length(int message) {
        return ends[Objects.checkIndex(message, count)] - offset(message);
    }

    /**
     * The sequence of the event that a message was made of.
     *
     * @param message its number in the batch, from 0
     * @return the sequence
     * @throws IndexOutOfBoundsException if there is no such message
     */
    public long sequence(int message) {
        return sequences[Objects.checkIndex(message, count)];
    }

    /** How many messages, from the first on, end at or before a position. */
    int messagesUpTo(int position) {
        int message = 0;
        while (message < count && ends[message] <= position) {
            message++;
        }
        return message;
    }

    void add(int end, long sequence) {
        ends[count] = end;
        sequences[count] = sequence;
        count++;
    }

    boolean isFull() {
        return count == ends.length;
    }

    void begin() {
        id = IDS.incrementAndGet(); // volatile: the number alone is shared
        rewound = false;
        notesBySink.forEach((sink, notes) -> Arrays.fill(notes, -1));
    }

    /** The numbers that a sink has noted about this batch; -1 until the batch was offered to it. Allocates once. */
    int[] notesOf(BatchSink sink, int size) {
        int[] notes = notesBySink.get(sink);
        if (notes == null) {
            notes = new int[size];
            Arrays.fill(notes, -1);
            notesBySink.put(sink, notes);
        }
        return notes;
    }

    /** Sets the position back, or leaves it where it is: bytes taken behind it are lost, and have to go out again. */
    void rewindTo(int position) {
        buffer.position(position);
        rewound = true;
    }

    /** Whether {@link #rewindTo} was called since the last call of this. */
    boolean consumeRewound() {
        boolean was = rewound;
        rewound = false;
        return was;
    }

    void clear() {
        count = 0;
        partsTaken = 0;
        buffer.clear();
    }
}
