package io.sluice.batching;

import io.sluice.core.check.Check;
import java.io.IOException;
import java.nio.channels.WritableByteChannel;

/**
 * Writes batches to a channel, one after the other. A channel that takes a part of a batch gets the rest at the next offer. The
 * encoder or the header adds the framing, if any. The caller closes the channel.
 */
public final class ByteChannelSink implements BatchSink {
    private final WritableByteChannel channel;

    /**
     * Makes a sink.
     *
     * @param channel where to write; blocking or not
     */
    public ByteChannelSink(WritableByteChannel channel) {
        this.channel = Check.notNull(channel, "channel");
    }

    @Override
    public void send(Batch batch) throws IOException {
        channel.write(batch.buffer());
    }
}
