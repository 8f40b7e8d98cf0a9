package io.sluice.batching;

import io.sluice.core.check.Check;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * Writes batches to a stream socket. A partial write goes on at the next offer.
 *
 * <p>When a write fails, a {@link Reconnect} callback may make a new connection. On it, sending starts
 *
 * <ul>
 *   <li>with {@link Delivery#AT_MOST_ONCE} at the first message that was not handed to the old connection in full. Messages
 *       that were handed over, and had not arrived when the connection broke, are lost. Where batches have a header, the
 *       batch is the unit instead of the message: it is sent again from its start, as the peer has not got it in full.
 *   <li>with {@link Delivery#AT_LEAST_ONCE} at the first message of the batch: some may arrive twice. Batches before this one
 *       that had not arrived are lost all the same; only acknowledgements from the peer can prevent that.
 * </ul>
 *
 * <p>Without a callback, or when it returns null, the failure is reported, and the next offer tries again. So the failure policy
 * sets how often the callback is called. New connections may take nothing, or may all break before one has taken more of the batch than
 * those before it. Both are reported after the {@linkplain BatchingConfig#sinkIdle time-out of the sink}.
 */
public final class StreamSink implements BatchSink {
    /** Where sending goes on after a new connection was made. */
    public enum Delivery {
        /** Nothing is sent twice. */
        AT_MOST_ONCE,
        /** The batch that failed is sent anew. */
        AT_LEAST_ONCE
    }

    /** Makes a new connection. */
    @FunctionalInterface
    public interface Reconnect {
        /**
         * Called on the sending thread when the connection has failed.
         *
         * @param failed the channel that failed, to be closed
         * @param cause why
         * @return the new connection, or null if there is none yet
         * @throws IOException if none can be made now; counts as null, as does a channel that is not connected, or an unchecked
         *     exception. It is {@linkplain Throwable#getSuppressed suppressed} by {@code cause}, which is reported
         */
        @Nullable
        SocketChannel reconnect(SocketChannel failed, IOException cause) throws IOException;
    }

    private final Delivery delivery;
    private final @Nullable Reconnect reconnect;
    private SocketChannel channel;
    private boolean broken;
    private int connections; // how many were made after the first

    /**
     * Makes a sink without reconnection.
     *
     * @param channel a connected channel; the caller closes it
     * @throws IllegalArgumentException if the channel is not connected
     */
    public StreamSink(SocketChannel channel) {
        this.channel = connected(channel);
        this.delivery = Delivery.AT_MOST_ONCE;
        this.reconnect = null;
    }

    /**
     * Makes a sink that asks for a new connection when one fails.
     *
     * @param channel a connected channel; the caller closes it
     * @param delivery where to go on after a reconnection
     * @param reconnect makes the new connection
     * @throws IllegalArgumentException if the channel is not connected
     */
    public StreamSink(SocketChannel channel, Delivery delivery, Reconnect reconnect) {
        this.channel = connected(channel);
        this.delivery = Check.notNull(delivery, "delivery");
        this.reconnect = Check.notNull(reconnect, "reconnect");
    }

    @Override
    public void send(Batch batch) throws IOException {
        int[] connection = batch.notesOf(this, 1); // the one that it was last offered to
        if (connection[0] >= 0 && connection[0] != connections) { // made while another's batch was sent
            connection[0] = connections;
            batch.rewindTo(restartPosition(batch));
            return;
        }
        connection[0] = connections;
        try {
            if (broken) {
                throw new IOException("the connection must be open, but has failed before and no new one was made");
            }
            channel.write(batch.buffer());
        } catch (IOException e) {
            broken = true;
            SocketChannel next = null;
            try {
                SocketChannel made = reconnect == null ? null : reconnect.reconnect(channel, e);
                next = made == null ? null : connected(made);
            } catch (IOException | RuntimeException none) {
                if (none != e) {
                    e.addSuppressed(none);
                }
            }
            if (next == null) {
                throw e;
            }
            channel = next;
            broken = false;
            connection[0] = ++connections;
            batch.rewindTo(restartPosition(batch));
        }
    }

    private int restartPosition(Batch batch) {
        if (delivery == Delivery.AT_LEAST_ONCE || batch.headerLength() > 0) {
            return 0;
        }
        ByteBuffer buffer = batch.buffer();
        int message = batch.messagesUpTo(buffer.position());
        return message == batch.messages() ? buffer.limit() : batch.offset(message);
    }

    private static SocketChannel connected(SocketChannel channel) {
        Check.notNull(channel, "channel");
        if (!channel.isConnected()) {
            throw new IllegalArgumentException("channel must be connected, but was not connected");
        }
        return channel;
    }
}
