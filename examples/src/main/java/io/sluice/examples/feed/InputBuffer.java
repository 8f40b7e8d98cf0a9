package io.sluice.examples.feed;

import org.jspecify.annotations.Nullable;

/**
 * A window on a source that slides forward, for readers of records. A fault of the source is held back until every
 * complete record before it has been read. Used by one thread.
 */
public final class InputBuffer implements AutoCloseable {
    private static final int SIZE = 1 << 16;

    private final String file;
    private final ByteSource source;
    private final byte[] bytes = new byte[SIZE];
    private int position;
    private int limit;
    private long limitOffset;
    private boolean ended;
    private @Nullable FeedFault sourceFault;

    /**
     * Creates the buffer.
     *
     * @param file the name for faults
     * @param source the bytes; closed with the buffer
     */
    public InputBuffer(String file, ByteSource source) {
        this.file = file;
        this.source = source;
    }

    /**
     * Makes bytes available, reading on if need be. An earlier result of {@link #position()} is stale afterwards.
     *
     * @param count how many are wanted, from 1 to 65,536
     * @return true if so many are available, false if the source ended before
     */
    public boolean require(int count) {
        return limit - position >= count || refill(count);
    }

    /**
     * The bytes; the available ones begin at {@link #position()}.
     *
     * @return the array itself, not a copy
     */
    public byte[] bytes() {
        return bytes;
    }

    /**
     * Where the available bytes begin.
     *
     * @return an index into {@link #bytes()}
     */
    public int position() {
        return position;
    }

    /**
     * How many bytes are available without reading on.
     *
     * @return bytes
     */
    public int available() {
        return limit - position;
    }

    /**
     * How far into the source the available bytes begin.
     *
     * @return bytes
     */
    public long offset() {
        return limitOffset - (limit - position);
    }

    /**
     * Leaves bytes behind.
     *
     * @param count at most {@link #available()}
     */
    public void skip(int count) {
        position += count;
    }

    /**
     * Why the source ended, if not because it was complete. To be asked when {@link #require} has said false.
     *
     * @return the fault of the source, or null
     */
    public @Nullable FeedFault sourceFault() {
        return sourceFault;
    }

    /**
     * A fault of the record that begins at {@link #position()}.
     *
     * @param reason what is wrong
     * @return the fault, with the offset
     */
    public FeedFault fault(String reason) {
        return source.compressed()
                ? FeedFault.atUncompressedOffset(file, offset(), reason)
                : FeedFault.atOffset(file, offset(), reason);
    }

    /** Closes the source. */
    @Override
    public void close() {
        source.close();
    }

    private boolean refill(int count) {
        System.arraycopy(bytes, position, bytes, 0, limit - position);
        limit -= position;
        position = 0;
        while (limit < count && !ended) {
            try {
                int read = source.read(bytes, limit, SIZE - limit);
                if (read < 0) {
                    ended = true;
                } else {
                    limit += read;
                    limitOffset += read;
                }
            } catch (FeedFault fault) {
                sourceFault = fault;
                ended = true;
            }
        }
        return limit >= count;
    }
}
