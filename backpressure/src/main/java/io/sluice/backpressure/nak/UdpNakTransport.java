package io.sluice.backpressure.nak;

import io.sluice.core.check.Check;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.DatagramChannel;
import java.util.EnumMap;

/**
 * Carries NAKs in UDP datagrams, one each, unicast or multicast. Anything that is not a NAK of this stream is counted and
 * ignored.
 *
 * <p>Called by: one thread. Non-blocking. A datagram costs a system call; the JDK's channel allocates the address of each one
 * that arrives, nothing else is allocated.
 */
public final class UdpNakTransport implements NakTransport, AutoCloseable {
    /** One more than a NAK, so that an oversized packet is told from one that fits. */
    private static final int ROOM = Nak.LENGTH + 1;

    private final DatagramChannel channel;
    private final SocketAddress target;
    private final long stream;
    private final boolean group;
    private final ByteBuffer out = ByteBuffer.allocateDirect(Nak.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    private final ByteBuffer in = ByteBuffer.allocateDirect(ROOM).order(ByteOrder.LITTLE_ENDIAN);
    private final Nak nak = new Nak();
    private final EnumMap<Nak.DecodeResult, Counter> results = new EnumMap<>(Nak.DecodeResult.class);
    private long sendFailures;

    private static final class Counter {
        long packets;
    }

    private UdpNakTransport(DatagramChannel channel, SocketAddress target, long stream, boolean group) {
        this.group = group;
        this.channel = channel;
        this.target = target;
        this.stream = stream;
    }

    /**
     * Opens a transport between two addresses.
     *
     * @param local where NAKs arrive; port 0 for a free one
     * @param target where NAKs are sent to
     * @param stream the stream, the same on both sides
     * @param receiveBuffer bytes the socket may hold, 1,024 to 16,777,216; the system may give less, see {@link #receiveBuffer}
     * @return an open transport
     * @throws IOException if the socket cannot be opened
     * @throws IllegalArgumentException if {@code receiveBuffer} is out of range, or {@code target} is no IPv4 address or a name
     *     that was not found
     */
    public static UdpNakTransport unicast(
            InetSocketAddress local, InetSocketAddress target, long stream, int receiveBuffer) throws IOException {
        if (!(Check.notNull(target, "target").getAddress() instanceof Inet4Address)) { // null if it is not resolved
            throw new IllegalArgumentException("target must be a resolved IPv4 address, but was " + target);
        }
        return new UdpNakTransport(open(receiveBuffer, channel -> channel.bind(local)), target, stream, false);
    }

    /**
     * Opens a transport that sends to a multicast group and hears the group, itself included.
     *
     * @param group address and port of the group
     * @param network the interface to join on, for example the loopback
     * @param stream the stream, the same at all members
     * @param receiveBuffer bytes the socket may hold, 1,024 to 16,777,216
     * @return an open transport
     * @throws IOException if the socket cannot be opened or the group not be joined
     * @throws IllegalArgumentException if {@code receiveBuffer} is out of range, or the group is no resolved multicast address
     */
    public static UdpNakTransport multicast(
            InetSocketAddress group, NetworkInterface network, long stream, int receiveBuffer) throws IOException {
        if (group.getAddress() == null || !group.getAddress().isMulticastAddress()) {
            throw new IllegalArgumentException("group must be a resolved multicast address, but was " + group);
        }
        DatagramChannel opened = open(receiveBuffer, channel -> {
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, network);
            channel.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, true);
            channel.bind(new InetSocketAddress(group.getPort()));
            channel.join(group.getAddress(), network);
        });
        return new UdpNakTransport(opened, group, stream, true);
    }

    /** Sets up the channel of one kind of transport before it is used. */
    private interface Setup {
        void on(DatagramChannel channel) throws IOException;
    }

    private static DatagramChannel open(int receiveBuffer, Setup setup) throws IOException {
        Check.inRange(receiveBuffer, 1_024, 1 << 24, "receiveBuffer");
        DatagramChannel channel = DatagramChannel.open(StandardProtocolFamily.INET);
        try {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, receiveBuffer);
            setup.on(channel);
            channel.configureBlocking(false);
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Sends a NAK.
     *
     * @return false if the socket has no room now, or refused it (also counted); the NAK is lost then
     */
    @Override
    public boolean send(Nak nak) {
        out.clear();
        nak.encode(out, 0);
        out.limit(Nak.LENGTH);
        try {
            return channel.send(out, target) == Nak.LENGTH;
        } catch (IOException e) {
            sendFailures++; // nobody listening there, or no route: a NAK may get lost
            return false;
        }
    }

    /** Whether it was opened by {@link #multicast}. */
    @Override
    public boolean isGroup() {
        return group;
    }

    /**
     * Hands over the NAKs that have arrived.
     *
     * @throws UncheckedIOException if the socket is closed or broken
     */
    @Override
    public int receive(NakHandler handler, int limit) {
        int looked = 0;
        while (looked < limit) {
            in.clear();
            try {
                if (channel.receive(in) == null) {
                    break;
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            looked++;
            in.flip();
            Nak.DecodeResult result = nak.decode(in, 0, in.limit(), stream);
            results.computeIfAbsent(result, key -> new Counter()).packets++;
            if (result == Nak.DecodeResult.ACCEPTED) {
                handler.onNak(nak);
            }
        }
        return looked;
    }

    /**
     * Packets that arrived, counted by the result of decoding them.
     *
     * @param result the result
     * @return how many
     */
    public long packets(Nak.DecodeResult result) {
        Counter counter = results.get(result);
        return counter == null ? 0 : counter.packets;
    }

    /**
     * NAKs that the socket refused.
     *
     * @return how many
     */
    public long sendFailures() {
        return sendFailures;
    }

    /**
     * Bytes that the system gave to the socket's receive buffer.
     *
     * @return bytes
     * @throws IOException if the socket is closed
     */
    public int receiveBuffer() throws IOException {
        return channel.getOption(StandardSocketOptions.SO_RCVBUF);
    }

    /**
     * Where NAKs arrive.
     *
     * @return the local address
     * @throws IOException if the socket is closed
     */
    public InetSocketAddress localAddress() throws IOException {
        return (InetSocketAddress) channel.getLocalAddress();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
