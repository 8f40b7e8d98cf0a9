package io.sluice.examples.trial;

import io.sluice.backpressure.nak.NakController;
import io.sluice.backpressure.nak.UdpNakTransport;
import io.sluice.backpressure.rate.RateLimiter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.SystemNanoClock;
import org.jspecify.annotations.Nullable;

/** Sends messages at the rate that is wanted, or that the limiter allows, from a thread of its own. */
final class Sender implements AutoCloseable {
    private static final long PARK_NANOS = 20_000;
    /** Packets that are caught up with after the thread was held up; messages wanted beyond that are not sent. */
    private static final int CATCH_UP = 64;

    private final long session = new SecureRandom().nextLong();
    private final double packetsPerSecond;
    private final DatagramChannel channel;
    private final UdpNakTransport transport;
    private final RateLimiter limiter = RateLimiter.singleWriter(SystemNanoClock.INSTANCE, 64 * Wire.MESSAGES);
    private final AtomicLong sent = new AtomicLong();
    private final AtomicReference<@Nullable InetSocketAddress> target = new AtomicReference<>();
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final NakController controller;
    private final Thread thread = new Thread(this::run, "sender");
    private long refused;

    Sender(double messagesPerSecond) throws IOException {
        packetsPerSecond = messagesPerSecond / Wire.MESSAGES;
        InetAddress loopback = InetAddress.getLoopbackAddress();
        channel = DatagramChannel.open(StandardProtocolFamily.INET);
        channel.setOption(StandardSocketOptions.SO_SNDBUF, 1 << 20);
        channel.setOption(StandardSocketOptions.IP_MULTICAST_IF, NetworkInterface.getByInetAddress(loopback));
        channel.setOption(StandardSocketOptions.IP_MULTICAST_LOOP, true);
        channel.configureBlocking(false);
        InetSocketAddress any = new InetSocketAddress(loopback, 0);
        transport = UdpNakTransport.unicast(any, any, Receiver.STREAM, 1 << 18);
        controller = NakController.builder(transport, limiter, sent::get, SystemNanoClock.INSTANCE)
                .refreshNanos(Receiver.REFRESH_NANOS)
                .session(session)
                .build();
    }

    InetSocketAddress naksArriveAt() throws IOException {
        return transport.localAddress();
    }

    String buffers() throws IOException {
        return "send buffer " + channel.getOption(StandardSocketOptions.SO_SNDBUF) + ", NAK receive buffer "
                + transport.receiveBuffer();
    }

    void target(InetSocketAddress address) {
        target.set(address);
    }

    void start() {
        thread.start();
    }

    /** How many messages have been sent. Any thread. */
    long sent() {
        return sent.get();
    }

    /** Stops the thread, waits for it, and hands over the controller. */
    NakController stop() throws InterruptedException {
        stopped.set(true);
        thread.join();
        Throwable cause = failure.get();
        if (cause != null) {
            throw new IllegalStateException("the sender failed", cause);
        }
        return controller;
    }

    /** Packets that the socket did not take; they were sent later. */
    long refused() {
        return refused;
    }

    private void run() {
        try {
            ByteBuffer packet = Wire.buffer();
            long last = System.nanoTime();
            double due = 0;
            while (!stopped.get()) {
                controller.doWork();
                long now = System.nanoTime();
                due = Math.min(CATCH_UP, due + (now - last) * 1e-9 * packetsPerSecond);
                last = now;
                boolean sentAny = false;
                while (due >= 1 && limiter.tryAcquire(Wire.MESSAGES)) {
                    send(packet);
                    due--;
                    sentAny = true;
                }
                if (!sentAny) {
                    LockSupport.parkNanos(PARK_NANOS);
                }
            }
        } catch (IOException | RuntimeException | Error e) {
            failure.set(e);
        }
    }

    private void send(ByteBuffer packet) throws IOException {
        long number = sent.get();
        Wire.encode(packet, session, number);
        while (channel.send(packet, target.get()) == 0) {
            refused++;
            Thread.onSpinWait();
        }
        sent.set(number + Wire.MESSAGES);
    }

    @Override
    public void close() {
        stopped.set(true);
        try {
            channel.close();
            transport.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
