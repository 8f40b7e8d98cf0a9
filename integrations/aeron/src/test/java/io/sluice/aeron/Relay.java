package io.sluice.aeron;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.Agent;

/**
 * Stands between a sender and a receiver on the loopback. Of what the sender sends it loses some, holds some back until others have overtaken
 * it, and sends some twice. What the receiver sends back is lost sometimes. Run by the test's thread.
 */
final class Relay implements Agent, AutoCloseable {
    private static final double LOST = 0.03;
    private static final double HELD = 0.10;
    private static final double DOUBLED = 0.03;
    private static final int MOST_HELD = 8;

    private final SplittableRandom random;
    private final String endpoint = Harness.udp();
    private final DatagramChannel towardsSender = open();
    private final DatagramChannel towardsReceiver = open();
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
    private final List<ByteBuffer> held = new ArrayList<>();
    private final SocketAddress receiver;
    private SocketAddress sender;
    private long lost;
    private long overtaken;
    private long doubled;

    Relay(SplittableRandom random) {
        this.random = random;
        int port = Integer.parseInt(endpoint.replaceAll(".*127.0.0.1:(\\d+).*", "$1"));
        receiver = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private static DatagramChannel open() {
        try {
            DatagramChannel channel =
                    DatagramChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            channel.configureBlocking(false);
            return channel;
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** What the sender sends to. */
    String channelIn() throws IOException {
        int port = ((InetSocketAddress) towardsSender.getLocalAddress()).getPort();
        return "aeron:udp?endpoint=127.0.0.1:" + port + "|term-length=64k";
    }

    /** What the receiver receives on. */
    String channelOut() {
        return endpoint;
    }

    long lost() {
        return lost;
    }

    long overtaken() {
        return overtaken;
    }

    long doubled() {
        return doubled;
    }

    @Override
    public int doWork() throws IOException {
        int work = 0;
        for (SocketAddress from = receive(towardsSender); from != null; from = receive(towardsSender)) {
            sender = from;
            work++;
            double what = random.nextDouble();
            if (what < LOST) {
                lost++;
            } else if (what < LOST + HELD && held.size() < MOST_HELD) {
                ByteBuffer copy = ByteBuffer.allocate(buffer.remaining());
                held.add(copy.put(buffer).flip());
            } else {
                if (what > 1 - DOUBLED) {
                    doubled++;
                    towardsReceiver.send(buffer.duplicate(), receiver);
                }
                towardsReceiver.send(buffer, receiver);
                overtaken += held.size();
                letGo();
            }
        }
        if (work == 0) {
            letGo(); // nothing comes that could overtake it
        }
        while (receive(towardsReceiver) != null) {
            if (sender != null && random.nextDouble() >= LOST) {
                towardsSender.send(buffer, sender);
            }
            work++;
        }
        return work;
    }

    private void letGo() throws IOException {
        while (!held.isEmpty() && random.nextBoolean()) {
            towardsReceiver.send(held.remove(random.nextInt(held.size())), receiver);
        }
    }

    private SocketAddress receive(DatagramChannel from) throws IOException {
        buffer.clear();
        SocketAddress source = from.receive(buffer);
        buffer.flip();
        return source;
    }

    @Override
    public String roleName() {
        return "relay";
    }

    @Override
    public void close() throws IOException {
        towardsSender.close();
        towardsReceiver.close();
    }
}
