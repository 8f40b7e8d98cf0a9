package io.sluice.examples.feed;

import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** A session kept in memory, in pieces of 1 MiB: written once, then read as often as one likes. */
public final class Memory extends OutputStream {
    private static final int PIECE = 1 << 20;

    private final List<byte[]> pieces = new ArrayList<>();
    private long length;

    /** Creates an empty one. */
    public Memory() {}

    @Override
    public void write(int value) {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] from, int offset, int count) {
        Objects.checkFromIndexSize(offset, count, from.length);
        int done = 0;
        while (done < count) {
            int used = (int) (length % PIECE);
            if (used == 0) {
                pieces.add(new byte[PIECE]);
            }
            int part = Math.min(count - done, PIECE - used);
            System.arraycopy(from, offset + done, pieces.get(pieces.size() - 1), used, part);
            done += part;
            length += part;
        }
    }

    /**
     * How much was written.
     *
     * @return bytes
     */
    public long length() {
        return length;
    }

    /**
     * Reads from the beginning all that was written so far.
     *
     * @return a source of its own position
     */
    public ByteSource source() {
        return new Source(length);
    }

    private final class Source implements ByteSource {
        private final long end;
        private long position;

        Source(long end) {
            this.end = end;
        }

        @Override
        public int read(byte[] into, int offset, int count) {
            if (position == end) {
                return -1;
            }
            int used = (int) (position % PIECE);
            int part = (int) Math.min(Math.min(count, PIECE - used), end - position);
            System.arraycopy(pieces.get((int) (position / PIECE)), used, into, offset, part);
            position += part;
            return part;
        }

        @Override
        public boolean compressed() {
            return false;
        }

        @Override
        public void close() {}
    }
}
