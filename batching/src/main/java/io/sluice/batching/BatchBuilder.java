package io.sluice.batching;

import io.sluice.core.check.Check;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Gathers messages into a batch and hands it to a sink. {@link BatchingHandler} and {@link Batcher} share it. One thread uses it.
 *
 * @param <E> the events' type
 */
final class BatchBuilder<E> {
    /*
     *                   a send begins
     *   GATHERING ----------------------> OFFERED
     *       ^                                |
     *       +--------------------------------+
     *             all taken, or discarded
     *
     *   0      header         end                 bufferSize                         capacity
     *   |header|msg|msg|msg|  |  <- the next message may reach beyond bufferSize ->  |
     *
     * A message is encoded behind the last one, before its length is known. The buffer is longer than a batch may be by the
     * longest message, so there is always room. One that does not fit stays where it is while the batch before it is sent, and
     * is then moved to the front.
     *
     * A batch that was offered is closed: its header is written, and a part of it may be on the wire. It goes out as it is, before
     * anything else, or is discarded on demand.
     *
     * A batch whose header could not be made is not closed: it takes further messages while it has room, and is sent at the next
     * attempt. One without room is sent before anything is added.
     *
     * Once the sink has taken a byte, the end of the batch of events is owed until endOfBatch has returned. Nothing else ends
     * it: not a discard, which gives up only messages that were not taken. Of several sinks one that has taken a byte is enough,
     * though the position of the slowest does not show it.
     *
     * What is called within, the encoders, the sink and its idle strategy, may hold the handler or batcher. Its calls are refused: they
     * would meet a batch that is half made or half sent.
     *
     * One thread uses all this. Other threads read the statistics only, which are safe for that.
     */

    private final MessageEncoder<? super E> encoder;
    private final BatchSink sink;
    private final int bufferSize;
    private final int headerLength;
    private final @Nullable HeaderEncoder headerEncoder;
    private final int maxMessageLength;
    private final IdleStrategy sinkIdle;
    private final long sinkTimeoutNanos;
    private final @Nullable BatchStatistics statistics;
    private final @Nullable AdaptiveLimit adaptiveLimit;
    private final NanoClock clock;
    private final ByteBuffer buffer;
    private final Batch batch;

    private int end;
    private int taken; // bytes of the offered batch; a rewind sets it back
    private boolean offered;
    private boolean full;
    private boolean headerFailed; // of this batch
    private boolean endOwed;
    private boolean within; // a call that may reach an encoder or the sink
    private long batches;
    private long discarded;

    BatchBuilder(MessageEncoder<? super E> encoder, BatchSink sink, BatchingConfig config) {
        this.encoder = Check.notNull(encoder, "encoder");
        this.sink = Check.notNull(sink, "sink");
        Check.notNull(config, "config");
        bufferSize = config.bufferSize;
        headerLength = config.headerLength;
        headerEncoder = config.headerEncoder;
        maxMessageLength = Math.min(config.maxMessageLength(), sink.maxMessageLength());
        if (headerLength >= bufferSize) {
            throw new IllegalArgumentException("header must be shorter than the buffer of " + bufferSize
                    + " bytes, but was " + headerLength + " bytes long");
        }
        int longest = Math.max(bufferSize, headerLength + maxMessageLength);
        if (longest > sink.maxBatchLength()) {
            throw new IllegalArgumentException("the longest batch must be at most " + sink.maxBatchLength()
                    + " bytes long for this sink, but was " + longest);
        }
        sinkIdle = config.sinkIdle();
        sinkTimeoutNanos = config.sinkTimeoutNanos;
        statistics = config.statistics;
        adaptiveLimit = config.adaptiveLimit;
        clock = config.clock;
        buffer = ByteBuffer.allocateDirect(bufferSize + maxMessageLength).order(ByteOrder.LITTLE_ENDIAN);
        batch = new Batch(buffer, headerLength, config.maxMessages);
        end = headerLength;
    }

    /**
     * Adds the event's message. If it does not fit into the batch, sends the batch first. If this throws, the event is not in
     * the batch. The caller sends when {@link #isFull()} says so.
     */
    void add(E event, long sequence) throws Exception {
        checkOutside("the handler");
        within = true;
        try {
            if (offered || isFull()) { // full here: its header has failed
                full |= isFull();
                send();
            }
            int offset = end;
            int length = encode(event, offset);
            if (length == 0) {
                return;
            }
            int limit = adaptiveLimit == null ? bufferSize : Math.min(bufferSize, adaptiveLimit.limit());
            if (offset + length > limit && batch.messages() > 0) {
                full = true;
                send();
                buffer.put(headerLength, buffer, offset, length);
                offset = headerLength;
            }
            end = offset + length;
            batch.add(end, sequence);
        } finally {
            within = false; // a store: it needs no stack
        }
    }

