package io.sluice.batching;

import io.sluice.core.check.Check;
import java.io.IOException;
import java.nio.channels.WritableByteChannel;

/**
 * Writes batches to a channel, one after the other. A channel that takes a part of a batch gets the rest at the next offer;
 * framing, if any, is the encoder's or the header's business. The channel is the user's, and not closed here.
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
