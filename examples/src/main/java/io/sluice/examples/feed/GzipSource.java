package io.sluice.examples.feed;

import java.io.IOException;
import java.io.InputStream;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * The decompressed bytes of a gzip stream (RFC 1952), of one member or several in a row.
 *
 * <p>Stricter than {@link java.util.zip.GZIPInputStream}: the bytes after a member must be another member or the end of
 * the file, and everything decompressed before a fault is delivered before the fault is thrown.
 */
public final class GzipSource implements ByteSource {
    /** The first byte of every gzip member. */
    public static final int MAGIC_1 = 0x1f;

    /** The second byte of every gzip member. */
    public static final int MAGIC_2 = 0x8b;

    private static final int FLAG_HEADER_CRC = 2;
    private static final int FLAG_EXTRA = 4;
    private static final int FLAG_NAME = 8;
    private static final int FLAG_COMMENT = 16;
    private static final int FLAGS_RESERVED = 0xe0;

    private final String file;
    private final InputStream stream;
    private final Inflater inflater = new Inflater(true);
    private final CRC32 crc = new CRC32();
    private final byte[] input = new byte[1 << 16];
    private int position;
    private int limit;
    private long limitOffset;
    private boolean inMember;
    private boolean ended;
    private String damage = "";

    /**
     * Creates the source.
     *
     * @param file the name for faults
     * @param stream the compressed bytes; closed with the source
     */
    public GzipSource(String file, InputStream stream) {
        this.file = file;
        this.stream = stream;
    }

    @Override
    public int read(byte[] into, int at, int length) throws FeedFault {
        while (true) {
            if (ended) {
                return -1;
            }
            if (!damage.isEmpty()) {
                throw fault(damage);
            }
            if (!inMember) {
                if (position == limit && !fill()) {
                    ended = true;
                    return -1;
                }
                readHeader();
                inMember = true;
            }
            int count = inflate(into, at, length);
            if (count > 0) {
                crc.update(into, at, count);
                return count;
            }
            if (inflater.finished()) {
                readTrailer();
                inMember = false;
            }
        }
    }

    @Override
    public boolean compressed() {
        return true;
    }

    @Override
    public void close() {
        inflater.end();
        Reasons.closeQuietly(stream);
    }

    /** Decompresses; 0 when more input is needed first, or at the end of the member. */
    private int inflate(byte[] into, int at, int length) throws FeedFault {
        if (inflater.needsInput() && !inflater.finished()) {
            if (position == limit && !fill()) {
                throw fault("gzip data cut short");
            }
            inflater.setInput(input, position, limit - position);
        }
        long before = inflater.getBytesWritten();
        int count;
        try {
            count = inflater.inflate(into, at, length);
        } catch (DataFormatException e) {
            // The bytes that this very call has decompressed are good as far as one can tell: they come first.
            count = (int) (inflater.getBytesWritten() - before);
            damage = "gzip data damaged (" + e.getMessage() + ")";
        }
        position = limit - inflater.getRemaining();
        if (inflater.needsDictionary()) {
            damage = "gzip data damaged (asks for a preset dictionary)";
        }
        return count;
    }

    private void readHeader() throws FeedFault {
        long start = offset();
        if (nextByte() != MAGIC_1 || nextByte() != MAGIC_2) {
            throw FeedFault.atOffset(file, start, "neither a gzip member nor the end of the file");
        }
        int method = nextByte();
        if (method != 8) {
            throw fault("gzip compression method " + method + ", must be 8");
        }
        int flags = nextByte();
        if ((flags & FLAGS_RESERVED) != 0) {
            throw fault("gzip header with reserved flags 0x" + Integer.toHexString(flags));
        }
        skip(6);
        if ((flags & FLAG_EXTRA) != 0) {
            skip(nextByte() | nextByte() << 8);
        }
        if ((flags & FLAG_NAME) != 0) {
            skipText();
        }
        if ((flags & FLAG_COMMENT) != 0) {
            skipText();
        }
        if ((flags & FLAG_HEADER_CRC) != 0) {
            skip(2);
        }
        inflater.reset();
        crc.reset();
    }

    private void readTrailer() throws FeedFault {
        long wantedCrc = nextUnsignedInt();
        if (wantedCrc != crc.getValue()) {
            throw fault("gzip checksum does not match the data");
        }
        long wantedLength = nextUnsignedInt();
        if (wantedLength != (inflater.getBytesWritten() & 0xffff_ffffL)) {
            throw fault("gzip length does not match the data");
        }
    }

    private long nextUnsignedInt() throws FeedFault {
        return (nextByte() | nextByte() << 8 | nextByte() << 16 | (long) nextByte() << 24) & 0xffff_ffffL;
    }

    private void skipText() throws FeedFault {
        int read;
        do {
            read = nextByte();
        } while (read != 0);
    }

    private void skip(int count) throws FeedFault {
        for (int i = 0; i < count; i++) {
            nextByte();
        }
    }

    private int nextByte() throws FeedFault {
        if (position == limit && !fill()) {
            throw fault("gzip data cut short");
        }
        return input[position++] & 0xff;
    }

    private boolean fill() throws FeedFault {
        try {
            int count = stream.read(input, 0, input.length);
            position = 0;
            limit = Math.max(count, 0);
            limitOffset += limit;
            return count > 0;
        } catch (IOException e) {
            throw fault("cannot be read: " + Reasons.of(e));
        }
    }

    /** How far into the compressed file the next byte is. */
    private long offset() {
        return limitOffset - (limit - position);
    }

    private FeedFault fault(String reason) {
        return FeedFault.atOffset(file, offset(), reason);
    }
}
