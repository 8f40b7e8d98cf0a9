package io.sluice.batching;

import io.sluice.core.check.Check;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SelectableChannel;
import java.nio.channels.WritableByteChannel;

/**
 * Writes batches to a channel, one after the other. A channel that takes a part of a batch gets the rest at the next offer. The
 * encoder or the header adds the framing, if any. The caller closes the channel.
 *
 * <p>A write that throws counts as having taken nothing; its bytes are offered again. A {@link FileChannel} or a {@link SelectableChannel}
 * gets all that is left in one write. Another channel gets at most 8,192 bytes a write, since that of an {@link java.io.OutputStream}
 * writes them in such parts, and does not say which of them the stream took before it threw.
 */
public final class ByteChannelSink implements BatchSink {
    /** The part that the channels of streams write at once. */
    private static final int PART = 8192;

    private final WritableByteChannel channel;
    private final int mostBytes;

    /**
     * Makes a sink.
     *
     * @param channel where to write; blocking or not
     */
    public ByteChannelSink(WritableByteChannel channel) {
        this.channel = Check.notNull(channel, "channel");
        mostBytes = channel instanceof FileChannel || channel instanceof SelectableChannel ? Integer.MAX_VALUE : PART;
    }

    @Override
    public void send(Batch batch) throws IOException {
        ByteBuffer buffer = batch.buffer();
        int from = buffer.position();
        int end = buffer.limit();
        buffer.limit(from + Math.min(end - from, mostBytes));
        boolean written = false;
        try {
            channel.write(buffer);
            written = true;
        } finally {
            buffer.limit(end);
            if (!written) {
                buffer.position(from); // the channel of a stream moves it before the stream gets the bytes
            }
        }
    }
}
