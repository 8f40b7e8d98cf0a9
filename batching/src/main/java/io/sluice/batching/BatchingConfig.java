package io.sluice.batching;

import io.sluice.core.IdleStrategies;
import io.sluice.core.check.Check;
import java.time.Duration;
import java.util.function.Consumer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * How batches are made. Immutable; each method returns a changed copy. A configuration with an idle strategy, statistics or
 * an adaptive limit of its own serves one handler or batcher, since these have one owner.
 *
 * <p>The defaults: 4096 bytes, at most 1024 messages, no header, messages that do not fit are refused, a sink that takes
 * nothing is waited for up to 1 s with a back-off of at most 100 µs, no statistics, no adaptive limit.
 */
public final class BatchingConfig {
    /** The treatment of a message that is longer than a batch may be. */
    public enum Oversize {
        /**
         * It is refused: with a {@link MessageTooLargeException} where the encoder says its length, and with an {@link
         * IllegalStateException} where the encoder runs out of room before that, as one that writes to a {@link java.nio.ByteBuffer}.
         */
        REFUSE,
        /** It is sent alone, up to {@link BatchingConfig#sendOversizeAlone(int)} bytes. */
        SEND_ALONE
    }

    static final int MAX_BUFFER = 1 << 29;

    int bufferSize = 4096;
    int maxMessages = 1024;
    private int maxMessageLength;
    int headerLength;

    @Nullable
    HeaderEncoder headerEncoder;

    private Oversize oversize = Oversize.REFUSE;
    private @Nullable IdleStrategy sinkIdle;
    long sinkTimeoutNanos = 1_000_000_000L;

    @Nullable
    BatchStatistics statistics;

    @Nullable
    AdaptiveLimit adaptiveLimit;

    NanoClock clock = System::nanoTime;

    private BatchingConfig() {}

    private BatchingConfig(BatchingConfig from) {
        bufferSize = from.bufferSize;
        maxMessages = from.maxMessages;
        maxMessageLength = from.maxMessageLength;
        headerLength = from.headerLength;
        headerEncoder = from.headerEncoder;
        oversize = from.oversize;
        sinkIdle = from.sinkIdle;
        sinkTimeoutNanos = from.sinkTimeoutNanos;
        statistics = from.statistics;
        adaptiveLimit = from.adaptiveLimit;
        clock = from.clock;
    }

    /**
     * The defaults.
     *
     * @return a configuration
     */
    public static BatchingConfig defaults() {
        return new BatchingConfig();
    }

    /**
     * How long a batch may be, header included: the device's unit, such as the payload of a network packet or a page.
     *
     * @param bytes from 1 to 512 MiB
     * @return the changed configuration
     * @throws IllegalArgumentException if the size is out of range
     */
    public BatchingConfig bufferSize(int bytes) {
        Check.inRange(bytes, 1, MAX_BUFFER, "bufferSize");
        return with(copy -> copy.bufferSize = bytes);
    }

    /**
     * How many messages a batch may have.
     *
     * @param messages from 1 to 1,048,576
     * @return the changed configuration
     * @throws IllegalArgumentException if the number is out of range
     */
    public BatchingConfig maxMessages(int messages) {
        Check.inRange(messages, 1, 1 << 20, "maxMessages");
        return with(copy -> copy.maxMessages = messages);
    }

    /**
     * Keeps room before the first message, and has it filled for each batch.
     *
     * @param bytes from 1 to 65,536, and less than the buffer's size, which the handler or batcher checks when it is made
     * @param encoder writes the header
     * @return the changed configuration
     * @throws IllegalArgumentException if the length is not from 1 to 65,536
     */
    public BatchingConfig header(int bytes, HeaderEncoder encoder) {
        Check.inRange(bytes, 1, 1 << 16, "header");
        return with(copy -> {
            copy.headerLength = bytes;
            copy.headerEncoder = Check.notNull(encoder, "encoder");
        });
    }

    /**
     * Sends a message that does not fit into a batch alone, in a buffer as long as need be.
     *
     * @param bytes the longest message, from 1 to 512 MiB
     * @return the changed configuration
     * @throws IllegalArgumentException if the length is out of range
     */
    public BatchingConfig sendOversizeAlone(int bytes) {
        Check.inRange(bytes, 1, MAX_BUFFER, "maxMessageLength");
        return with(copy -> {
            copy.oversize = Oversize.SEND_ALONE;
            copy.maxMessageLength = bytes;
        });
    }

    /**
     * Sets the idle strategy for the time while a sink takes nothing, and the limit of that time; behind it the sink has failed. The
     * time begins anew with each byte that the sink takes; once a connection of a {@link StreamSink} has broken, with each byte that no
     * connection has taken before. An interrupt ends the wait, as a failure. With {@link Long#MAX_VALUE} nothing else ends it; this
     * holds for a close that has something left to send, too.
     *
     * @param idle the idle strategy, for this thread alone
     * @param timeoutNanos from 0 to {@link Long#MAX_VALUE} ns; 0 fails at once
     * @return the changed configuration
     * @throws IllegalArgumentException if the time-out is negative, or {@code idle} one that has to be signalled
     */
    public BatchingConfig sinkIdle(IdleStrategy idle, long timeoutNanos) {
        Check.inRange(timeoutNanos, 0, Long.MAX_VALUE, "timeoutNanos");
        IdleStrategies.checkWakesByItself(idle, "idle", "who waits for a sink");
        return with(copy -> {
            copy.sinkIdle = Check.notNull(idle, "idle");
            copy.sinkTimeoutNanos = timeoutNanos;
        });
    }

    /**
     * As {@link #sinkIdle(IdleStrategy, long)}.
     *
     * @param idle the idle strategy, for this thread alone
     * @param limit how long, 0 or more; 0 fails at once
     * @return the changed configuration
     * @throws IllegalArgumentException as there
     */
    public BatchingConfig sinkIdle(IdleStrategy idle, Duration limit) {
        return sinkIdle(idle, Check.nanos(limit, "limit"));
    }

    /**
     * Counts batches that the sink has taken. Costs some tens of nanoseconds a batch.
     *
     * @param into where to; for one handler or batcher, and read by any thread
     * @return the changed configuration
     */
    public BatchingConfig statistics(BatchStatistics into) {
        return with(copy -> copy.statistics = Check.notNull(into, "into"));
    }

    /**
     * Bounds batches by the time that the sink takes for them. Costs two readings of the clock a batch.
     *
     * @param limit the limit; for one handler or batcher
     * @return the changed configuration
     */
    public BatchingConfig adaptiveLimit(AdaptiveLimit limit) {
        return with(copy -> copy.adaptiveLimit = Check.notNull(limit, "limit"));
    }

    /**
     * The clock of the sink's time-out and of the adaptive limit, by default {@link System#nanoTime()}.
     *
     * @param nanoClock the clock
     * @return the changed configuration
     */
    public BatchingConfig clock(NanoClock nanoClock) {
        return with(copy -> copy.clock = Check.notNull(nanoClock, "nanoClock"));
    }

    /** The longest message, whether in a batch or alone. */
    int maxMessageLength() {
        int inBatch = bufferSize - headerLength;
        return oversize == Oversize.SEND_ALONE ? Math.max(maxMessageLength, inBatch) : inBatch;
    }

    IdleStrategy sinkIdle() {
        return sinkIdle != null ? sinkIdle : new BackoffIdleStrategy(10, 20, 1_000, 100_000);
    }

    private BatchingConfig with(Consumer<BatchingConfig> change) {
        BatchingConfig copy = new BatchingConfig(this);
        change.accept(copy);
        return copy;
    }
}
