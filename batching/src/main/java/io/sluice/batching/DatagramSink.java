package io.sluice.batching;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Sends each batch as one datagram. Batches should fit the network's MTU, or the network splits them: 1472 bytes of payload
 * for IPv4 over Ethernet, less through tunnels.
 *
 * <p>A datagram is taken when the operating system has it; what the network drops nobody hears of. A header with a running
 * number lets receivers count that.
 */
public final class DatagramSink implements BatchSink {
    /** The longest payload of a datagram over IPv4. */
    public static final int MAX_PAYLOAD = 65_507;

    private final DatagramChannel channel;
    private final @Nullable SocketAddress target;
    private final boolean owned;

    /**
     * Sends to whatever the channel is connected to.
     *
     * @param channel a connected channel; the user's, and not closed here
     * @throws IllegalArgumentException if the channel is not connected
     * @throws IOException if the channel is closed
     */
    public DatagramSink(DatagramChannel channel) throws IOException {
        this(channel, null, false);
        if (channel.getRemoteAddress() == null) {
            throw new IllegalArgumentException("channel is not connected; connect it or name a target");
        }
    }

    /**
     * Sends to an address.
     *
     * @param channel a channel; the user's, and not closed here
     * @param target where to send to
     */
    public DatagramSink(DatagramChannel channel, SocketAddress target) {
        this(channel, Objects.requireNonNull(target, "target"), false);
    }

    private DatagramSink(DatagramChannel channel, @Nullable SocketAddress target, boolean owned) {
        this.channel = Objects.requireNonNull(channel, "channel");
        this.target = target;
        this.owned = owned;
    }

    /**
     * Opens a channel that sends to a multicast group; closed by {@link #close()}.
     *
     * @param group the group and its port
     * @param networkInterface where to send from
     * @param timeToLive how many routers to pass, 0 to 255; 0 stays on this machine
     * @param loopback whether this machine's members of the group get it, too
     * @return the sink
     * @throws IllegalArgumentException if the address is no multicast address, or the time to live is out of range
     * @throws IOException if the channel cannot be opened
     */
    public static DatagramSink multicast(
            InetSocketAddress group, NetworkInterface networkInterface, int timeToLive, boolean loopback)
            throws IOException {
        Objects.requireNonNull(networkInterface, "networkInterface");
        InetAddress address = Objects.requireNonNull(group, "group").getAddress();
        if (address == null || !address.isMulticastAddress()) {
            throw new IllegalArgumentException("group is " + group + ", allowed are resolved multicast addresses");
        }
        if (timeToLive < 0 || timeToLive > 255) {
            throw new IllegalArgumentException("timeToLive is " + timeToLive + ", allowed are 0 to 255");
        }
        DatagramChannel channel = DatagramChannel.open(
                address instanceof java.net.Inet4Address ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
        boolean done = false;
        try {
            channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, networkInterface);
            channel.setOption(StandardSocketOptions.IP_MULTICAST_TTL, timeToLive);
            channel.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, loopback);
            DatagramSink sink = new DatagramSink(channel, group, true);
            done = true;
            return sink;
        } finally {
            if (!done) {
                channel.close();
            }
        }
    }

    @Override
    public void send(Batch batch) throws IOException {
        ByteBuffer buffer = batch.buffer();
        int position = buffer.position();
        int remaining = buffer.remaining();
        int sent = target == null ? channel.write(buffer) : channel.send(buffer, target);
        if (sent != 0 && sent != remaining) {
            buffer.position(position);
            throw new IOException("only " + sent + " of " + remaining + " bytes of a datagram were sent");
        }
    }

    @Override
    public int maxBatchLength() {
        return MAX_PAYLOAD;
    }

    @Override
    public void close() throws IOException {
        if (owned) {
            channel.close();
        }
    }
}
