package io.sluice.ringbuffer.counters;

import io.sluice.core.bytes.SafeBuffer;
import io.sluice.core.check.Check;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Reads a {@link CountersFile}, as a rule that of another process, while it is written or afterwards. Any number of readers;
 * each belongs to one thread at a time.
 */
public final class CountersFileReader implements AutoCloseable {
    private final SafeBuffer file;
    private final SafeBuffer header;
    private final CountersReader counters;
    private boolean closed;

    private CountersFileReader(SafeBuffer file, SafeBuffer header, int capacity) {
        this.file = file;
        this.header = header;
        counters = new CountersReader(
                CountersLayout.metadata(file, capacity), CountersLayout.values(file, capacity), StandardCharsets.UTF_8);
    }

    /**
     * Opens a file for reading.
     *
     * @param file a file made by {@link CountersFile#create}
     * @return a reader of its counters
     * @throws IOException if it can not be read
     * @throws IllegalArgumentException if it is no counters file, or not all of one, or one of another version
     */
    public static CountersFileReader open(Path file) throws IOException {
        SafeBuffer mapped;
        int length;
        try (FileChannel channel = FileChannel.open(Check.notNull(file, "file"), StandardOpenOption.READ)) {
            long size = channel.size();
            if (size < CountersLayout.HEADER || size > CountersLayout.fileLength(CountersLayout.MOST_COUNTERS)) {
                throw new IllegalArgumentException("a counters file must be from " + CountersLayout.HEADER + " to "
                        + CountersLayout.fileLength(CountersLayout.MOST_COUNTERS) + " bytes long, but " + file + " has "
                        + size + " bytes");
            }
            length = (int) size;
            mapped = SafeBuffer.map(channel, FileChannel.MapMode.READ_ONLY, 0, length);
        }
        SafeBuffer header = CountersLayout.header(mapped);
        long magic = header.getLongVolatile(CountersLayout.MAGIC_AT); // volatile: before the header's rest
        if (magic >>> CountersLayout.VERSION_BITS == CountersLayout.MAGIC >>> CountersLayout.VERSION_BITS
                && magic != CountersLayout.MAGIC) {
            mapped.close();
            throw new IllegalArgumentException("counters file " + file + " must have layout version "
                    + CountersLayout.VERSION + ", but has " + (magic & (1L << CountersLayout.VERSION_BITS) - 1));
        }
        long capacity = header.getLong(CountersLayout.COUNTERS_AT);
        if (magic != CountersLayout.MAGIC
                || capacity < 1
                || capacity > CountersLayout.MOST_COUNTERS
                || length != CountersLayout.fileLength((int) capacity)) {
            mapped.close();
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
        AtomicBuffer metadata = counters.metaDataBuffer();
        for (int id = 0; id <= counters.maxCounterId(); id++) {
            int state = counters.getCounterState(id);
            if (state == CountersReader.RECORD_UNUSED) {
                return; // none behind it was ever used
            }
            RingCounter counter = RingCounter.ofType(counters.getCounterTypeId(id));
            if (state == CountersReader.RECORD_ALLOCATED && counter != null) {
                int key = CountersReader.metaDataOffset(id) + CountersReader.KEY_OFFSET;
                visitor.onCounter(
                        counter,
                        metadata.getInt(key),
                        metadata.getInt(key + Integer.BYTES),
                        counters.getCounterLabel(id),
                        counters.getCounterValue(id));
            }
        }
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

    /** Unmaps the file once the garbage collector finds it unused. Closing it again does nothing. */
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            file.close();
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the reader must be open, but is closed");
        }
    }
}
