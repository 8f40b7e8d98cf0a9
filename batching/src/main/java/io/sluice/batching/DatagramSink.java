package io.sluice.batching;

import io.sluice.core.OpaqueCounters;
import io.sluice.core.check.Check;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import org.jspecify.annotations.Nullable;

/**
 * Sends each batch as one datagram. Batches should fit the network's MTU, or the network splits them: 1472 bytes of payload
 * for IPv4 over Ethernet, less through tunnels.
 *
 * <p>A datagram counts as taken when the operating system has it. The network may drop it unnoticed. A header with a running number lets
 * receivers count the lost ones.
 *
 * <p>An absent peer is no failure. When nobody listens at the target of a connected channel, the system says so at the next
 * send, about an earlier datagram. The sink counts that as {@linkplain #unreachable() unreachable} and sends the present
 * datagram all the same. So the peer may come late, go, and come back.
 */
public final class DatagramSink implements BatchSink {
    /** The longest payload of a datagram over IPv4. */
    public static final int MAX_PAYLOAD = 65_507;

    /*
     * How often one datagram is tried when the system answers with reports about earlier ones. A report is given out once, so
     * the second try is nearly always the one that sends.
     */
    private static final int MOST_TRIES = 16;

    private final DatagramChannel channel;
    private final @Nullable SocketAddress target;
    private final boolean owned;
    private final OpaqueCounters unreachable = new OpaqueCounters(1);

    /**
     * Sends to the peer that the channel is connected to.
     *
     * @param channel a connected channel; the caller closes it
     * @throws IllegalArgumentException if the channel is not connected
     * @throws IOException if the channel is closed
     */
    public DatagramSink(DatagramChannel channel) throws IOException {
        this(channel, null, false);
        if (channel.getRemoteAddress() == null) {
            throw new IllegalArgumentException(
                    "channel must be connected where no target is named, but was not connected");
        }
    }

    /**
     * Sends to an address.
     *
     * @param channel a channel; the caller closes it
     * @param target where to send to
     */
    public DatagramSink(DatagramChannel channel, SocketAddress target) {
        this(channel, Check.notNull(target, "target"), false);
    }

    private DatagramSink(DatagramChannel channel, @Nullable SocketAddress target, boolean owned) {
        this.channel = Check.notNull(channel, "channel");
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
     * @throws IllegalArgumentException if the group is no resolved multicast address, or the time to live is out of range
     * @throws IOException if the channel cannot be opened
     */
    public static DatagramSink multicast(
            InetSocketAddress group, NetworkInterface networkInterface, int timeToLive, boolean loopback)
            throws IOException {
        Check.notNull(networkInterface, "networkInterface");
        InetAddress address = Check.notNull(group, "group").getAddress();
        if (address == null || !address.isMulticastAddress()) {
            throw new IllegalArgumentException("group must be a resolved multicast address, but was " + group);
        }
        Check.inRange(timeToLive, 0, 255, "timeToLive");
        DatagramChannel channel = DatagramChannel.open(
                address instanceof java.net.Inet4Address ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
        try {
            channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, networkInterface);
            channel.setOption(StandardSocketOptions.IP_MULTICAST_TTL, timeToLive);
            channel.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, loopback);
            return new DatagramSink(channel, group, true);
        } catch (Throwable e) {
            channel.close();
            throw e;
        }
    }

    @Override
    public void send(Batch batch) throws IOException {
        ByteBuffer buffer = batch.buffer();
        int position = buffer.position();
        int remaining = buffer.remaining();
        int sent = -1;
        for (int tries = 0; sent < 0; tries++) {
            try {
                sent = target == null ? channel.write(buffer) : channel.send(buffer, target);
            } catch (PortUnreachableException e) {
                unreachable.add(0, 1);
                if (tries == MOST_TRIES) {
                    buffer.position(buffer.limit()); // lost like any datagram to a peer that is not there
                    return;
                }
            }
        }
        if (sent != 0 && sent != remaining) {
            buffer.position(position);
            throw new IOException(
                    "a datagram must be sent whole, but " + sent + " of its " + remaining + " bytes were");
        }
    }

    /**
     * How often the system said that nobody listened when a datagram arrived. Any thread; a recent value.
     *
     * @return 0 or more; no more than one for each datagram sent, and fewer where the system says it once for several
     */
    public long unreachable() {
        return unreachable.get(0);
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
