package io.sluice.examples.feed;

import java.io.IOException;
import java.io.InputStream;

/** The bytes of a stream, as they are. */
public final class StreamSource implements ByteSource {
    private final String file;
    private final InputStream stream;
    private long offset;

    /**
     * Creates the source.
     *
     * @param file the name for faults
     * @param stream the bytes; closed with the source
     */
    public StreamSource(String file, InputStream stream) {
        this.file = file;
        this.stream = stream;
    }

    @Override
    public int read(byte[] into, int at, int length) throws FeedFault {
        try {
            int count = stream.read(into, at, length);
            offset += Math.max(count, 0);
            return count;
        } catch (IOException e) {
            throw FeedFault.atOffset(file, offset, "cannot be read: " + Reasons.of(e));
        }
    }

    @Override
    public boolean compressed() {
        return false;
    }

    @Override
    public void close() {
        Reasons.closeQuietly(stream);
    }
}
