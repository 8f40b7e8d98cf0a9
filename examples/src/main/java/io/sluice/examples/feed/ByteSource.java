package io.sluice.examples.feed;

/** Where a reader's bytes come from. Used by one thread. */
public interface ByteSource extends AutoCloseable {
    /**
     * Reads what is there, at least one byte. May block on the file system.
     *
     * @param into where to
     * @param offset the first byte to write
     * @param length the most bytes to write, at least 1
     * @return how many were read, or -1 at the end
     * @throws FeedFault if the bytes cannot be read or cannot be decompressed
     */
    int read(byte[] into, int offset, int length) throws FeedFault;

    /**
     * Whether the bytes come out of a decompressor, so that their offsets are not those of the file.
     *
     * @return true if so
     */
    boolean compressed();

    /** Closes the source. Does nothing the second time. */
    @Override
    void close();
}