    /** Whether the batch can take no further message. It is to be sent then. */
    boolean isFull() {
        return end >= bufferSize || batch.isFull();
    }

    /** Sends what there is, without ending the batch of events. */
    void sendFull() throws Exception {
        checkOutside("the handler");
        within = true;
        try {
            full = true;
            send();
        } finally {
            within = false; // as in add
        }
    }

    /**
     * Sends what there is, and tells the sink that the batch of events has ended. Where there is nothing, the sink may want to be
     * called all the same: while events come that make no message, there is no time-out.
     */
    void flush() throws Exception {
        checkOutside("the handler");
        within = true;
        try {
            if (batch.messages() > 0) {
                full |= isFull();
                send();
            }
            try {
                if (endOwed) {
                    sink.endOfBatch();
                    endOwed = false;
                    return;
                }
                if (sink.idleAfterNanos() > 0) {
                    return;
                }
            } catch (Exception e) {
                throw new SinkException("the sink failed at the end of the batch: " + e, -1, -1, 0, e);
            }
            tellIdle();
        } finally {
            within = false; // as in add
        }
    }

    /** Tells the sink that there is nothing to send. Its exception comes as any other failure of a sink. */
    void tellIdle() throws SinkException {
        try {
            sink.onIdle();
        } catch (Exception e) {
            throw new SinkException("the sink failed when idle: " + e, -1, -1, 0, e);
        }
    }

    /** How many messages wait to be sent. */
    int pendingMessages() {
        return batch.messages();
    }

    /** Whether a batch was to be sent and was not taken in full, or its end failed. */
    boolean needsRetry() {
        return offered || headerFailed || (endOwed && batch.messages() == 0);
    }

    /** Whether the sink has taken something, and was not yet told that the batch of events has ended. */
    boolean owesEnd() {
        return endOwed;
    }

    /** Drops the messages that were not taken; returns how many. The end is still owed for what was taken. */
    int discardPending() {
        checkOutside("discardPending");
        int dropped = batch.messages() - firstUntaken();
        discarded += dropped;
        endOwed |= batch.partsTaken != 0 || taken > 0;
        reset();
        return dropped;
    }

    /** How many messages were dropped. */
    long discardedMessages() {
        return discarded;
    }

    /** How many batches were taken. */
    long takenBatches() {
        return batches;
    }

    /** Refuses a call that an encoder or the sink makes, before it changes anything. */
    void checkOutside(String call) {
        if (within) {
            throw new IllegalStateException(
                    call + " must be called from outside the encoder and the sink, but was called from within");
        }
    }

    private int encode(E event, int offset) throws Exception {
        int length;
        try {
            buffer.limit(offset + maxMessageLength).position(offset).order(ByteOrder.LITTLE_ENDIAN);
            length = encoder.encode(event, buffer, offset);
        } catch (IndexOutOfBoundsException | BufferOverflowException e) {
            throw new IllegalStateException(
                    "the encoder failed with " + maxMessageLength
                            + " bytes of room, those of the longest message; is this one longer? " + e,
                    e);
        } finally {
            buffer.clear();
        }
        if (length < 0) {
            throw new IllegalStateException(
                    "the encoder's length must be from 0 to " + maxMessageLength + ", but was " + length);
        }
        if (length > maxMessageLength) {
            throw new MessageTooLargeException(
                    "message must be from 0 to " + maxMessageLength + " bytes long with a buffer of " + bufferSize
                            + " bytes and a header of " + headerLength + ", but was " + length,
                    length,
                    maxMessageLength);
        }
        return length;
    }

