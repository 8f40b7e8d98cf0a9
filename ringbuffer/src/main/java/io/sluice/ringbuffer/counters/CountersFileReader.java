package io.sluice.ringbuffer.counters;

import io.sluice.core.check.Check;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Reads a {@link CountersFile}, as a rule that of another process, while it is written or afterwards. Any number of readers;
 * each belongs to one thread at a time. Needs the JVM flag that {@link CountersFile} names.
 */
public final class CountersFileReader implements AutoCloseable {
    private final MappedByteBuffer mapped;
    private final UnsafeBuffer header;
    private final CountersReader counters;
    private boolean closed;

    private CountersFileReader(MappedByteBuffer mapped, UnsafeBuffer header, int capacity) {
        this.mapped = mapped;
        this.header = header;
        counters = new CountersReader(
                CountersLayout.metadata(mapped, capacity),
                CountersLayout.values(mapped, capacity),
                StandardCharsets.UTF_8);
    }

    /**
     * Opens a file for reading.
     *
     * @param file a file made by {@link CountersFile#create}
     * @return a reader of its counters
     * @throws IOException if it can not be read
     * @throws IllegalArgumentException if it is no counters file, or not all of one, or one of another version
     * @throws IllegalStateException if the JVM runs without the flag
     */
    public static CountersFileReader open(Path file) throws IOException {
        MappedByteBuffer mapped;
        long length;
        try (FileChannel channel = FileChannel.open(Check.notNull(file, "file"), StandardOpenOption.READ)) {
            length = channel.size();
            if (length < CountersLayout.HEADER || length > CountersLayout.fileLength(CountersLayout.MOST_COUNTERS)) {
                throw new IllegalArgumentException("a counters file must be from " + CountersLayout.HEADER + " to "
                        + CountersLayout.fileLength(CountersLayout.MOST_COUNTERS) + " bytes long, but " + file + " has "
                        + length + " bytes");
            }
            mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, length);
        }
        mapped.order(ByteOrder.nativeOrder());
        UnsafeBuffer header = CountersLayout.wrap(mapped, 0, CountersLayout.HEADER);
        long magic = header.getLongVolatile(CountersLayout.MAGIC_AT); // volatile: before the header's rest
        if (magic >>> CountersLayout.VERSION_BITS == CountersLayout.MAGIC >>> CountersLayout.VERSION_BITS
                && magic != CountersLayout.MAGIC) {
            IoUtil.unmap(mapped);
            throw new IllegalArgumentException("counters file " + file + " must have layout version "
                    + CountersLayout.VERSION + ", but has " + (magic & (1L << CountersLayout.VERSION_BITS) - 1));
        }
        long capacity = header.getLong(CountersLayout.COUNTERS_AT);
        if (magic != CountersLayout.MAGIC
                || capacity < 1
                || capacity > CountersLayout.MOST_COUNTERS
                || length != CountersLayout.fileLength((int) capacity)) {
            IoUtil.unmap(mapped);
            throw new IllegalArgumentException("file must be a counters file, but the first bytes of " + file
                    + " are 0x" + Long.toHexString(magic) + " and its length is " + length);
        }
        return new CountersFileReader(mapped, header, (int) capacity);
    }

    /** Told each counter. */
    @FunctionalInterface
    public interface Visitor {
        /**
         * A counter.
         *
         * @param counter which
         * @param ring the number of its ring in the file, from 0
         * @param consumer the number of its consumer in the ring, from 0 in the order of joining; -1 for the ring's own
         * @param label the name of the ring for {@link RingCounter#RING}, of the consumer for {@link RingCounter#CONSUMER}, the
         *     cause for {@link RingCounter#FAILURE}, else ring, consumer and what is counted
         * @param value its value
         */
        void onCounter(RingCounter counter, int ring, int consumer, String label, long value);
    }

    /**
     * Goes over the counters of rings. Others, which somebody else put there, are left out.
     *
     * @param visitor told each
     * @throws IllegalStateException if the reader is closed
     */
    public void forEach(Visitor visitor) {
        Check.notNull(visitor, "visitor");
        checkOpen();
        counters.forEach((id, type, key, label) -> {
            RingCounter counter = RingCounter.ofType(type);
            if (counter != null) {
                visitor.onCounter(
                        counter, key.getInt(0), key.getInt(Integer.BYTES), label, counters.getCounterValue(id));
            }
        });
    }

    /**
     * The process that writes the file.
     *
     * @return its number
     * @throws IllegalStateException if the reader is closed
     */
    public long process() {
        checkOpen();
        return header.getLong(CountersLayout.PROCESS_AT);
    }

    /**
     * When the file was made.
     *
     * @return milliseconds since 1970, UTC
     * @throws IllegalStateException if the reader is closed
     */
    public long startedMillis() {
        checkOpen();
        return header.getLong(CountersLayout.STARTED_AT);
    }

    /**
     * When the values were last written.
     *
     * @return milliseconds since 1970, UTC
     * @throws IllegalStateException if the reader is closed
     */
    public long updatedMillis() {
        checkOpen();
        return header.getLongVolatile(CountersLayout.UPDATED_AT); // volatile: before the values
    }

    /**
     * Whether the writer has closed the file, so that nothing new will come. False if the writer was killed.
     *
     * @return whether it is closed
     * @throws IllegalStateException if the reader is closed
     */
    public boolean isFinished() {
        checkOpen();
        return header.getLongVolatile(CountersLayout.CLOSED_AT) != 0; // volatile: before the last values
    }

    /** Unmaps the file. Closing it again does nothing. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            IoUtil.unmap(mapped);
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the reader must be open, but is closed");
        }
    }
}