    private void send() throws Exception {
        if (!offered) {
            batch.begin(); // before the header: it may have the batch's number
            if (headerEncoder != null) {
                encodeHeader(headerEncoder);
            }
            buffer.limit(end).position(0);
            offered = true;
        } else {
            buffer.limit(end).position(taken);
        }
        AdaptiveLimit adaptive = adaptiveLimit;
        int from = buffer.position(); // what is before was taken by a send that failed, and is not measured here
        long start = adaptive == null ? 0 : clock.nanoTime();
        offer();
        if (adaptive != null && from < end) {
            adaptive.onService(end - from, clock.nanoTime() - start);
        }
        BatchStatistics counts = statistics;
        if (counts != null) {
            counts.onBatch(batch.messages(), end, full);
        }
        batches++;
        endOwed = true;
        reset();
    }

    private void encodeHeader(HeaderEncoder encoder) throws SinkException {
        headerFailed = true;
        buffer.order(ByteOrder.LITTLE_ENDIAN); // the call before may have set another
        try {
            encoder.encode(batch);
        } catch (Exception e) {
            int count = batch.messages();
            throw new SinkException(
                    "the header of the batch could not be made: " + e + "; " + count + " of " + count
                            + " messages not taken",
                    batch.sequence(0),
                    batch.sequence(count - 1),
                    count,
                    e);
        }
        headerFailed = false;
    }

    private void offer() throws SinkException {
        long idleSince = 0;
        boolean idle = false;
        int furthest = taken;
        long lostSince = 0;
        boolean lost = false; // a rewind has set it back, and nothing came further since
        while (buffer.hasRemaining()) {
            int before = buffer.position();
            buffer.order(ByteOrder.LITTLE_ENDIAN);
            try {
                sink.send(batch);
            } catch (Exception e) {
                throw sinkFailure("the sink failed: " + e, before, e);
            } catch (Error e) {
                noteTaken(before); // it may be offered again, when the processor ends
                throw e;
            }
            boolean rewound = batch.consumeRewound();
            if (buffer.limit() != end || (buffer.position() < before && !rewound)) {
                throw sinkFailure("the sink moved the buffer's limit, or its position back", before, null);
            }
            taken = buffer.position();
            if ((taken > before && !rewound) || !buffer.hasRemaining()) {
                idle = false; // bytes were taken: the time starts again
                if (taken > furthest) {
                    furthest = taken;
                    lost = false;
                }
                if (!lost) {
                    sinkIdle.reset();
                }
                continue;
            }
            // A rewind is no progress, nor are bytes that were taken before it already. Otherwise a sink could for ever
            // make new connections that take nothing, or that each take a part and break.
            before = taken; // a rewind may have moved it back
            boolean again = rewound && lost;
            boolean first = !idle && !again;
            if (first) {
                idle = true;
                idleSince = clock.nanoTime();
                if (sinkTimeoutNanos == 0 && !rewound) {
                    throw sinkFailure("the sink took nothing", before, null);
                }
            } else if (Thread.currentThread().isInterrupted()) {
                throw sinkFailure("interrupted while the sink took nothing", before, null);
            } else if (clock.nanoTime() - (again ? lostSince : idleSince) >= sinkTimeoutNanos) {
                String what = "the sink took nothing for " + sinkTimeoutNanos + " ns";
                throw sinkFailure(again ? what + " that was not lost again" : what, before, null);
            }
            if (rewound && !lost) {
                lost = true;
                lostSince = idleSince;
            }
            if (!rewound || !first) {
                waitForSink(before); // what was rewound is offered again at once, the first time
            }
        }
    }

    private void waitForSink(int before) throws SinkException {
        try {
            sinkIdle.idle();
        } catch (Exception e) { // of no element: the messages are kept, and may be offered again
            throw sinkFailure("the idle strategy failed: " + e, before, e);
        }
    }

    private SinkException sinkFailure(String message, int before, @Nullable Exception cause) {
        noteTaken(before);
        int first = firstUntaken();
        int count = batch.messages();
        return new SinkException(
                message + "; " + (count - first) + " of " + count + " messages not taken",
                first == count ? -1 : batch.sequence(first),
                first == count ? -1 : batch.sequence(count - 1),
                count - first,
                cause);
    }

    /** Notes how much a failing sink has taken or given back. If it moved the limit, its position means nothing. */
    private void noteTaken(int before) {
        int position = batch.consumeRewound() ? buffer.position() : Math.max(before, buffer.position());
        taken = buffer.limit() == end ? position : before;
        buffer.clear();
    }

    private int firstUntaken() {
        return offered ? batch.messagesUpTo(taken) : 0;
    }

    private void reset() {
        batch.clear();
        end = headerLength;
        offered = false;
        full = false;
        headerFailed = false;
        taken = 0;
    }
}
